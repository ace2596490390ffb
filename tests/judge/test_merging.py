"""Several children of one timed case make one observation."""

import pytest

from verifier.judge import merge
from verifier.model import Durations, Observation, Observed, Raised, Timing

RAISED = Raised(types=("ValueError",), message="no")


def observation(timing=None, **fields):
    checks = (Observed(truth=True), Observed(timing=timing or Timing()))
    return Observation(checks=checks, durations=Durations(queue=1.0, probe=0.5), **fields)


def merged(first, second):
    return merge(observation(first), observation(second)).checks[1].timing


def test_epochs_follow_each_other():
    timing = merged(
        Timing(cpu=(0.1, 0.2), wall=(0.3, 0.4), quads=5, first_seconds=1.0, second_seconds=2.0),
        Timing(cpu=(0.5,), wall=(0.6,), quads=2, first_seconds=4.0, second_seconds=None),
    )
    assert timing == Timing(
        cpu=(0.1, 0.2, 0.5),
        wall=(0.3, 0.4, 0.6),
        quads=7,
        first_seconds=2.0,
        second_seconds=2.0,
    )


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [(None, None, None), (True, None, True), (None, False, False), (True, False, False)],
)
def test_values_that_differ_once_differ(first, second, same):
    assert merged(Timing(same_values=first), Timing(same_values=second)).same_values is same


def test_what_is_identical_in_one_child_alone_is_timed():
    assert merged(Timing(identical="why"), Timing(identical="why")).identical == "why"
    assert merged(Timing(identical="why"), Timing(wall=(0.1,))).identical == ""


def test_durations_add_up():
    durations = merge(observation(), observation()).durations
    assert durations == Durations(queue=2.0, probe=1.0)


def test_other_checks_are_the_first_childs():
    second = Observation(checks=(Observed(truth=False), Observed(timing=Timing(wall=(0.1,)))))
    assert merge(observation(), second).checks[0].truth is True


@pytest.mark.parametrize("trouble", ["timeout", "channel-corrupt"])
def test_trouble_is_not_lost(trouble):
    broken = Observation(outcome=trouble)
    assert merge(observation(), broken) is broken
    assert merge(broken, observation()) is broken


def test_an_exception_is_not_lost():
    broken = Observation(checks=(Observed(truth=True), Observed(exception=RAISED)))
    assert merge(observation(), broken).checks[1].exception == RAISED
    assert merge(broken, observation()).checks[1].exception == RAISED


def test_records_of_different_length_are_not_mixed():
    short = Observation(checks=(Observed(truth=True),))
    assert merge(observation(), short) is short
