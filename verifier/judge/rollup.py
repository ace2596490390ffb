"""From the verdicts of cases to that of their claim, and to what a runner reports.

Both entrances, pytest and the command line, use the one table in :func:`outcome`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from verifier.model import Quantifier, Verdict

RunOutcome = Literal["passed", "xfailed", "failed", "error", "skipped"]

#: The first verdict in the row that some case has is the claim's. `every` falls
#: with one counterexample; `some` stands on one example, and falls only if
#: nothing is left that might have been one.
_PRECEDENCE: dict[Quantifier, tuple[Verdict, ...]] = {
    "every": (Verdict.REFUTED, Verdict.ERROR, Verdict.INCONCLUSIVE, Verdict.VERIFIED),
    "some": (Verdict.VERIFIED, Verdict.ERROR, Verdict.INCONCLUSIVE, Verdict.REFUTED),
}

#: (recorded, measured) where the measured verdict is what was to be expected.
_AS_EXPECTED: dict[tuple[Verdict | None, Verdict], RunOutcome] = {
    (Verdict.VERIFIED, Verdict.VERIFIED): "passed",
    (Verdict.REFUTED, Verdict.REFUTED): "xfailed",
    (None, Verdict.VERIFIED): "passed",
}


def roll_up(quantifier: Quantifier, verdicts: Sequence[Verdict]) -> Verdict:
    """The one verdict of a claim whose cases have `verdicts`, ``not-checked`` if none has."""
    for verdict in (*_PRECEDENCE[quantifier], Verdict.UNVERIFIABLE):
        if verdict in verdicts:
            return verdict
    return Verdict.NOT_CHECKED


def count(verdicts: Sequence[Verdict], verdict: Verdict = Verdict.VERIFIED) -> str:
    """How many cases have `verdict`: ``"3 of 4 cases, 1 not tried"``."""
    agreeing = verdicts.count(verdict)
    untried = verdicts.count(Verdict.NOT_CHECKED)
    text = f"{agreeing} of {len(verdicts)} {'case' if len(verdicts) == 1 else 'cases'}"
    if untried and verdict is not Verdict.NOT_CHECKED:
        text += f", {untried} not tried"
    return text


def outcome(recorded: Verdict | None, verdict: Verdict, reason: str = "") -> RunOutcome:
    """What a test runner reports for a case (or a claim) beside the ledger's verdict.

    A verdict that flips fails in either direction, and so does one that decides
    what is recorded as undecided. What does not decide is skipped whatever is
    recorded, except ``neither``: there the claim itself describes the world wrongly.
    """
    match verdict:
        case Verdict.ERROR:
            return "error"
        case Verdict.INCONCLUSIVE | Verdict.NOT_CHECKED | Verdict.UNVERIFIABLE:
            return "failed" if reason == "neither" else "skipped"
    return _AS_EXPECTED.get((recorded, verdict), "failed")


def agrees(recorded: Verdict | None, measured: Verdict, reason: str = "") -> bool:
    """Whether a measured verdict is no news beside the recorded one."""
    return outcome(recorded, measured, reason) not in ("failed", "error")
