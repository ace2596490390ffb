"""Processes as /proc shows them: who descends from whom, their memory, their end."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterable
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")
#: Processes that multiply must not keep the one who lists them busy for ever.
_MOST_LISTED = 4096
#: A process may end while one reads about it.
_GONE = (FileNotFoundError, ProcessLookupError, PermissionError)


def thread_count(pid: int | None = None) -> int:
    """The threads of a process, by default of this one."""
    return len(numbers(f"/proc/{pid or 'self'}/task"))


def of_user(uid: int) -> list[int]:
    """The processes of a user."""
    found = []
    for pid in numbers("/proc"):
        with contextlib.suppress(*_GONE):
            if Path(f"/proc/{pid}").stat().st_uid == uid:
                found.append(pid)
    return found


def numbers(folder: str) -> list[int]:
    """The entries of a folder that are numbers, as processes and threads in /proc are."""
    with contextlib.suppress(*_GONE):
        return [int(path.name) for path in Path(folder).iterdir() if path.name.isdecimal()]
    return []


def children(pid: int) -> list[int]:
    """The direct children of a process, adopted ones included."""
    found: list[int] = []
    with contextlib.suppress(*_GONE):
        for task in numbers(f"/proc/{pid}/task"):
            found += map(int, Path(f"/proc/{pid}/task/{task}/children").read_text().split())
    return found


def descendants(pid: int) -> list[int]:
    """All processes below one, at least the first thousands of them."""
    found = children(pid)
    for each in found:  # the list grows as one goes
        if len(found) > _MOST_LISTED:
            break
        found += children(each)
    return found


def resident(pid: int) -> int:
    """Bytes of a process in memory, pages shared with others included."""
    with contextlib.suppress(*_GONE):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    return 0


def proportional(pid: int) -> int:
    """Bytes of a process in memory, shared pages divided by those who share them."""
    with contextlib.suppress(*_GONE):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0


def exceeds(pids: Iterable[int], limit: int) -> bool:
    """Whether processes together use more than `limit` bytes of memory.

    Resident size counts shared pages in each process and is cheap; only when it
    exceeds the limit is the proportional size, which is right, worth its cost.
    """
    pids = list(pids)
    return sum(map(resident, pids)) > limit and sum(map(proportional, pids)) > limit


def kill(find: Callable[[], Iterable[int]], deadline: float) -> None:
    """End the processes that `find` lists, and those that they fork meanwhile.

    All are stopped before any is killed: a stopped one cannot fork, so that even
    processes that multiply are all stopped in the end. `deadline` is in seconds
    of the monotonic clock.
    """
    stopped: set[int] = set()
    while running := set(find()) - stopped:
        for pid in running:
            _signal(pid, signal.SIGSTOP)
        stopped |= running
        if time.monotonic() > deadline:
            break
    for pid in stopped:
        _signal(pid, signal.SIGKILL)


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(*_GONE):
        os.kill(pid, number)


def end_descendants(seconds: float = 5.0) -> bool:
    """End and reap every process below this one; False if some are still there."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return True
        if time.monotonic() > deadline:
            return False
        kill(lambda: descendants(os.getpid()), deadline)
        time.sleep(0.001)


def end_marked(mark: str, seconds: float = 5.0) -> bool:
    """End every process of this user that was started with `mark` in its environment.

    For what a dead fork server leaves behind. False if some are still there.
    """
    deadline = time.monotonic() + seconds
    while marked(mark):
        if time.monotonic() > deadline:
            return False
        kill(lambda: marked(mark), deadline)
        time.sleep(0.005)
    return True


def marked(mark: str) -> list[int]:
    """The processes that were started with `mark` in their environment."""
    found = []
    for pid in numbers("/proc"):
        with contextlib.suppress(*_GONE):
            # A zombie has no environment left, so it is not found again.
            if mark.encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                found.append(pid)
    return found
