"""Decisions from epochs: simulated streams with a known ratio, and structure."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.judge.timing import confidence_interval, decide, evidence_above, evidence_below
from verifier.model import Code, Faster, SameCost, Slower, Timing

A, B = Code(text="a()", line=1), Code(text="b()", line=2)
FASTER = Faster(first=A, second=B)
SLOWER = Slower(first=A, second=B)
SAME = SameCost(first=A, second=B)

#: Epochs of 48 ms each: what one case may use before it is left undecided.
EPOCHS = 48


def epochs(rng, ratio, noise=0.005, count=EPOCHS):
    """Gaussian epochs with bursts, as on a machine where other work runs."""
    return tuple(
        math.log(ratio) + rng.gauss(0, noise * (20 if rng.random() < 0.1 else 1))
        for _ in range(count)
    )


def timed(values, **fields):
    return Timing(cpu=tuple(values), wall=tuple(values), **fields)


def decisions(check, ratio, streams=60, **noise):
    rng = random.Random(f"{check}{ratio}")
    return [decide(check, timed(epochs(rng, ratio, **noise))).holds for _ in range(streams)]


def test_equal_sides_are_never_found_to_differ():
    rng = random.Random(1)
    for _ in range(300):
        timing = timed(epochs(rng, 1.0, noise=0.01))
        assert decide(FASTER, timing).holds is not True
        assert decide(SAME, timing).holds is not False


@pytest.mark.parametrize(
    ("check", "ratio", "holds"),
    [
        (FASTER, 1.3, True),
        (FASTER, 1.1, True),
        (FASTER, 1.0, False),
        (FASTER, 1.02, False),
        (FASTER, 1 / 1.3, False),
        (SLOWER, 1 / 1.3, True),
        (SLOWER, 1 / 1.1, True),
        (SLOWER, 1.0, False),
        (SLOWER, 1.3, False),
        (SAME, 1.0, True),
        (SAME, 1.1, False),
        (SAME, 1 / 1.1, False),
    ],
)
def test_what_is_clear_is_decided(check, ratio, holds):
    assert set(decisions(check, ratio)) == {holds}


@pytest.mark.parametrize(
    ("check", "ratio"), [(FASTER, 1.05), (SLOWER, 1 / 1.05), (SAME, 1.05), (SAME, 1 / 1.05)]
)
def test_a_ratio_at_the_margin_stays_undecided(check, ratio):
    assert decisions(check, ratio).count(None) >= 57


@pytest.mark.parametrize(
    ("check", "ratio", "wrong"), [(FASTER, 1.05, True), (FASTER, 1.05, False), (SAME, 1.05, True)]
)
def test_at_the_margin_looking_after_every_epoch_is_wrong_within_alpha(check, ratio, wrong):
    # Evidence keeps its maximum, so that the last look includes all earlier ones. Of
    # 300 streams at most 3 may be wrong on average; 10 happen once in a thousand runs.
    assert decisions(check, ratio, streams=300, noise=0.05).count(wrong) < 10


def test_the_margin_is_the_claims_own():
    rng = random.Random(2)
    timing = timed(epochs(rng, 1.1))
    assert decide(Faster(first=A, second=B, margin=0.05), timing).holds is True
    assert decide(Faster(first=A, second=B, margin=0.3), timing).holds is False


def test_one_child_of_six_epochs_cannot_decide():
    decision = decide(FASTER, timed([1.0] * 6))
    assert (decision.holds, decision.interval) == (None, None)
    assert decision.reason == "too few epochs were timed"
    assert decide(FASTER, timed([1.0] * 7)).holds is True


def test_without_epochs_nothing_is_decided():
    decision = decide(FASTER, Timing())
    assert (decision.holds, decision.ratio, decision.reason) == (
        None,
        None,
        "no epoch could be timed",
    )


def test_structure_decides_before_any_clock():
    timing = timed([1.0] * 20, identical="both sides are the same code")
    for check, holds in ((FASTER, False), (SLOWER, False), (SAME, True)):
        decision = decide(check, timing)
        assert (decision.holds, decision.ratio, decision.epochs) == (holds, 1.0, ())
        assert decision.reason == "both sides are the same code"


def test_the_clock_is_the_cpus_for_one_thread_that_it_saw():
    fast, even = (1.0,) * 9, (0.0,) * 9
    assert decide(FASTER, Timing(cpu=fast, wall=even)).clock == "CPU"
    assert decide(FASTER, Timing(cpu=fast, wall=even)).holds is True
    assert decide(FASTER, Timing(cpu=fast, wall=even, threads=2)).holds is False
    assert decide(FASTER, Timing(cpu=(), wall=even)).clock == "wall"
    assert decide(FASTER, Timing(cpu=fast[:6], wall=even)).clock == "wall"


@pytest.mark.parametrize(
    ("ratio", "label"),
    [
        (2.0, "faster by more than 5 %"),
        (0.5, "slower by more than 5 %"),
        (1.0, "as fast within 5 %"),
        (1.03, "as fast within 5 %"),
        (1 / 1.03, "as fast within 5 %"),
    ],
)
def test_the_label_says_where_the_median_lies(ratio, label):
    assert decide(FASTER, timed(epochs(random.Random(3), ratio))).label == label


def test_at_the_margin_the_interval_says_why_nothing_is_decided():
    decision = decide(FASTER, timed(epochs(random.Random(5), 1.05)))
    assert decision.reason == "the interval measured reaches across the margin"
    assert decision.interval[0] < 1.05 < decision.interval[1]


def test_the_interval_covers_the_truth():
    rng = random.Random(4)
    for _ in range(100):
        ratio = rng.uniform(0.5, 2)
        decision = decide(FASTER, timed(epochs(rng, ratio, noise=0.03)))
        low, high = decision.interval
        assert low < ratio < high
        assert low <= decision.ratio <= high


log_ratios = st.floats(-2, 2)
streams = st.lists(log_ratios, max_size=40)


@settings(deadline=None)
@given(streams, log_ratios, log_ratios)
def test_evidence_does_not_increase_with_the_hypothesis(values, one, other):
    low, high = sorted((one, other))
    assert evidence_above(values, low) >= evidence_above(values, high) * (1 - 1e-9)
    assert evidence_below(values, high) >= evidence_below(values, low) * (1 - 1e-9)


@settings(deadline=None)
@given(streams, log_ratios)
def test_exchanging_the_sides_mirrors_everything(values, theta):
    mirrored = [-value for value in values]
    assert evidence_above(values, theta) == evidence_below(mirrored, -theta)
    assert decide(FASTER, timed(values)).holds is decide(SLOWER, timed(mirrored)).holds
    assert decide(SAME, timed(values)).holds is decide(SAME, timed(mirrored)).holds


@settings(deadline=None)
@given(st.lists(log_ratios, min_size=7, max_size=40))
def test_the_interval_is_what_the_bets_do_not_rule_out(values):
    bounds = confidence_interval(values)
    if bounds is not None:
        low, high = bounds
        assert low <= high
        if decide(FASTER, timed(values)).holds:
            assert high > math.log(1.05)


@settings(deadline=None)
@given(streams)
def test_faster_and_slower_never_hold_both(values):
    found = [decide(check, timed(values)).holds for check in (FASTER, SLOWER, SAME)]
    assert found.count(True) <= 1
