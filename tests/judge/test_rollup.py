"""Roll-up over cases, and the table of what a test runner reports."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.judge.rollup import agrees, count, outcome, roll_up
from verifier.model import Verdict

V, R, INC, N, E, U = (
    Verdict.VERIFIED,
    Verdict.REFUTED,
    Verdict.INCONCLUSIVE,
    Verdict.NOT_CHECKED,
    Verdict.ERROR,
    Verdict.UNVERIFIABLE,
)


@pytest.mark.parametrize(
    ("quantifier", "verdicts", "expected"),
    [
        ("every", [V, V], V),
        ("every", [V, N], V),
        ("every", [V, R, E, INC, N], R),
        ("every", [V, E, INC, N], E),
        ("every", [V, INC, N], INC),
        ("every", [N, N], N),
        ("every", [], N),
        ("every", [U], U),
        ("some", [V, R, E, INC, N], V),
        ("some", [R, R], R),
        ("some", [R, N], R),
        ("some", [R, INC], INC),
        ("some", [R, E, INC], E),
        ("some", [N], N),
        ("some", [], N),
        ("some", [U], U),
    ],
)
def test_a_claim_has_one_word(quantifier, verdicts, expected):
    assert roll_up(quantifier, verdicts) is expected


@settings(deadline=None)
@given(st.lists(st.sampled_from(Verdict)), st.randoms())
def test_the_order_of_cases_does_not_matter(verdicts, random):
    shuffled = random.sample(verdicts, len(verdicts))
    for quantifier in ("every", "some"):
        assert roll_up(quantifier, verdicts) is roll_up(quantifier, shuffled)


@settings(deadline=None)
@given(st.lists(st.sampled_from(Verdict)))
def test_one_case_decides_or_forbids(verdicts):
    assert (roll_up("every", verdicts) is R) == (R in verdicts)
    assert (roll_up("some", verdicts) is V) == (V in verdicts)
    if roll_up("every", verdicts) is V:
        assert not {R, E, INC} & set(verdicts)
    if roll_up("some", verdicts) is R:
        assert not {V, E, INC} & set(verdicts)


@pytest.mark.parametrize(
    ("verdict", "verdicts", "text"),
    [
        (V, [V], "1 of 1 case"),
        (V, [V, V, V, N], "3 of 4 cases, 1 not tried"),
        (R, [V, R, V], "1 of 3 cases"),
        (N, [N, N], "2 of 2 cases"),
        (N, [], "0 of 0 cases"),
    ],
)
def test_the_count_stands_beside_the_word(verdict, verdicts, text):
    assert count(verdicts, verdict) == text


def test_without_a_verdict_those_that_hold_are_counted():
    assert count([V, R, N]) == "1 of 3 cases, 1 not tried"


@pytest.mark.parametrize(
    ("recorded", "measured", "expected"),
    [
        (V, V, "passed"),
        (R, R, "xfailed"),
        (None, V, "passed"),
        (None, R, "failed"),
        (V, R, "failed"),
        (R, V, "failed"),
        (INC, V, "failed"),
        (INC, R, "failed"),
        (N, V, "failed"),
        (N, R, "failed"),
        (E, V, "failed"),
        (U, R, "failed"),
        *[(recorded, INC, "skipped") for recorded in (None, *Verdict)],
        *[(recorded, N, "skipped") for recorded in (None, *Verdict)],
        *[(recorded, U, "skipped") for recorded in (None, *Verdict)],
        *[(recorded, E, "error") for recorded in (None, *Verdict)],
    ],
)
def test_what_a_runner_reports(recorded, measured, expected):
    assert outcome(recorded, measured, "") == expected
    assert agrees(recorded, measured, "") == (expected not in ("failed", "error"))


@pytest.mark.parametrize("recorded", [None, *Verdict])
def test_neither_fails_whatever_is_recorded(recorded):
    assert outcome(recorded, INC, "neither") == "failed"
    assert not agrees(recorded, INC, "neither")
    assert outcome(recorded, INC, "undecided") == "skipped"
