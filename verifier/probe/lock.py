"""One lock per user and machine: cases share it, a timing case has it alone.

A readers-writer lock made of two files. Whoever comes takes the turnstile
first; one who wants to be alone keeps it while the others leave, so that later
ones wait behind and timing cases do not starve. The kernel releases the locks
of a process that dies.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path


class LockFolderError(OSError):
    """The folder of the lock cannot be trusted; the message has the remedy."""


class CaseLock:
    """The lock as seen by one executor. Each executor needs its own."""

    def __init__(self, folder: Path | None = None) -> None:
        directory = _open_private(folder or default_folder())
        try:
            self._turnstile = _open_file("turnstile", directory)
            self._cases = _open_file("cases", directory)
        finally:
            os.close(directory)

    @contextlib.contextmanager
    def shared(self) -> Iterator[float]:
        """Hold the lock along with others; gives the seconds it had to wait."""
        with self._held(fcntl.LOCK_SH) as waited:
            yield waited

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[float]:
        """Hold the lock alone; gives the seconds it had to wait."""
        with self._held(fcntl.LOCK_EX) as waited:
            yield waited

    @contextlib.contextmanager
    def _held(self, kind: int) -> Iterator[float]:
        begun = time.monotonic()
        try:
            _flock(self._turnstile, fcntl.LOCK_EX)
            try:
                _flock(self._cases, kind)
            finally:
                _flock(self._turnstile, fcntl.LOCK_UN)
            yield time.monotonic() - begun
        finally:
            _flock(self._cases, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the files; a second call does nothing."""
        for fd in (self._turnstile, self._cases):
            if fd >= 0:
                os.close(fd)
        self._turnstile = self._cases = -1


def _flock(fd: int, operation: int) -> None:
    """As `fcntl.flock`, also for a file that another thread has closed: OSError."""
    if fd < 0:
        raise OSError(errno.EBADF, "the lock is closed")
    fcntl.flock(fd, operation)


def default_folder() -> Path:
    """The folder of this user's locks, in the system's folder for temporary files."""
    return Path(tempfile.gettempdir(), f"verifier-{os.getuid()}")


def _open_private(folder: Path) -> int:
    """Open a folder that only this user can write to; make it if need be."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    try:
        directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise _not_ours(folder) from error
    status = os.fstat(directory)
    if status.st_uid != os.getuid():
        os.close(directory)
        raise _not_ours(folder)
    if stat.S_IMODE(status.st_mode) & 0o077:
        os.fchmod(directory, 0o700)
    return directory


def _open_file(name: str, directory: int) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(name, flags, 0o600, dir_fd=directory)


def _not_ours(folder: Path) -> LockFolderError:
    return LockFolderError(
        f"{folder} is not a folder of yours, so it cannot hold the lock for timing: "
        "remove it, or set TMPDIR to a folder of your own"
    )
