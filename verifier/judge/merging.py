"""Put together what several children of one timed case observed."""

from __future__ import annotations

import msgspec

from verifier.model import Durations, Observation, Observed, Timing


def merge(first: Observation, second: Observation) -> Observation:
    """One observation of a case from two children, with the epochs of both.

    Everything but timing is the first child's. A child that did not complete is
    returned as it is, the second before the first: its trouble must not get lost.
    """
    for observation in (second, first):
        if observation.outcome != "done":
            return observation
    if len(first.checks) != len(second.checks):
        return second
    return msgspec.structs.replace(
        first,
        checks=tuple(map(_merge_checks, first.checks, second.checks)),
        durations=_sum(first.durations, second.durations),
    )


def _merge_checks(first: Observed, second: Observed) -> Observed:
    if second.exception is not None and first.exception is None:
        return second
    if first.timing is None or second.timing is None:
        return first
    return msgspec.structs.replace(first, timing=_merge_timings(first.timing, second.timing))


def _merge_timings(first: Timing, second: Timing) -> Timing:
    return Timing(
        identical=first.identical if first.identical and second.identical else "",
        same_values=_all_same(first.same_values, second.same_values),
        cpu=first.cpu + second.cpu,
        wall=first.wall + second.wall,
        first_seconds=_mean(first, second, first.first_seconds, second.first_seconds),
        second_seconds=_mean(first, second, first.second_seconds, second.second_seconds),
        quads=first.quads + second.quads,
        threads=max(first.threads, second.threads),
    )


def _all_same(first: bool | None, second: bool | None) -> bool | None:
    if False in (first, second):
        return False
    return first if first is not None else second


def _mean(first: Timing, second: Timing, one: float | None, other: float | None) -> float | None:
    """The mean of two times, each weighted by its epochs."""
    if one is None or other is None:
        return one if other is None else other
    epochs = len(first.wall) + len(second.wall)
    return (one * len(first.wall) + other * len(second.wall)) / epochs if epochs else one


def _sum(first: Durations, second: Durations) -> Durations:
    pairs = zip(msgspec.structs.astuple(first), msgspec.structs.astuple(second), strict=True)
    return Durations(**dict(zip(first.__struct_fields__, map(sum, pairs), strict=True)))
