"""A strip of measured ratios with their interval, as numbers for an SVG."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from verifier.report.strings import text

#: The plot's width in its own units, and the room left at either end.
WIDTH, MARGIN = 640, 12
_SHOWN = 200


class Timing(NamedTuple):
    """What was measured, and where it stands in a plot `WIDTH` wide."""

    median: str
    interval: str
    samples: list[str]
    points: list[str]
    band: tuple[str, str] | None  # x, width
    one: str  # where the two times are equal
    description: str
    title: str


def timing(samples: Sequence[float], interval: tuple[float, float] | None) -> Timing | None:
    """The plot of `samples`, ratios of times; None where nothing was timed."""
    shown = [each for each in samples if math.isfinite(each)][:_SHOWN]
    if not shown:
        return None
    ends = [each for each in interval or () if math.isfinite(each)]
    low, high = min(*shown, *ends, 1.0), max(*shown, *ends, 1.0)
    scale = (WIDTH - 2 * MARGIN) / ((high - low) or 1.0)

    def x(value: float) -> str:
        return f"{MARGIN + (min(max(value, low), high) - low) * scale:.1f}"

    first, last = interval or (low, high)
    return Timing(
        median=_number(statistics.median(shown)),
        interval=f"{_number(first)} to {_number(last)}" if interval else "",
        samples=[_number(each) for each in shown],
        points=[x(each) for each in shown],
        band=(x(first), f"{float(x(last)) - float(x(first)):.1f}") if interval else None,
        one=x(1.0),
        description=text(
            "timing.plot",
            n=len(shown),
            low=_number(min(shown)),
            high=_number(max(shown)),
            first=_number(first),
            last=_number(last),
        ),
        title=text("timing.samples", n=len(samples)),
    )


def _number(value: float) -> str:
    return f"{value:.3f}"
