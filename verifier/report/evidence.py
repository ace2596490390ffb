"""What the cases of a claim showed, worked out so that a template only lays it out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from markupsafe import Markup

from verifier.model import CaseResult, ClaimResult, Evidence, Verdict
from verifier.report import cases, highlight, timing_plot
from verifier.report.strings import text
from verifier.report.text import capped

#: Characters shown of a value and of an output stream.
VALUE, STREAM = 2_000, 8_000


class Check(NamedTuple):
    """One piece of evidence."""

    role: str
    mark: str  # holds, fails or undecided
    code: Markup
    place: str
    detail: str  # empty where the operands say it
    operands: list[tuple[str, str]]


class Group(NamedTuple):
    """Cases that came to the same in the same way, and what the first of them showed."""

    title: str
    others: str  # what else came to the same
    verdict: Verdict
    expected: str
    observed: str
    reason: str
    remarks: list[str]
    checks: list[Check]
    frames: list[tuple[str, str]]  # place, line of code
    exception: str
    warnings: list[str]
    streams: list[tuple[str, str]]  # name, text
    timing: timing_plot.Timing | None
    reproduce: str


def groups(claim: ClaimResult) -> list[Group]:
    """The evidence for each verdict and reason among the cases that were tried, that
    for the claim's own verdict first.

    Only the first case of each is shown in full: the others differ in values that
    their parameters bring with them, and stand whole in ``results.json``.
    """
    found: dict[tuple[object, ...], list[CaseResult]] = {}
    for case in claim.cases:
        if case.verdict != Verdict.NOT_CHECKED:
            found.setdefault(_kind(case), []).append(case)
    by_verdict = sorted(found.values(), key=lambda alike: alike[0].verdict != claim.verdict)
    return [_group(claim, alike, alone=len(found) == 1) for alike in by_verdict]


def _kind(case: CaseResult) -> tuple[object, ...]:
    """What cases must share to be shown as one; what was timed is never alike."""
    return (
        case.verdict,
        case.reason,
        case.remarks,
        case.exception and case.exception.type,
        case.samples and case.id,
    )


def _group(claim: ClaimResult, alike: list[CaseResult], *, alone: bool) -> Group:
    case, *others = alike
    raised = case.exception
    if raised and case.verdict == Verdict.REFUTED and str(raised) in case.observed:
        raised = None  # said already
    return Group(
        title=text("claim.evidence")
        if alone and not others
        else text("claim.evidence-of", case=case.id),
        others=text("claim.likewise", cases=cases.names([each.id for each in others]))
        if others
        else "",
        verdict=case.verdict,
        expected=capped(case.expected, VALUE),
        observed=capped(cases.seen(case), VALUE),
        reason=cases.why(case),
        remarks=[_remark(remark) for remark in case.remarks],
        checks=[_check(each, claim.file) for each in case.evidence],
        frames=[(f"{each.file}:{each.line}", each.text.strip()) for each in raised.frames]
        if raised
        else [],
        exception=capped(str(raised), VALUE) if raised else "",
        warnings=[
            f"{each.types[0]}: {capped(each.message, VALUE)}"
            + (f" ({claim.file}:{each.line})" if each.line else "")
            for each in case.warnings
        ],
        streams=list(_streams(case)),
        timing=timing_plot.timing(case),
        reproduce=case.reproduce,
    )


def _remark(remark: str) -> str:
    known = {"representation-drift": text("claim.remark.representation-drift")}
    return known.get(remark, remark)


def _check(evidence: Evidence, file: str) -> Check:
    marks = {True: "holds", False: "fails", None: "undecided"}
    return Check(
        role=text(f"role.{evidence.role}"),
        mark=marks[evidence.holds],
        code=highlight.python(capped(evidence.code, VALUE)),
        place=f"{file}:{evidence.line}" if evidence.line else "",
        detail="" if evidence.operands else capped(evidence.detail, VALUE),
        operands=[(each.code, capped(each.value, VALUE)) for each in evidence.operands],
    )


def _streams(case: CaseResult) -> Iterator[tuple[str, str]]:
    for name, stream in (("stdout", case.stdout), ("stderr", case.stderr)):
        if stream.strip():
            yield text(f"claim.{name}"), capped(stream.rstrip(), STREAM)
