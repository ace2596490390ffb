"""What every report says first: how many, what changed, what could not be checked."""

from __future__ import annotations

import sys
from collections import Counter
from typing import NamedTuple

from verifier.model import ClaimResult, Place, Results, Severity, Verdict
from verifier.report import cases
from verifier.report.strings import text

SEVERITIES: tuple[Severity, ...] = ("critical", "major", "minor", "info")


class Count(NamedTuple):
    """A number of claims in words, and the verdict that they share."""

    verdict: Verdict
    words: str


class Change(NamedTuple):
    """A claim that is news: it differs from its record or has none."""

    claim: ClaimResult
    words: str
    cases: tuple[str, ...]  # ids of those that differ, where not all do


def counts(results: Results) -> list[Count]:
    """The claims by verdict in words, those refuted as recorded apart from the others."""
    tally = results.summary.claims
    known = results.summary.refuted_as_recorded
    numbers = [
        (Verdict.VERIFIED, "verified", tally.get("verified", 0)),
        (Verdict.REFUTED, "refuted-as-recorded", known),
        (Verdict.REFUTED, "refuted", tally.get("refuted", 0) - known),
        (Verdict.INCONCLUSIVE, "inconclusive", tally.get("inconclusive", 0)),
        (Verdict.NOT_CHECKED, "not-checked", tally.get("not-checked", 0)),
        (Verdict.ERROR, "error", tally.get("error", 0)),
        (Verdict.UNVERIFIABLE, "unverifiable", tally.get("unverifiable", 0)),
    ]
    return [
        Count(verdict, text(f"count.{key}", n=number)) for verdict, key, number in numbers if number
    ]


def changed(results: Results) -> list[Change]:
    """Claims whose verdict is not the recorded one, the gravest first."""
    return [_change(claim) for claim in by_severity(results) if claim.ledger and not claim.agrees]


def unrecorded(results: Results) -> list[Change]:
    """Claims that are refuted and have no recorded verdict, the gravest first."""
    return [change for change in _news(results) if change.claim.verdict != Verdict.ERROR]


def unrecorded_errors(results: Results) -> list[Change]:
    """Claims in error that have no recorded verdict, the gravest first."""
    return [change for change in _news(results) if change.claim.verdict == Verdict.ERROR]


def _news(results: Results) -> list[Change]:
    return [
        _change(claim) for claim in by_severity(results) if not claim.ledger and not claim.agrees
    ]


def recordable(results: Results) -> int:
    """The number of decided claims whose verdict is not recorded."""
    decided = (Verdict.VERIFIED, Verdict.REFUTED)
    return sum(not claim.ledger and claim.verdict in decided for claim in results.claims)


def _change(claim: ClaimResult) -> Change:
    differing = [case for case in claim.cases if not case.agrees]
    now = text(f"verdict.{claim.verdict}")
    before = claim.ledger
    if differing:
        # Where the claim's word is the same as before, it is a case that changed.
        now = text(f"verdict.{differing[0].verdict}")
        before = differing[0].ledger or before
    if before:
        words = text("change.from-to", before=text(f"verdict.{before}"), now=now)
    elif claim.verdict == Verdict.ERROR:
        words = now
    else:
        words = text("change.unrecorded", now=now)
    some = len(differing) < len(claim.cases)
    return Change(claim, words, tuple(case.id for case in differing) if some else ())


def by_severity(results: Results) -> list[ClaimResult]:
    """The claims, the gravest first, else in their order."""
    return sorted(results.claims, key=lambda claim: SEVERITIES.index(claim.severity))


def not_checked(results: Results) -> list[str]:
    """The reasons for cases that were not checked, each with its numbers, most first."""
    number: Counter[tuple[str, str]] = Counter()
    claims: dict[tuple[str, str], set[int]] = {}
    for index, claim in enumerate(results.claims):
        for case in claim.cases:
            if case.verdict == Verdict.NOT_CHECKED:
                device, why = cases.obstacle(case)
                key = device, cases.why(case) or why
                number[key] += 1
                claims.setdefault(key, set()).add(index)
    return [
        text(
            "count.untried-on" if device else "count.untried",
            n=n,
            claims=text("count.of-claims", n=len(claims[device, why])),
            device=device,
            why=why,
        )
        for (device, why), n in number.most_common()
    ]


def order(claim: ClaimResult) -> tuple[str, tuple[int, int], int]:
    """What sorts claims by document and by place in it, those without a line last."""
    at = claim.at or Place()
    return claim.source, at.lines or (sys.maxsize, 0), at.sentence or 0


def drifted(results: Results) -> int:
    """The number of cases with the remark `representation-drift`."""
    return sum(
        "representation-drift" in case.remarks for claim in results.claims for case in claim.cases
    )


def place(at: Place | None) -> str:
    """A place in the document in words; empty where the claim names none."""
    if at is None:
        return ""
    if at.lines is None:
        return text("place.quote", quote=at.exact) if at.exact else ""
    first, last = at.lines
    lines = (
        text("place.line", first=first)
        if first == last
        else text("place.lines", first=first, last=last)
    )
    return f"{lines}, {text('place.sentence', n=at.sentence)}" if at.sentence else lines
