"""Every row of the table of verdicts, from both sides, and that the table is total."""

import itertools
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.judge import REASONS, is_decided, judge, rules
from verifier.model import (
    Case,
    Claim,
    Code,
    Copies,
    Expression,
    Faster,
    Frame,
    Memory,
    Observation,
    Observed,
    Operand,
    Outcome,
    Raised,
    Raises,
    Runs,
    Source,
    Timing,
    Verdict,
)

TRUE, FALSE = Observed(truth=True, value="True"), Observed(truth=False, value="False")
TYPO = Observed(
    exception=Raised(
        types=("NameError", "Exception", "BaseException"),
        message="name 'troch' is not defined",
        frames=(Frame(file="claims/a.yaml", line=7, name="<module>"),),
    )
)
RUNTIME_ERROR = Observed(
    exception=Raised(
        types=("RuntimeError", "Exception", "BaseException"), message="Expected 3D, got 2D"
    )
)
UNDECIDED = Observed(timing=Timing(cpu=(0.0,), wall=(0.0,)))
FAST = Observed(timing=Timing(cpu=(1.0,) * 9, wall=(1.0,) * 9))


def code(text):
    return Code(text=text, line=3)


def expression(text="x == 1"):
    return Expression(code=code(text))


FASTER = Faster(first=code("slow()"), second=code("fast()"))


def case_of(**sections):
    checks = {name: tuple(checks) for name, checks in sections.items()}
    checks.setdefault("expect", (expression(),))
    claim = Claim(
        id="a-claim",
        statement="It is so.",
        kind="behaviour",
        source=Source(id="sample"),
        file="claims/a.yaml",
        line=1,
        probe=code("x = 1"),
        **checks,
    )
    return Case(claim=claim, id="cpu", params={})


def judged(*observed, outcome="done", **sections):
    return judge(case_of(**sections), [Observation(outcome=outcome, checks=observed)])


ONE = [expression()]


@pytest.mark.parametrize(
    ("sections", "observed", "verdict", "reason"),
    [
        # what is expected, without counter-evidence
        ({}, [TRUE], "verified", ""),
        ({}, [FALSE], "refuted", ""),
        ({}, [TYPO], "error", "exception-in-check"),
        ({"expect": ONE * 2}, [TRUE, FALSE], "refuted", ""),
        ({"expect": ONE * 2}, [FALSE, TYPO], "error", "exception-in-check"),
        # and with counter-evidence
        ({"refuted_by": ONE}, [TRUE, FALSE], "verified", ""),
        ({"refuted_by": ONE}, [FALSE, TRUE], "refuted", ""),
        ({"refuted_by": ONE}, [TRUE, TRUE], "error", "contradictory-claim"),
        ({"refuted_by": ONE}, [FALSE, FALSE], "inconclusive", "neither"),
        ({"refuted_by": ONE}, [FALSE, TYPO], "error", "exception-in-check"),
        ({"refuted_by": ONE}, [TRUE, TYPO], "error", "exception-in-check"),
        ({"refuted_by": ONE * 2}, [FALSE, TRUE, FALSE], "inconclusive", "neither"),
        ({"refuted_by": ONE * 2}, [TRUE, TRUE, FALSE], "verified", ""),
        # the control
        ({"control": ONE}, [TRUE, TRUE], "verified", ""),
        ({"control": ONE}, [TRUE, FALSE], "refuted", ""),
        ({"control": ONE}, [FALSE, FALSE], "error", "control-failed"),
        ({"control": ONE}, [FALSE, TRUE], "error", "control-failed"),
        ({"control": ONE}, [TYPO, FALSE], "error", "control-raised"),
        ({"control": ONE}, [FALSE, TYPO], "error", "control-failed"),
        # the precondition
        ({"precondition": ONE}, [TRUE, TRUE], "verified", ""),
        ({"precondition": ONE}, [FALSE, FALSE], "not-checked", "precondition"),
        ({"precondition": ONE}, [FALSE, TYPO], "not-checked", "precondition"),
        ({"precondition": ONE}, [TYPO, FALSE], "error", "exception-in-check"),
        ({"precondition": ONE, "control": ONE}, [FALSE] * 3, "not-checked", "precondition"),
        # timing may be undecided, and so may witnesses of memory
        ({"expect": [FASTER]}, [FAST], "verified", ""),
        ({"expect": [FASTER]}, [UNDECIDED], "inconclusive", "undecided"),
        ({"expect": [FASTER, *ONE]}, [UNDECIDED, FALSE], "refuted", ""),
        ({"expect": [FASTER, *ONE]}, [UNDECIDED, TYPO], "error", "exception-in-check"),
        ({"refuted_by": [FASTER]}, [FALSE, UNDECIDED], "inconclusive", "undecided"),
        ({"refuted_by": [FASTER]}, [TRUE, UNDECIDED], "inconclusive", "undecided"),
        ({"refuted_by": [FASTER]}, [FALSE, FAST], "refuted", ""),
        ({"expect": [FASTER], "refuted_by": ONE}, [UNDECIDED, TRUE], "inconclusive", "undecided"),
        ({"expect": [FASTER], "refuted_by": ONE}, [UNDECIDED, FALSE], "inconclusive", "undecided"),
        ({"control": [FASTER]}, [UNDECIDED, FALSE], "inconclusive", "undecided"),
        ({"control": [FASTER]}, [UNDECIDED, TYPO], "error", "exception-in-check"),
        ({"precondition": [FASTER]}, [UNDECIDED, FALSE], "inconclusive", "undecided"),
        (
            {"expect": [FASTER]},
            [Observed(timing=Timing(same_values=False))],
            "error",
            "different-values",
        ),
        (
            {"control": [FASTER]},
            [Observed(timing=Timing(same_values=False)), TRUE],
            "error",
            "different-values",
        ),
        (
            {"expect": [Copies(code=code("a"), of=code("b"))]},
            [Observed(memory=Memory(overlap=True, write_through=False))],
            "inconclusive",
            "witnesses-disagree",
        ),
        # records that lack something
        ({}, [], "error", "channel-corrupt"),
        ({}, [TRUE, TRUE], "error", "channel-corrupt"),
        ({}, [Observed()], "error", "channel-corrupt"),
        ({"expect": []}, [], "error", "no-expectation"),
    ],
)
def test_each_row_of_the_table(sections, observed, verdict, reason):
    judgement = judged(*observed, **sections)
    assert (judgement.verdict, judgement.reason) == (Verdict(verdict), reason)
    assert judgement.detail.endswith((".", "…"))


RUNS = Runs(code=code("layer(x)"))


def raises(type_="RuntimeError", match="3D", text="layer(x)"):
    return Raises(code=code(text), type=type_, match=match)


@pytest.mark.parametrize(
    ("expect", "refuted_by", "seen", "verdict", "reason"),
    [
        (RUNS, raises(), Observed(), "verified", ""),
        (RUNS, raises(), RUNTIME_ERROR, "refuted", ""),
        (RUNS, raises(type_="Exception"), RUNTIME_ERROR, "refuted", ""),  # a base counts
        (RUNS, raises(type_="ValueError"), RUNTIME_ERROR, "error", "exception-in-check"),
        (RUNS, raises(match="4D"), RUNTIME_ERROR, "error", "exception-in-check"),
        (RUNS, raises(text="other(x)"), RUNTIME_ERROR, "error", "exception-in-check"),
        (RUNS, raises(), TYPO, "error", "exception-in-check"),
        (raises(), RUNS, RUNTIME_ERROR, "verified", ""),
        (raises(), RUNS, Observed(), "refuted", ""),
        (raises(), RUNS, TYPO, "error", "exception-in-check"),
        (raises("TypeError", None), raises(), RUNTIME_ERROR, "refuted", ""),
        (raises("TypeError", None), raises(), TYPO, "error", "exception-in-check"),
        (expression("layer(x)"), raises(), RUNTIME_ERROR, "refuted", ""),
        (expression("layer(x).ndim == 3"), raises(), RUNTIME_ERROR, "error", "exception-in-check"),
    ],
)
def test_an_exception_counts_only_where_it_is_named(expect, refuted_by, seen, verdict, reason):
    judgement = judged(seen, seen, expect=[expect], refuted_by=[refuted_by])
    assert (judgement.verdict, judgement.reason) == (Verdict(verdict), reason)


def test_a_control_may_claim_an_exception_of_its_own():
    assert judged(RUNTIME_ERROR, TRUE, control=[raises()]).verdict is Verdict.VERIFIED
    assert judged(Observed(), TRUE, control=[raises()]).reason == "control-failed"
    assert judged(TYPO, TRUE, control=[raises()]).reason == "control-raised"


@pytest.mark.parametrize("outcome", [name for name in get_args(Outcome) if name != "done"])
def test_a_case_that_did_not_complete_never_counts_against_the_statement(outcome):
    judgement = judge(case_of(), [Observation(outcome=outcome, stage="probe", detail="signal 9")])
    expected = Verdict.NOT_CHECKED if outcome in ("no-device", "missing-module") else Verdict.ERROR
    assert judgement.verdict is expected
    assert judgement.reason == ("exception-in-probe" if outcome == "exception" else outcome)
    assert judgement.detail == f"{REASONS[judgement.reason].sentence} Signal 9."


@pytest.mark.parametrize(
    ("stage", "reason"),
    [
        ("setup", "exception-in-setup"),
        ("probe", "exception-in-probe"),
        ("checks", "exception-in-check"),
    ],
)
def test_an_exception_outside_the_checks_is_an_error_even_where_it_is_named(stage, reason):
    observation = Observation(outcome="exception", stage=stage, exception=RUNTIME_ERROR.exception)
    judgement = judge(case_of(expect=[RUNS], refuted_by=[raises()]), [observation])
    assert (judgement.verdict, judgement.reason) == (Verdict.ERROR, reason)
    assert judgement.observed == "raises RuntimeError: Expected 3D, got 2D"


def test_a_mistake_in_the_probe_is_shown_with_its_place():
    judgement = judged(TYPO)
    assert "NameError: name 'troch' is not defined (claims/a.yaml:7)" in judgement.detail
    assert "(claims/a.yaml:7)" in judgement.observed


def test_a_refutation_shows_its_counterexample():
    seen = Observed(
        truth=False,
        value="False",
        operands=(
            Operand(code="x", value="tensor([1.])"),
            Operand(code="x.is_contiguous()", value="True"),
        ),
    )
    text = "x.is_contiguous() == False"
    judgement = judged(TRUE, seen, expect=[expression(), expression(text)])
    assert judgement.expected == f"`{text}`"
    assert judgement.observed == "x.is_contiguous() is True; x is tensor([1.])"
    assert judgement.detail == (
        f"It does not hold that `{text}`: x.is_contiguous() is True; x is tensor([1.])."
    )


def test_an_exception_is_the_counterexample_of_runs():
    judgement = judged(RUNTIME_ERROR, RUNTIME_ERROR, expect=[RUNS], refuted_by=[raises()])
    assert judgement.expected == "`layer(x)` runs without an exception"
    assert judgement.observed == "raises RuntimeError: Expected 3D, got 2D"


def test_there_is_evidence_for_every_check():
    judgement = judged(TRUE, TRUE, FALSE, control=ONE, refuted_by=ONE)
    assert [(each.role, each.holds) for each in judgement.evidence] == [
        ("control", True),
        ("expect", True),
        ("refuted_by", False),
    ]
    assert {each.line for each in judgement.evidence} == {3}
    assert all(each.detail.endswith(".") and each.code == "x == 1" for each in judgement.evidence)


def test_a_claim_without_control_is_remarked():
    assert judged(TRUE).remarks == ("no-control",)
    assert judged(TRUE, TRUE, control=ONE).remarks == ()


def test_samples_and_interval_are_ratios_of_the_timing():
    judgement = judged(TRUE, FAST, control=ONE, expect=[FASTER])
    assert judgement.samples == pytest.approx([2.718281828] * 9)
    assert judgement.interval[0] < 2.718281828 < judgement.interval[1]
    assert judged(TRUE).interval is None


@pytest.mark.parametrize(
    ("truths", "verdict", "reason"),
    [
        ([TRUE, TRUE], "verified", ""),
        ([FALSE, FALSE], "refuted", ""),
        ([TRUE, FALSE, TRUE], "inconclusive", "varies-with-seed"),
        ([TRUE, FALSE, TYPO], "error", "exception-in-check"),
    ],
)
def test_seeds_must_agree(truths, verdict, reason):
    judgement = judge(case_of(), [Observation(checks=(seen,)) for seen in truths])
    assert (judgement.verdict, judgement.reason) == (Verdict(verdict), reason)
    if reason == "varies-with-seed":
        assert "holds in 2 of 3 seeds" in judgement.detail


def test_what_one_seed_leaves_undecided_stays_so():
    case = case_of(expect=[FASTER])
    observations = [Observation(checks=(seen,)) for seen in (FAST, UNDECIDED)]
    assert judge(case, observations).reason == "undecided"


def test_neither_under_every_seed_stays_neither():
    case = case_of(refuted_by=ONE)
    assert judge(case, [Observation(checks=(FALSE, FALSE))] * 2).reason == "neither"


def test_nothing_cannot_be_judged():
    with pytest.raises(ValueError, match=r"a-claim\[cpu\]"):
        judge(case_of(), [])


@pytest.mark.parametrize(
    ("seen", "decided"), [(UNDECIDED, False), (FAST, True), (TYPO, True), (Observed(), True)]
)
def test_more_epochs_are_of_use_only_while_timing_is_undecided(seen, decided):
    assert is_decided(case_of(expect=[FASTER]), Observation(checks=(seen,))) is decided


def test_a_child_that_did_not_complete_is_decided():
    assert is_decided(case_of(expect=[FASTER]), Observation(outcome="timeout"))


SEEN = [TRUE, FALSE, UNDECIDED, TYPO, RUNTIME_ERROR]
SECTIONS = ("precondition", "control", "expect", "refuted_by")


def check_for(seen):
    return FASTER if seen is UNDECIDED else expression("f()")


@settings(deadline=None)
@given(
    *[st.lists(st.sampled_from(SEEN), min_size=(name == "expect"), max_size=3) for name in SECTIONS]
)
def test_the_table_is_total_and_fair(precondition, control, expect, refuted_by):
    seen = dict(zip(SECTIONS, (precondition, control, expect, refuted_by), strict=True))
    sections = {name: [check_for(each) for each in seen[name]] for name in SECTIONS}
    observed = list(itertools.chain(*seen.values()))
    judgement = judged(*observed, **sections)

    assert judgement.reason in ("", *REASONS)
    assert (judgement.reason == "") == (judgement.verdict in (Verdict.VERIFIED, Verdict.REFUTED))
    if judgement.reason:
        assert judgement.verdict is REASONS[judgement.reason].verdict
    if judgement.verdict in (Verdict.VERIFIED, Verdict.REFUTED):
        assert set(map(id, precondition + control)) <= {id(TRUE)}
        assert TYPO not in observed
        assert RUNTIME_ERROR not in observed  # named by no `raises` of this claim
    if judgement.verdict is Verdict.REFUTED:
        assert FALSE in expect
        assert set(map(id, refuted_by)) <= {id(TRUE)}
    if judgement.verdict is Verdict.VERIFIED:
        assert set(map(id, expect)) == {id(TRUE)}
        assert not refuted_by or FALSE in refuted_by


def test_the_decision_table_lists_every_combination():
    assert set(rules._TABLE) == set(
        itertools.product((True, False, None), (True, False, None, "not given"))
    )


def test_every_reason_is_a_sentence_and_no_outcome_lacks_one():
    assert all(reason.sentence.endswith((".", ").")) for reason in REASONS.values())
    assert set(get_args(Outcome)) - {"done", "exception"} <= set(REASONS)
