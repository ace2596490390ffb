"""Run cases: the one seam between the pipeline and whatever runs code."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Protocol, Self

from verifier.model import Case, Environment, Observation
from verifier.probe import jobs, outcome
from verifier.probe.client import ServerProcess, ServerUnavailable
from verifier.probe.limits import Limits
from verifier.probe.lock import CaseLock

#: Seconds after a case's deadline at which a silent server counts as dead.
_PATIENCE = 8.0
_MOST_STARTS_IN_VAIN = 2
_DEVICE_SECONDS = 60.0


class Executor(Protocol):
    """Runs cases. Used by one thread at a time; several executors may run in parallel."""

    def submit(self, case: Case, *, seed: int = 0) -> Observation:
        """Run a case. Whatever goes wrong is an outcome, never an exception."""

    def environment(self, device: str) -> Environment | None:
        """Where cases of a device run; None where there is no such device."""

    def close(self) -> None:
        """End everything that was started."""


@dataclasses.dataclass
class _Answer:
    """An observation, the seconds that it waited, and how often the case was run."""

    observation: Observation
    queue: float = 0.0
    attempts: int = 1


class LocalExecutor:
    """Runs cases on this machine, each in a fork of a server that has `preload` imported.

    The server starts with the first case. `python` is the interpreter whose
    libraries are examined. With `lock`, timing cases run alone on this machine
    as far as this user's executors are concerned.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        preload: tuple[str, ...] = ("torch", "numpy"),
        python: str = sys.executable,
        lock: bool = True,
        huge_pages: bool = True,
    ) -> None:
        self.limits = limits or Limits()
        self._preload = tuple(preload)
        self._python = python
        self._huge_pages = huge_pages
        self._wants_lock = lock
        self._lock: CaseLock | None = None
        self._server: ServerProcess | None = None
        self._starts_in_vain = 0
        self._closed = False
        self._trouble = ""
        self._environments: dict[str, Environment | str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()

    def submit(self, case: Case, *, seed: int = 0) -> Observation:
        """Run a case. A case that runs out of time is tried once more, alone."""
        begun = time.monotonic()
        try:
            answer = self._submit(case, seed)
        except (ServerUnavailable, OSError) as error:
            answer = _Answer(Observation(outcome="unavailable", detail=str(error)))
        total = time.monotonic() - begun - answer.queue
        return outcome.with_times(
            answer.observation,
            queue=answer.queue,
            total=total,
            attempts=answer.attempts,
        )

    def environment(self, device: str) -> Environment | None:
        """Where cases of `device` run; None where there is no such device or no server."""
        try:
            found = self._find_environment(device)
        except (ServerUnavailable, OSError):
            return None
        return found if isinstance(found, Environment) else None

    def bare_fork(self) -> float:
        """Seconds for a fork, exit and wait in the server: the yardstick of all costs."""
        reply = self._start().ask("fork", b"{}", _DEVICE_SECONDS)
        if reply is None:
            raise ServerUnavailable("the fork server died")
        return float(reply[0]["seconds"])

    def close(self) -> None:
        """End the server and all its children, also from another thread during a case.

        A case that is running ends as ``unavailable``, and so does any later one.
        """
        self._closed = True
        if self._server is not None:
            self._server.close()
            self._server = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _submit(self, case: Case, seed: int) -> _Answer:
        if case.device != "cpu":
            found = self._find_environment(case.device)
            if not isinstance(found, Environment):
                return _Answer(Observation(outcome="no-device", detail=found))
        answer = self._try(case, seed, alone=case.claim.is_timed)
        if answer.observation.outcome in ("timeout", "cpu-limit"):
            again = self._try(case, seed, alone=True)
            again.queue += answer.queue
            again.attempts += answer.attempts
            return again
        return answer

    def _try(self, case: Case, seed: int, *, alone: bool) -> _Answer:
        """Run a case; once more if the server dies under it."""
        limits = jobs.limits_for(case, self.limits)
        body = jobs.encode_case(case, seed, limits)
        answer = _Answer(Observation(outcome="server-died"), attempts=0)
        for _ in range(2):
            answer.attempts += 1
            server = self._start()
            with self._turn(alone=alone) as waited:
                message = server.ask("case", body, limits.wall + _PATIENCE)
            answer.queue += waited
            reply = outcome.read_reply(message[0]) if message else None
            if message is not None and reply is not None:
                stdout, stderr, *records = message[1]
                answer.observation = outcome.observation(
                    case, reply, stdout, stderr, records, limits.cpu
                )
                return answer
        detail = "the fork server died twice while it ran this case"
        answer.observation = Observation(outcome="server-died", detail=detail)
        return answer

    def _find_environment(self, device: str) -> Environment | str:
        """The environment of a device, or why there is no such device. Asked once."""
        if device not in self._environments:
            limits = Limits().within(_DEVICE_SECONDS)  # drivers need more than probes
            server = self._start()
            with self._turn(alone=False):
                message = server.ask(
                    "environment", jobs.encode_device(device, limits), limits.wall + _PATIENCE
                )
            self._environments[device] = outcome.environment(message)
        return self._environments[device]

    @contextlib.contextmanager
    def _turn(self, *, alone: bool) -> Iterator[float]:
        """Hold this user's lock; gives the seconds waited for it."""
        if not self._wants_lock:
            yield 0.0
            return
        if self._lock is None:
            self._lock = CaseLock()
        with self._lock.exclusive() if alone else self._lock.shared() as waited:
            yield waited

    def _start(self) -> ServerProcess:
        """The running server, started anew if need be, but not in vain for every case."""
        if self._closed:
            raise ServerUnavailable("the run has ended")
        if self._server is not None and self._server.is_alive:
            return self._server
        if self._server is not None:
            self._server.kill()
            self._server = None
        while self._server is None:
            if self._starts_in_vain == _MOST_STARTS_IN_VAIN:
                raise ServerUnavailable(self._trouble)
            try:
                self._server = ServerProcess(
                    self._python, self._preload, huge_pages=self._huge_pages
                )
            except ServerUnavailable as error:
                self._starts_in_vain += 1
                self._trouble = str(error)
        return self._server
