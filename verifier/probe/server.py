"""The fork server: imports the libraries once, then forks a child per case.

It runs in a fresh interpreter with a clean environment, started by
`verifier.probe.boot`. It keeps exactly one thread and runs no operation of any
library: a thread pool, or an initialised CUDA, does not survive a fork.

Requests (see `verifier.probe.wire`): ``case``, ``environment``, ``fork``. One at
a time; each has one reply. When the parent goes away so does the server.
"""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import faulthandler
import functools
import gc
import importlib
import json
import os
import platform
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from verifier.probe import case, child, confine, devices, linux, processes, surroundings, wire
from verifier.probe.limits import Limits
from verifier.probe.watch import ParentGone, Watch

#: Seconds for which the count of the user's processes stays good enough.
_RECOUNT = 5.0
#: Parts that a library loads at first use and every child uses: some 8 ms each time.
_AT_FIRST_USE = {"numpy": ("numpy.random",)}

Reply = tuple[wire.Header, list[bytes]]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Config:
    """How a server is started. `root` is its private folder, removed at its end;
    `scratch` lies in it and is where cases run.
    """

    root: str
    scratch: str
    parent: int
    preload: tuple[str, ...]
    huge_pages: bool


def main(fd: int, config: str) -> NoReturn:
    """Serve the socket `fd` until its other end is closed."""
    settings = Config(**json.loads(config))
    _guard(settings)
    control = socket.socket(fileno=fd)
    control.setblocking(True)
    with contextlib.suppress(ParentGone):
        Server(control, settings).serve()
    _end(settings)


def _guard(settings: Config) -> None:
    """End with the parent."""
    # Ctrl-C reaches the parent only: this is a session of its own. A probe may
    # send itself the signal, even where the parent was started to ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    server = os.getpid()

    def check_parent(*_: object) -> None:
        # The kernel tells when the *thread* that started us ends; the process
        # that it belongs to may go on and use us from another. Children
        # inherit this handler, and it is none of their business.
        if os.getpid() == server and os.getppid() != settings.parent:
            _end(settings)

    signal.signal(signal.SIGHUP, check_parent)
    linux.die_with_parent(signal.SIGHUP)
    check_parent()


def _end(settings: Config) -> NoReturn:
    """Leave nothing behind: no process, no file."""
    processes.end_descendants()
    shutil.rmtree(settings.root, ignore_errors=True)
    os._exit(0)


class Server:
    """Loads what cases need and answers requests."""

    def __init__(self, control: socket.socket, config: Config) -> None:
        self._control = control
        self._config = config
        self._layers = confine.working()
        self._allowance: confine.Allowance | None = None
        self._recount = 0.0

    def serve(self) -> None:
        """Get ready, say hello, answer until the parent closes the socket."""
        _empty(Path(self._config.scratch))
        hello = self._prepare()
        wire.send(self._control, hello)
        if hello["fault"]:
            return
        requests: dict[str, Callable[[dict[str, Any]], Reply]] = {
            "case": self._case,
            "environment": self._environment,
            "fork": self._fork,
        }
        while (message := wire.receive(self._control)) is not None:
            header, (body,) = message
            reply, parts = requests[header["request"]](json.loads(body))
            wire.send(self._control, reply, *parts)
            _empty(Path(self._config.scratch))
            if not reply.get("clean", True):
                return  # what could not be ended is the parent's to end, with us

    def _prepare(self) -> wire.Header:
        missing = {}
        for name in self._config.preload:
            try:
                for part in (name, *_AT_FIRST_USE.get(name, ())):
                    importlib.import_module(part)
            except Exception as error:  # noqa: BLE001 - the probe's own import will say so too
                missing[name] = f"{type(error).__name__}: {error}"
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
        faulthandler.enable(file=2)
        surroundings.prepare_server()
        _keep_builtins()
        gc.collect()
        gc.freeze()
        collapsed = linux.collapse_memory() if self._config.huge_pages else 0
        linux.adopt_orphans()
        linux.set_dumpable(dumpable=False)
        threads = processes.thread_count()
        fault = ""
        if threads != 1:
            fault = f"after importing {', '.join(self._config.preload)} there are {threads} threads"
        return {
            "fault": fault,
            "python": platform.python_version(),
            "missing": missing,
            "collapsed": collapsed,
            "isolation": confine.name(self._layers),
        }

    def _case(self, job: dict[str, Any]) -> Reply:
        limits = Limits(**job["limits"])
        return self._run(functools.partial(case.run_case, job, limits), limits, job["device"])

    def _environment(self, body: dict[str, Any]) -> Reply:
        device, isolation = body["device"], confine.name(self._layers)
        task = functools.partial(devices.run_environment, device, isolation)
        return self._run(task, Limits(**body["limits"]), device)

    def _fork(self, _body: dict[str, Any]) -> Reply:
        """What a fork alone costs: the yardstick for everything else."""
        begun = time.perf_counter()
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
        return {"seconds": time.perf_counter() - begun}, []

    def _run(self, task: child.Task, limits: Limits, device: str) -> Reply:
        """Run a task in a child of its own."""
        pipes = [os.pipe() for _ in range(3)]
        birth = child.Birth(
            server=os.getpid(),
            begun=time.monotonic(),
            records=pipes[0][1],
            stdout=pipes[1][1],
            stderr=pipes[2][1],
            nonce=os.urandom(wire.NONCE_BYTES),
            scratch=self._config.scratch,
            allowance=self._allow(limits, device),
            layers=self._layers,
        )
        pid = os.fork()
        if pid == 0:
            child.live(birth, task)
        for _read, write in pipes:
            os.close(write)
        records, stdout, stderr = (read for read, _write in pipes)
        watch = Watch(
            pid, records=records, stdout=stdout, stderr=stderr, nonce=birth.nonce, limits=limits
        )
        try:
            reply = watch.until_end(self._control)
        finally:
            for read, _write in pipes:
                os.close(read)
        parts = [bytes(watch.stdout.kept), bytes(watch.stderr.kept), *watch.records.records]
        return reply, parts

    def _allow(self, limits: Limits, device: str) -> confine.Allowance:
        now = time.monotonic()
        if self._allowance is None or now > self._recount:
            self._allowance = confine.measure(limits, device)
            self._recount = now + _RECOUNT
        return dataclasses.replace(self._allowance, limits=limits, device=device)


def _keep_builtins() -> None:
    """Give our modules the builtins as they are now: a probe that replaces `bool` or
    `eval` must not change what we report of it.
    """
    builtin = {name: value for name, value in vars(builtins).items() if name[0] != "_"}
    for name, module in sys.modules.items():
        if name.startswith("verifier."):
            vars(module).update(builtin | vars(module))


def _empty(scratch: Path) -> None:
    """Make the scratch folder as new, whatever a probe has done to it."""
    if scratch.is_symlink() or scratch.is_file():
        scratch.unlink()
    scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    scratch.chmod(0o700)
    if any(scratch.iterdir()):
        _unlock(scratch)
        shutil.rmtree(scratch)  # if this fails we end, and a new server has a new folder
        scratch.mkdir(mode=0o700)


def _unlock(folder: Path) -> None:
    """Give back the right to remove what is in locked folders below one."""
    for place, names, _files in os.walk(folder):
        for path in (Path(place, name) for name in names):
            if not path.is_symlink():  # it may lead anywhere
                path.chmod(0o700)
