"""Judging: an observation against a statement gives a verdict."""

from verifier.judge.merging import merge
from verifier.judge.rollup import agrees, count, outcome, roll_up
from verifier.judge.rules import REASONS, is_decided, judge

__all__ = ["REASONS", "agrees", "count", "is_decided", "judge", "merge", "outcome", "roll_up"]
