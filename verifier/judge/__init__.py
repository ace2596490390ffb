"""Judging: an observation against a statement gives a verdict."""

from verifier.judge.rollup import agrees, count, outcome, roll_up

__all__ = ["agrees", "count", "outcome", "roll_up"]
