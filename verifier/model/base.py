"""What all nouns have in common, and the words for a verdict."""

from __future__ import annotations

import enum

import msgspec


class Noun(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all nouns: immutable and compared by value.

    msgspec hands `frozen` down but not `kw_only`, and mypy neither, so each noun
    repeats both.
    """


class Verdict(enum.StrEnum):
    """The judgement of an observation against a statement."""

    VERIFIED = "verified"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"
    NOT_CHECKED = "not-checked"
    ERROR = "error"
    UNVERIFIABLE = "unverifiable"
