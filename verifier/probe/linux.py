"""The few system calls that Python does not offer."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
_LIBC.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38

_MADV_COLLAPSE = 25
_HUGE_PAGE = 2 << 20


def die_with_parent(signal: int) -> None:
    """Be sent `signal` when the thread that forked this process ends."""
    _prctl(_PR_SET_PDEATHSIG, signal)


def set_dumpable(*, dumpable: bool) -> None:
    """Let other processes of this user read this one's memory and descriptors, or not."""
    _prctl(_PR_SET_DUMPABLE, int(dumpable))


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, so that none escapes."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def forbid_new_privileges() -> None:
    """Let no program that this process starts gain rights."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def collapse_memory() -> int:
    """Put this process's own memory on huge pages, and return how many bytes.

    A fork copies page tables, and that is most of what it costs after ``import
    torch``; huge pages need 512 times fewer. The kernel has this since 6.1;
    an older one refuses, and forks just cost more.
    """
    done = 0
    for line in Path("/proc/self/maps").read_text().splitlines():
        place, rights, _offset, _device, inode, *_name = line.split()
        if rights != "rw-p" or inode != "0":
            continue
        low, high = (int(end, 16) for end in place.split("-"))
        first = -(-low // _HUGE_PAGE) * _HUGE_PAGE
        size = high // _HUGE_PAGE * _HUGE_PAGE - first
        if size > 0 and _madvise(first, size):
            done += size
    return done


def _madvise(address: int, size: int) -> bool:
    return bool(_LIBC.madvise(address, size, _MADV_COLLAPSE) == 0)


def _prctl(option: int, value: int) -> None:
    if _LIBC.prctl(option, value, 0, 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), f"prctl {option}")
