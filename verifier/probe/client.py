"""The parent's hold on one fork server: start it, ask it, end it without a trace."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import site
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from verifier.probe import processes, wire

#: Everything a probe sees of the user's environment; nothing that holds a secret.
_ALLOWED = (
    "PATH",
    "LANG",
    "LANGUAGE",
    "TZ",
    "VIRTUAL_ENV",
    "LD_LIBRARY_PATH",
    "CUDA_HOME",
    "CUDA_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "NVIDIA_VISIBLE_DEVICES",
    "ZE_AFFINITY_MASK",
)
_FIXED = {
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    # Ask the driver's library, not the driver: that would end the server's use.
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
}
_START_SECONDS = 120.0
_CLOSE_SECONDS = 5.0
_LOG_TAIL = 2000


class ServerUnavailable(Exception):  # noqa: N818 - a state, told to people
    """The server cannot be started. The message says why and what to do."""


class ServerProcess:
    """A running fork server. Raises ServerUnavailable if it does not get ready.

    `hello` is what it said of itself.
    """

    def __init__(self, python: str, preload: tuple[str, ...], *, huge_pages: bool = True) -> None:
        if sys.platform != "linux":
            raise ServerUnavailable(
                f"probes run on Linux only, this is {sys.platform}: use a container or WSL 2"
            )
        self._python = python
        self._mark = f"VERIFIER_SERVER={secrets.token_hex(16)}"
        self._root = Path(tempfile.mkdtemp(prefix="verifier-"))
        config = {
            "root": str(self._root),
            "scratch": str(self._root / "scratch"),
            "parent": os.getpid(),
            "preload": preload,
            "huge_pages": huge_pages,
        }
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = self._start(theirs, json.dumps(config))
        self.hello = self._greet()

    @property
    def pid(self) -> int:
        """The server's process id."""
        return self._process.pid

    def ask(self, request: str, body: bytes, seconds: float) -> wire.Message | None:
        """Send a request and wait for the reply. None: the server is dead, and ended.

        A server that does not answer within `seconds` counts as dead.
        """
        reply = None
        try:
            if wire.send(self._socket, {"request": request}, body):
                reply = wire.receive(self._socket, time.monotonic() + seconds)
        except TimeoutError:
            pass
        except BaseException:  # Ctrl-C among others: the answer would come too late
            self.kill()
            raise
        if reply is None or not reply[0].get("clean", True):
            self.kill()
        return reply

    def close(self) -> None:
        """Let the server end by itself; kill it if it does not."""
        self._hang_up()
        try:
            self._process.wait(_CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
        self._forget()

    def kill(self) -> None:
        """End the server and whatever it has started, and remove its folder."""
        self._hang_up()
        if self.is_alive:
            # The server first: stopped, it forks no more.
            deadline = time.monotonic() + _CLOSE_SECONDS
            processes.kill(lambda: [self.pid, *processes.descendants(self.pid)], deadline)
        self._process.wait()
        processes.end_marked(self._mark)
        self._forget()

    def _hang_up(self) -> None:
        """End the talk for both sides, and for a thread of ours that still listens."""
        with contextlib.suppress(OSError):  # the server may have gone first
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    @property
    def is_alive(self) -> bool:
        """Whether the server still runs."""
        return self._process.poll() is None

    def _forget(self) -> None:
        shutil.rmtree(self._root, ignore_errors=True)

    def _start(self, theirs: socket.socket, config: str) -> subprocess.Popen[bytes]:
        boot = Path(__file__).with_name("boot.py")
        options = ["-P"] if site.ENABLE_USER_SITE else ["-P", "-s"]
        command = [self._python, *options, str(boot), str(theirs.fileno()), config]
        try:
            with self._log.open("wb") as log:
                return subprocess.Popen(
                    command,
                    env=self._environment(),
                    cwd=self._root,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=log,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                )
        except OSError as error:
            self._socket.close()
            self._forget()
            raise self._unavailable(str(error)) from error

    def _greet(self) -> dict[str, Any]:
        try:
            message = wire.receive(self._socket, time.monotonic() + _START_SECONDS)
            trouble = message[0]["fault"] if message else self._last_words()
        except TimeoutError:
            trouble = f"it is not ready after {_START_SECONDS:g} s"
        except BaseException:
            self.kill()
            raise
        if trouble or message is None:
            self.kill()
            raise self._unavailable(trouble)
        return message[0]

    def _last_words(self) -> str:
        # Dead, or alive and talking what we do not understand: it ends in either case.
        self._process.kill()
        self._process.wait()
        lines = self._log.read_bytes()[-_LOG_TAIL:].decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else f"it ended with status {self._process.returncode}"

    def _unavailable(self, trouble: str) -> ServerUnavailable:
        return ServerUnavailable(
            f"the fork server cannot start: {trouble}. "
            f"Check that {self._python} is a working Python 3.11 or later"
        )

    @property
    def _log(self) -> Path:
        return self._root / "server.log"

    def _environment(self) -> dict[str, str]:
        allowed = {
            name: value
            for name, value in os.environ.items()
            if name in _ALLOWED or name.startswith("LC_")
        }
        scratch = str(self._root / "scratch")
        private = {"HOME": scratch, "TMPDIR": scratch}
        if site.ENABLE_USER_SITE:  # with another home Python would not find it
            private["PYTHONUSERBASE"] = site.getuserbase()
        name, _, value = self._mark.partition("=")
        return allowed | _FIXED | private | {name: value}
