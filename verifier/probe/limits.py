"""What a case may use. All defaults are here."""

from __future__ import annotations

import dataclasses
from typing import Protocol

MEGABYTE = 1 << 20
#: Eleven days: the clocks of the operating system cannot count to any number.
_LONGEST = 1e6


class LimitSettings(Protocol):
    """The settings of a project that change limits."""

    @property
    def timeout(self) -> float | None:
        """Seconds per case."""

    @property
    def memory(self) -> int | None:
        """Megabytes per process."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of one case. Times are seconds, sizes bytes.

    `wall` is generous and `cpu` the one that matters: a busy machine makes a
    case slow, not wrong. `memory` is what one process may have beyond the fork
    server's own size, `case_memory` the sum over all processes of the case.
    `output` is kept of each of stdout and stderr; the case ends at
    `output` * `flood`. `seconds` and `epochs` bound the timing in one child.
    """

    wall: float = 10.0
    cpu: float = 10.0
    memory: int = 2048 * MEGABYTE
    case_memory: int = 3072 * MEGABYTE
    processes: int = 64
    file: int = 64 * MEGABYTE
    output: int = 256 * 1024
    flood: int = 16
    record: int = 64 * 1024
    records: int = 4 * MEGABYTE
    seconds: float = 0.5
    epochs: int = 6

    @classmethod
    def of(cls, settings: LimitSettings) -> Limits:
        """The defaults with what a project's settings change."""
        limits = cls()
        if settings.timeout is not None:
            limits = limits.within(settings.timeout)
        if settings.memory is not None:
            memory = settings.memory * MEGABYTE
            case_memory = max(limits.case_memory, memory)
            limits = dataclasses.replace(limits, memory=memory, case_memory=case_memory)
        return limits

    def within(self, seconds: float) -> Limits:
        """The same limits with another time limit, for the wall clock and the CPU."""
        seconds = min(seconds, _LONGEST)
        return dataclasses.replace(self, wall=seconds, cpu=seconds)
