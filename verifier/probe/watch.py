"""Watch one child from the server: take what it writes, enforce limits, end it.

The child is believed in nothing but its records. That it ended, how, and why it
was killed come from the kernel.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import time
from typing import Any

from verifier.probe import processes
from verifier.probe.limits import Limits
from verifier.probe.wire import RecordReader

_CHUNK = 1 << 16
#: Seconds between two looks at the case's processes.
_TICK = 0.05


class ParentGone(Exception):  # noqa: N818 - it is an event
    """Nobody waits for the answer any more."""


class Output:
    """One output stream: the beginning is kept, the rest counted."""

    def __init__(self, keep: int) -> None:
        self.kept = bytearray()
        self.total = 0
        self._keep = keep

    @property
    def dropped(self) -> int:
        """Bytes beyond what is kept."""
        return self.total - len(self.kept)

    def feed(self, data: bytes) -> None:
        """Take bytes as they come."""
        self.total += len(data)
        self.kept += data[: self._keep - len(self.kept)]


class Watch:
    """One child from fork to end. `records`, `stdout` and `stderr` are pipes' reading ends."""

    def __init__(
        self, pid: int, *, records: int, stdout: int, stderr: int, nonce: bytes, limits: Limits
    ) -> None:
        self.pid = pid
        self.limits = limits
        self.records = RecordReader(nonce, limits.record, limits.records)
        self.stdout = Output(limits.output)
        self.stderr = Output(limits.output)
        self.killed = ""
        self.detail = ""
        self._sinks: dict[int, RecordReader | Output] = {
            records: self.records,
            stdout: self.stdout,
            stderr: self.stderr,
        }

    def until_end(self, parent: socket.socket) -> dict[str, Any]:
        """Wait for the end, kill what is left, and say how it went.

        Raises ParentGone, after killing, when `parent` hangs up.
        """
        pidfd = os.pidfd_open(self.pid)
        try:
            is_parent_there = self._attend(pidfd, parent.fileno())
        finally:
            os.close(pidfd)
        # While the child is unreaped its number cannot be anybody else's group.
        self._kill_group()
        _pid, status, usage = os.wait4(self.pid, 0)
        is_clean = processes.end_descendants()
        for fd in tuple(self._sinks):
            self._drain(fd)
        self.records.finish()
        if not is_parent_there:
            raise ParentGone
        return {
            "killed": self.killed,
            "detail": self.detail,
            "status": status,
            "cpu": usage.ru_utime + usage.ru_stime,
            "ended": self.records.ended,
            "fault": self.records.fault,
            "dropped": self.stdout.dropped + self.stderr.dropped,
            "clean": is_clean,
        }

    def _attend(self, pidfd: int, parent: int) -> bool:
        """Serve the pipes until the child ends or is killed; False if the parent went."""
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        poll.register(parent, select.POLLRDHUP)
        for fd in self._sinks:
            poll.register(fd, select.POLLIN)
        deadline = time.monotonic() + self.limits.wall
        look = time.monotonic() + _TICK
        while not self.killed:
            now = time.monotonic()
            events = dict(poll.poll(max(0.0, min(deadline, look) - now) * 1000))
            for fd in self._sinks.keys() & events.keys():
                if not self._take(fd):
                    poll.unregister(fd)
            if parent in events:
                return False
            if pidfd in events:
                return True
            now = time.monotonic()
            if now >= deadline:
                self._kill("timeout", f"no end within {self.limits.wall:g} s")
            elif now >= look:
                self._look()
                look = now + _TICK
        return True

    def _take(self, fd: int) -> bool:
        """Read once; False at the end of the stream."""
        data = os.read(fd, _CHUNK)
        sink = self._sinks[fd]
        sink.feed(data)
        most = self.limits.output * self.limits.flood
        if isinstance(sink, Output) and sink.total > most and not self.killed:
            self._kill("output-limit", f"printed more than {most} bytes")
        return bool(data)

    def _drain(self, fd: int) -> None:
        """Read what a pipe still holds; all who could write are dead."""
        os.set_blocking(fd, False)
        with contextlib.suppress(BlockingIOError):
            while self._take(fd):
                pass

    def _look(self) -> None:
        """Compare the processes of the case with its limits."""
        pids = processes.descendants(os.getpid())
        if len(pids) > self.limits.processes:
            self._kill("memory-limit", f"ran more than {self.limits.processes} processes")
        elif processes.exceeds(pids, self.limits.case_memory):
            megabytes = self.limits.case_memory >> 20
            self._kill("memory-limit", f"its processes used more than {megabytes} MB of memory")

    def _kill(self, outcome: str, detail: str) -> None:
        self.killed, self.detail = outcome, detail
        self._kill_group()

    def _kill_group(self) -> None:
        for end in (os.killpg, os.kill):  # before setsid the child has no group of its own
            with contextlib.suppress(ProcessLookupError):
                end(self.pid, signal.SIGKILL)
