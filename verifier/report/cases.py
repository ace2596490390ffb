"""What cases showed, in words that every report shares."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from verifier.model import CaseResult, ClaimResult, Evidence, Operand, Verdict
from verifier.report.strings import text

#: A value up to this long tells something at a glance; a tensor in full does not.
_GLANCE = 40
#: Names of cases in a sentence.
_NAMES = 4


class Untried(NamedTuple):
    """Cases of one claim that could not be tried, all for one reason."""

    words: str
    why: str
    cases: str  # their names


class Share(NamedTuple):
    """The cases of a claim that have one verdict, and what they have in common."""

    verdict: Verdict
    words: str


def why(case: CaseResult) -> str:
    """The reason for the verdict, without what `expected` and `observed` say already."""
    if not case.reason:
        return ""
    words = case.detail
    for evidence in case.evidence:
        words = words.removesuffix(evidence.detail)
    return words.strip() or case.reason


def decisive(case: CaseResult) -> Evidence | None:
    """The check on which the verdict rests: the first that fails, if any does."""
    failing = [each for each in case.evidence if each.holds is False]
    for role in ("precondition", "control", "expect", "refuted_by"):
        for evidence in failing:
            if evidence.role == role:
                return evidence
    return None


def seen(case: CaseResult) -> str:
    """What was observed, at a glance: long values only where there is nothing else."""
    found = decisive(case)
    short = [each for each in found.operands if len(each.value) <= _GLANCE] if found else []
    if not short or case.verdict != Verdict.REFUTED:
        return case.observed
    # Whatever is more than a name says more about why the check fails.
    short.sort(key=lambda operand: operand.code.isidentifier())
    return "; ".join(map(_equation, short))


def _equation(operand: Operand) -> str:
    return text("case.operand", code=operand.code, value=operand.value)


def measured(case: CaseResult, *, brief: bool = False) -> str:
    """The ratio of the times of a timing case, its interval and its epochs; else empty.

    In `brief` without the two sides: time of the first to time of the second.
    """
    ratios = [ratio for ratio in case.samples if math.isfinite(ratio)]
    if not ratios:
        return ""
    first, second = _sides(case)
    ratio = number(statistics.median(ratios))
    words = (
        text("timing.brief", ratio=ratio)
        if brief
        else text("timing.measured", first=first, second=second, ratio=ratio)
    )
    if case.interval:
        words += f" [{', '.join(map(number, case.interval))}]"
    return f"{words}, {text('timing.epochs', n=len(ratios))}"


def number(ratio: float) -> str:
    """A ratio to a precision that a reader can use."""
    return f"{ratio:.2f}" if 0.1 <= ratio < 100 else f"{ratio:.3g}"


def _sides(case: CaseResult) -> tuple[str, str]:
    """The two pieces of code that were timed, where the evidence names just two."""
    pairs = {
        (lines[0], lines[1])
        for evidence in case.evidence
        for lines in [evidence.code.splitlines()]
        if len(lines) == 2 and all(f"`{line.strip()}`" in evidence.detail for line in lines)
    }
    if len(pairs) == 1:
        ((first, second),) = pairs
        return f"`{first.strip()}`", f"`{second.strip()}`"
    return text("timing.first"), text("timing.second")


def obstacle(case: CaseResult) -> tuple[str, str]:
    """The device that a case lacked (empty if none), and why it was not tried."""
    device = str(case.params.get("device", "")) if case.reason == "no-device" else ""
    return device, case.detail or case.reason or text("verdict.not-checked")


def untried(cases: Iterable[CaseResult]) -> list[Untried]:
    """The cases that were not tried, those with the same reason together."""
    groups: dict[tuple[str, str], list[str]] = {}
    for case in cases:
        if case.verdict == Verdict.NOT_CHECKED:
            groups.setdefault(obstacle(case), []).append(case.id)
    return [
        Untried(
            text("claim.untried-on", n=len(ids), device=device)
            if device
            else text("claim.untried", n=len(ids)),
            reason,
            names(ids),
        )
        for (device, reason), ids in groups.items()
    ]


def names(ids: Sequence[str]) -> str:
    """Names of cases, of many only the first few."""
    if len(ids) <= _NAMES:
        return ", ".join(ids)
    shown = ", ".join(ids[: _NAMES - 1])
    return text("claim.and-more", first=shown, n=len(ids) - _NAMES + 1)


def shares(claim: ClaimResult) -> list[Share]:
    """For which cases a statement holds and for which not; empty where all agree."""
    tried = [case for case in claim.cases if case.verdict != Verdict.NOT_CHECKED]
    verdicts = sorted({case.verdict for case in tried}, key=lambda each: each != claim.verdict)
    if len(verdicts) < 2:
        return []
    return [
        Share(verdict, text(f"share.{verdict}", which=_which(verdict, tried)))
        for verdict in verdicts
    ]


def _which(verdict: Verdict, tried: Sequence[CaseResult]) -> str:
    """The cases with `verdict` by the values of the one axis that decides it, else by name."""
    chosen = [case for case in tried if case.verdict == verdict]
    others = [case for case in tried if case.verdict != verdict]
    for axis in chosen[0].params:
        values = list(dict.fromkeys(value(case.params.get(axis)) for case in chosen))
        if not set(values) & {value(case.params.get(axis)) for case in others}:
            return f"{axis} {names(values)}"
    return names([case.id for case in chosen])


def value(param: object) -> str:
    """A value of an axis as its cases are told apart by it."""
    if isinstance(param, list | tuple):
        return f"({', '.join(map(str, param))}{',' if len(param) == 1 else ''})"
    return str(param)


def tally(claim: ClaimResult) -> str:
    """In how many cases the claim has its verdict; empty where there is just one."""
    missing = max(0, claim.planned - len(claim.cases))
    if not claim.cases or (len(claim.cases) == 1 and not missing):
        return ""
    words = text("claim.in", count=claim.count)
    return f"{words}, {text('claim.not-run', n=missing)}" if missing else words
