"""The rules: from what a case showed to a verdict with its reason.

A case is decided in the order in which it ran: set-up and probe, precondition,
control, and then what the statement predicts (`expect`) against what is seen
instead (`refuted_by`). The first of these that is out of order decides, and only
the last can count against the statement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from verifier.judge import wording
from verifier.judge.checks import Finding, find
from verifier.model import (
    Case,
    Claim,
    Evidence,
    Judgement,
    Observation,
    Raises,
    Role,
    Verdict,
)

_VERIFIED, _REFUTED = Verdict.VERIFIED, Verdict.REFUTED
_INCONCLUSIVE, _NOT_CHECKED, _ERROR = Verdict.INCONCLUSIVE, Verdict.NOT_CHECKED, Verdict.ERROR


class Reason(NamedTuple):
    """A verdict that a reason code comes with, and what the code means."""

    verdict: Verdict
    sentence: str


#: Every reason that :func:`judge` gives. Verified and refuted need none.
REASONS: dict[str, Reason] = {
    "no-device": Reason(_NOT_CHECKED, "This machine does not have the device of the case."),
    "missing-module": Reason(_NOT_CHECKED, "A module that the claim requires is not installed."),
    "precondition": Reason(_NOT_CHECKED, "A precondition of the claim does not hold here."),
    "neither": Reason(
        _INCONCLUSIVE,
        "Neither what the statement predicts nor the counter-evidence in the claim was seen.",
    ),
    "undecided": Reason(_INCONCLUSIVE, "The times measured do not decide."),
    "witnesses-disagree": Reason(
        _INCONCLUSIVE, "The signs of shared memory are missing or contradict each other."
    ),
    "no-witness": Reason(_INCONCLUSIVE, "What the claim is about could not be measured."),
    "varies-with-seed": Reason(_INCONCLUSIVE, "The outcome depends on the random seed."),
    "control-failed": Reason(
        _ERROR, "The control does not hold, so that this probe cannot tell right from wrong."
    ),
    "control-raised": Reason(_ERROR, "The control raised an exception."),
    "contradictory-claim": Reason(
        _ERROR, "What the statement predicts and the counter-evidence hold both."
    ),
    "no-expectation": Reason(_ERROR, "The claim expects nothing that could be checked."),
    "different-values": Reason(
        _ERROR,
        "The two sides compute different values, so that their times say nothing. Where that is "
        "meant, write them as statements (`result = ...`).",
    ),
    "exception-in-setup": Reason(_ERROR, "The set-up raised an exception."),
    "exception-in-probe": Reason(_ERROR, "The probe raised an exception."),
    "exception-in-check": Reason(
        _ERROR, "A check raised an exception that no `raises` of the claim names."
    ),
    "timeout": Reason(_ERROR, "The case took longer than it may."),
    "cpu-limit": Reason(_ERROR, "The case used more CPU time than it may."),
    "memory-limit": Reason(_ERROR, "The case used more memory than it may."),
    "output-limit": Reason(_ERROR, "The case printed more than it may."),
    "signal": Reason(_ERROR, "The process of the case was killed by a signal."),
    "no-result": Reason(_ERROR, "The process of the case ended without a result."),
    "channel-corrupt": Reason(_ERROR, "The result of the case cannot be read."),
    "server-died": Reason(_ERROR, "The process that starts cases died under this one."),
    "unavailable": Reason(_ERROR, "The process that starts cases cannot be started."),
}

_STAGES = {"setup": "exception-in-setup", "probe": "exception-in-probe"}


def judge(case: Case, observations: Sequence[Observation]) -> Judgement:
    """Judge a case by its observations, one for each seed.

    Raises ValueError without observations: then there is nothing to judge.
    """
    if not observations:
        raise ValueError(f"no observation of {case.claim.id}[{case.id}]")
    return _over_seeds([_judge_one(case.claim, observation) for observation in observations])


def is_decided(case: Case, observation: Observation) -> bool:
    """Whether more epochs of timing could not change the verdict on an observation."""
    return _judge_one(case.claim, observation).reason != "undecided"


def _judge_one(claim: Claim, observation: Observation) -> Judgement:
    if not claim.expect:
        return _judgement(claim, "no-expectation")
    if observation.outcome != "done":
        return _without_checks(claim, observation)
    if len(observation.checks) != len(claim.checks):
        seen = f"{len(observation.checks)} of {len(claim.checks)} checks were reported"
        return _judgement(claim, "channel-corrupt", seen)
    raising = [check for check in claim.expect + claim.refuted_by if isinstance(check, Raises)]
    findings = [
        find(check, observed, raising)
        for check, observed in zip(claim.checks, observation.checks, strict=True)
    ]
    return _with_evidence(claim, findings, _decide(claim, findings))


def _without_checks(claim: Claim, observation: Observation) -> Judgement:
    """The case ended before its checks; none of that counts against the statement."""
    if observation.outcome == "exception":
        reason = _STAGES.get(observation.stage, "exception-in-check")
    else:
        reason = observation.outcome
    seen = observation.detail
    if observation.exception is not None:
        seen = wording.raises(observation.exception) + wording.place(observation.exception)
    return _judgement(claim, reason, seen)


class _Decision(NamedTuple):
    verdict: Verdict
    reason: str
    decisive: Finding


#: (all of `expect` hold, all of `refuted_by` hold). None is undecided, and "not
#: given" stands for a claim without counter-evidence.
_TABLE: dict[tuple[bool | None, bool | str | None], tuple[Verdict, str]] = {
    (True, "not given"): (_VERIFIED, ""),
    (True, False): (_VERIFIED, ""),
    (True, True): (_ERROR, "contradictory-claim"),
    (True, None): (_INCONCLUSIVE, "undecided"),
    (False, "not given"): (_REFUTED, ""),
    (False, True): (_REFUTED, ""),
    (False, False): (_INCONCLUSIVE, "neither"),
    (False, None): (_INCONCLUSIVE, "undecided"),
    (None, "not given"): (_INCONCLUSIVE, "undecided"),
    (None, True): (_INCONCLUSIVE, "undecided"),
    (None, False): (_INCONCLUSIVE, "undecided"),
    (None, None): (_INCONCLUSIVE, "undecided"),
}


def _decide(claim: Claim, findings: Sequence[Finding]) -> _Decision:
    roles: dict[Role, list[Finding]] = {
        "precondition": [], "control": [], "expect": [], "refuted_by": [],
    }  # fmt: skip
    for role, finding in zip(claim.roles, findings, strict=True):
        roles[role].append(finding)
    precondition, control = roles["precondition"], roles["control"]
    expect, refuted_by = roles["expect"], roles["refuted_by"]

    if broken := _first_broken(precondition):
        return _Decision(_ERROR, broken.problem, broken)
    if failing := _first(precondition, holds=False):
        return _Decision(_NOT_CHECKED, "precondition", failing)
    if broken := _first_broken(control):
        raised = broken.problem == "exception-in-check"
        return _Decision(_ERROR, "control-raised" if raised else broken.problem, broken)
    if failing := _first(control, holds=False):
        return _Decision(_ERROR, "control-failed", failing)
    if broken := _first_broken(expect + refuted_by):
        return _Decision(_ERROR, broken.problem, broken)
    if open_ := _first(precondition + control, holds=None):
        return _Decision(_INCONCLUSIVE, open_.doubt, open_)

    holds = _all(expect)
    verdict, reason = _TABLE[holds, _all(refuted_by) if refuted_by else "not given"]
    if reason == "undecided":
        open_ = _first(expect + refuted_by, holds=None) or expect[0]
        return _Decision(verdict, open_.doubt, open_)
    if reason == "contradictory-claim":
        return _Decision(verdict, reason, refuted_by[0])
    return _Decision(verdict, reason, _first(expect, holds=holds) or expect[0])


def _all(findings: Iterable[Finding]) -> bool | None:
    """Whether all hold: one that fails decides, one that is undecided leaves it open."""
    holds = {finding.holds for finding in findings}
    if False in holds:
        return False
    return None if None in holds else True


def _first(findings: Iterable[Finding], *, holds: bool | None) -> Finding | None:
    return next((finding for finding in findings if finding.holds is holds), None)


def _first_broken(findings: Iterable[Finding]) -> Finding | None:
    return next((finding for finding in findings if finding.problem), None)


def _judgement(claim: Claim, reason: str, seen: str = "") -> Judgement:
    """A judgement from a reason alone, where no check was reached."""
    verdict, sentence = REASONS[reason]
    return Judgement(
        verdict=verdict,
        reason=reason,
        detail=f"{sentence} {wording.sentence(seen)}" if seen else sentence,
        expected=wording.describe(claim.expect[0]) if claim.expect else "",
        observed=seen,
        remarks=_remarks(claim),
    )


def _with_evidence(claim: Claim, findings: Sequence[Finding], decision: _Decision) -> Judgement:
    decisive = decision.decisive
    parts = [REASONS[decision.reason].sentence] if decision.reason else []
    parts.append(decisive.sentence)
    # A timing that did not decide the verdict is still worth a plot.
    timed = next((each for each in (decisive, *findings) if each.samples or each.interval), None)
    return Judgement(
        verdict=decision.verdict,
        reason=decision.reason,
        detail=" ".join(parts),
        expected=decisive.expected,
        observed=decisive.observed,
        remarks=_remarks(claim),
        evidence=_evidence(claim, findings),
        samples=timed.samples if timed else (),
        interval=timed.interval if timed else None,
    )


def _evidence(claim: Claim, findings: Sequence[Finding]) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(
            role=role,
            code="\n".join(code.text for code in wording.codes(check)),
            holds=finding.holds,
            detail=finding.sentence,
            line=wording.codes(check)[0].line,
            operands=finding.operands,
        )
        for role, check, finding in zip(claim.roles, claim.checks, findings, strict=True)
    )


def _remarks(claim: Claim) -> tuple[str, ...]:
    return () if claim.control else ("no-control",)


def _over_seeds(judgements: Sequence[Judgement]) -> Judgement:
    """One judgement for all seeds.

    An error or an undecided measurement under one seed leaves the whole so; a
    verdict that depends on the seed is inconclusive.
    """
    for judgement in judgements:
        if judgement.verdict is _ERROR:
            return judgement
    for judgement in judgements:
        if judgement.verdict is _INCONCLUSIVE and judgement.reason != "neither":
            return judgement
    counts = Counter(judgement.verdict for judgement in judgements)
    if len(counts) == 1:
        return judgements[0]
    counterexample = next(each for each in judgements if each.verdict is not _VERIFIED)
    verdict, sentence = REASONS["varies-with-seed"]
    holds = f"The statement holds in {counts[_VERIFIED]} of {len(judgements)} seeds."
    return msgspec.structs.replace(
        counterexample,
        verdict=verdict,
        reason="varies-with-seed",
        detail=f"{sentence} {holds} {counterexample.detail}",
    )
