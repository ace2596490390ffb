"""A strip of measured ratios with their interval, as numbers for an SVG."""

from __future__ import annotations

import math
from typing import NamedTuple

from verifier.model import CaseResult
from verifier.report import cases
from verifier.report.strings import text

#: The plot's width in its own units, and the room left at either end.
WIDTH, MARGIN = 640, 12
_SHOWN = 200


class Timing(NamedTuple):
    """What was measured, and where it stands in a plot `WIDTH` wide."""

    words: str
    points: list[str]
    band: tuple[str, str] | None  # x, width
    one: str  # where the two times are equal
    description: str


def timing(case: CaseResult) -> Timing | None:
    """The plot of the samples of `case`, ratios of times; None where nothing was timed."""
    shown = [each for each in case.samples if math.isfinite(each)][:_SHOWN]
    if not shown:
        return None
    ends = [each for each in case.interval or () if math.isfinite(each)]
    low, high = min(*shown, *ends, 1.0), max(*shown, *ends, 1.0)
    scale = (WIDTH - 2 * MARGIN) / ((high - low) or 1.0)

    def x(ratio: float) -> str:
        return f"{MARGIN + (min(max(ratio, low), high) - low) * scale:.1f}"

    first, last = case.interval or (low, high)
    return Timing(
        words=cases.measured(case),
        points=[x(each) for each in shown],
        band=(x(first), f"{float(x(last)) - float(x(first)):.1f}") if case.interval else None,
        one=x(1.0),
        description=text(
            "timing.plot",
            n=len(shown),
            low=cases.number(min(shown)),
            high=cases.number(max(shown)),
            first=cases.number(first),
            last=cases.number(last),
        ),
    )
