"""Layers of confinement, applied in the child before any foreign code runs.

Each layer can tell whether this machine has it and apply itself to the calling
process. `LAYERS` is tried in order, strongest last; the names of those in force
are what results call the isolation. Today there is one layer, ``process``: it
contains accidents (crashes, endless loops, floods), not malice.
"""

from __future__ import annotations

import dataclasses
import math
import os
import resource
from collections.abc import Callable
from pathlib import Path

from verifier.probe import linux, processes
from verifier.probe.limits import Limits

_PAGE = os.sysconf("SC_PAGE_SIZE")
#: Everything else that the user runs counts against RLIMIT_NPROC too.
_OTHER_PROCESSES = 256


@dataclasses.dataclass(frozen=True, kw_only=True)
class Allowance:
    """The limits of a case, and what they are counted from in this server.

    `size` and `data` are the server's own virtual and data size in bytes,
    `processes` the user's processes; a fork begins with all three.
    """

    limits: Limits
    device: str
    size: int
    data: int
    processes: int


@dataclasses.dataclass(frozen=True)
class Layer:
    """One kind of confinement."""

    name: str
    works: Callable[[], bool]
    apply: Callable[[Allowance], None]


def measure(limits: Limits, device: str) -> Allowance:
    """The allowance for a fork of this process."""
    fields = Path("/proc/self/statm").read_text().split()
    return Allowance(
        limits=limits,
        device=device,
        size=int(fields[0]) * _PAGE,
        data=int(fields[5]) * _PAGE,
        processes=_threads_of_user() if os.getuid() else 0,
    )


def _limit_process(allowance: Allowance) -> None:
    limits = allowance.limits
    seconds = math.ceil(limits.cpu)
    # The soft limit kills by SIGXCPU, which names the reason; the hard one
    # kills a probe that ignores it.
    _limit(resource.RLIMIT_CPU, seconds, seconds + 1)
    _limit(resource.RLIMIT_FSIZE, limits.file)
    _limit(resource.RLIMIT_CORE, 0)
    if allowance.device == "cpu":
        _limit(resource.RLIMIT_AS, allowance.size + limits.memory)
    else:  # accelerators reserve address space far beyond what they use
        _limit(resource.RLIMIT_DATA, allowance.data + limits.memory)
    if os.getuid():  # the kernel exempts root
        _limit(resource.RLIMIT_NPROC, allowance.processes + limits.processes + _OTHER_PROCESSES)
    linux.forbid_new_privileges()


def _limit(kind: int, soft: int, hard: int | None = None) -> None:
    """Set a limit, or keep a lower one that is already there."""
    _soft, highest = resource.getrlimit(kind)
    hard = soft if hard is None else hard
    if highest != resource.RLIM_INFINITY:
        soft, hard = min(soft, highest), min(hard, highest)
    resource.setrlimit(kind, (soft, hard))


def _threads_of_user() -> int:
    """How many threads this user has; each counts as a process to the kernel."""
    return sum(map(processes.thread_count, processes.of_user(os.getuid())))


LAYERS: tuple[Layer, ...] = (Layer("process", lambda: True, _limit_process),)


def working() -> tuple[Layer, ...]:
    """The layers that this machine has, found by trying."""
    return tuple(layer for layer in LAYERS if layer.works())


def name(layers: tuple[Layer, ...]) -> str:
    """How results call this isolation."""
    return "+".join(layer.name for layer in layers)
