"""Decide a comparison of run times from epochs, whenever one looks.

Each epoch is a median of log(time of first / time of second) over blocks whose
order a coin decided. If the first side costs exactly exp(theta) times the
second, exchanging the two changes nothing, so that an epoch lies symmetrically
round theta whatever the noise is. Bets on the sign of ``epoch - theta`` that
are bounded and odd then win nothing on average, and their capital reaches
1/alpha with probability at most alpha, however often one looks and for as long
as one continues (Ville's inequality; Vovk & Wang, "Nonparametric e-tests of
symmetry", arXiv 2208.08925; confidence sequences: Howard & Ramdas, "Time-uniform
Chernoff bounds", 2022).

The guarantee needs epochs without correlated signed errors, and a margin well
inside the effect. A true ratio at the margin is meant to stay undecided.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from verifier.model import Faster, Noun, SameCost, Slower, Timing

#: The probability of a wrong decision, for either direction.
ALPHA = 0.01

#: Scales of the bets in units of a log ratio; the capital is spread over them,
#: so that nothing need be known about the noise.
_SCALES = (5.0, 15.0, 50.0, 150.0)

#: Less than 1, so that one wild epoch does not lose all capital for ever.
_STAKE = 0.98

#: Farther from all epochs than this, in log ratios, every bet is won in full.
_FAR = 3.0
#: Enough for a bound that is exact to a millionth.
_BISECTIONS = 22


class Decision(Noun, frozen=True, kw_only=True):
    """What epochs say about a comparison.

    `holds` is None while undecided, and `reason` says why that is so or why no clock
    was needed. `ratio` is time of first / time of second, the median over `epochs`
    (its logarithms), and `label` says in words about the second side where that
    lies. `interval` bounds the ratio, each bound being wrong with a probability of
    at most `ALPHA` at any time of stopping; it is None while the epochs are too few.
    """

    holds: bool | None
    label: str
    reason: str = ""
    ratio: float | None = None
    interval: tuple[float, float] | None = None
    epochs: tuple[float, ...] = ()
    clock: str = ""

    @property
    def ratios(self) -> tuple[float, ...]:
        """The epochs as ratios of times."""
        return tuple(map(math.exp, self.epochs))


def decide(check: Faster | Slower | SameCost, timing: Timing) -> Decision:
    """Decide a `faster`, `slower` or `same_cost` from what was timed so far."""
    if timing.identical:
        return Decision(
            holds=isinstance(check, SameCost),
            label="as fast as the other",
            reason=timing.identical,
            ratio=1.0,
            interval=(1.0, 1.0),
        )
    clock, epochs = _chosen(timing)
    if not epochs:
        return Decision(holds=None, label="unknown", reason="no epoch could be timed")
    margin = math.log1p(check.margin)
    holds = _holds(check, epochs, margin)
    bounds = confidence_interval(epochs)
    middle = statistics.median(epochs)
    return Decision(
        holds=holds,
        label=_label(middle, margin, percent(check.margin)),
        reason="" if holds is not None else _why_undecided(bounds),
        ratio=math.exp(middle),
        interval=bounds and (math.exp(bounds[0]), math.exp(bounds[1])),
        epochs=epochs,
        clock=clock,
    )


def percent(fraction: float) -> str:
    """A margin as people write it: ``5 %``."""
    return f"{100 * fraction:g} %"


def evidence_above(epochs: Sequence[float], theta: float) -> float:
    """The greatest capital so far of bets against "the log ratio is at most `theta`".

    It does not increase with `theta`, so that what is shown to lie above one value
    is shown to lie above all smaller ones.
    """
    capital = [1.0] * len(_SCALES)
    greatest = 1.0
    for epoch in epochs:
        capital = [
            money * (1 + _STAKE * math.tanh(scale * (epoch - theta)))
            for money, scale in zip(capital, _SCALES, strict=True)
        ]
        greatest = max(greatest, sum(capital) / len(capital))
    return greatest


def evidence_below(epochs: Sequence[float], theta: float) -> float:
    """The greatest capital so far of bets against "the log ratio is at least `theta`"."""
    return evidence_above([-epoch for epoch in epochs], -theta)


def confidence_interval(
    epochs: Sequence[float], alpha: float = ALPHA
) -> tuple[float, float] | None:
    """The log ratios that no bet has ruled out; None while one side is unbounded."""
    lower = _lower_bound(epochs, alpha)
    upper = _lower_bound([-epoch for epoch in epochs], alpha)
    if lower is None or upper is None:
        return None
    # Epochs that contradict each other may rule out everything: say between what.
    return (lower, -upper) if lower <= -upper else (-upper, lower)


def _lower_bound(epochs: Sequence[float], alpha: float) -> float | None:
    if not epochs:
        return None
    low, high = min(epochs) - _FAR, max(epochs)
    if evidence_above(epochs, low) < 1 / alpha:
        return None
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if evidence_above(epochs, middle) >= 1 / alpha:
            low = middle
        else:
            high = middle
    return low


def _chosen(timing: Timing) -> tuple[str, tuple[float, ...]]:
    """The CPU clock for work of one thread, wherever it saw every epoch."""
    if timing.threads == 1 and timing.cpu and len(timing.cpu) == len(timing.wall):
        return "CPU", timing.cpu
    return "wall", timing.wall


def _holds(
    check: Faster | Slower | SameCost, epochs: Sequence[float], margin: float
) -> bool | None:
    match check:
        case Faster():
            return _either(evidence_above(epochs, margin), evidence_below(epochs, margin))
        case Slower():
            return _either(evidence_below(epochs, -margin), evidence_above(epochs, -margin))
        case SameCost():
            return _same_cost(epochs, margin)


def _either(for_it: float, against: float) -> bool | None:
    shown, refuted = for_it >= 1 / ALPHA, against >= 1 / ALPHA
    return shown if shown != refuted else None


def _same_cost(epochs: Sequence[float], margin: float) -> bool | None:
    """Two one-sided tests need no correction; "one of two sides is outside" does."""
    inside = min(evidence_below(epochs, margin), evidence_above(epochs, -margin))
    outside = max(evidence_above(epochs, margin), evidence_below(epochs, -margin))
    shown, refuted = inside >= 1 / ALPHA, outside >= 2 / ALPHA
    return shown if shown != refuted else None


def _label(middle: float, margin: float, limit: str) -> str:
    if middle > margin:
        return f"faster by more than {limit}"
    if middle < -margin:
        return f"slower by more than {limit}"
    return f"as fast within {limit}"


def _why_undecided(bounds: tuple[float, float] | None) -> str:
    if bounds is None:
        return "too few epochs were timed"
    return "the interval measured reaches across the margin"
