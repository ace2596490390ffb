"""Checks: what a claim file expects of a probe, entry by entry."""

from __future__ import annotations

from typing import Literal

from verifier.model.base import Noun


class Code(Noun, frozen=True, kw_only=True):
    """A piece of Python and where it stands in the claim file.

    `line` is the line of the file on which the first line of `text` stands and
    `column` the column of its first character, so that line *k* of `text` is
    line ``line + k - 1`` of the file. Every traceback and error relies on it.
    """

    text: str
    line: int
    column: int = 1


class Check(Noun, frozen=True, kw_only=True, tag_field="check"):
    """One entry of `precondition`, `control`, `expect` or `refuted_by`."""


class Expression(Check, frozen=True, kw_only=True, tag="expression"):
    """A Python expression that must be true."""

    code: Code


class Runs(Check, frozen=True, kw_only=True, tag="runs"):
    """Code (statements) that must complete."""

    code: Code


class Raises(Check, frozen=True, kw_only=True, tag="raises"):
    """Code that must raise `type` (or a subclass) with a message that `match` finds."""

    code: Code
    type: str
    match: str | None = None


class Prints(Check, frozen=True, kw_only=True, tag="prints"):
    """Code whose standard output must read `text` (white space folded)."""

    code: Code
    text: str


class Warns(Check, frozen=True, kw_only=True, tag="warns"):
    """Code that must give a warning of `category` (or a subclass)."""

    code: Code
    category: str = "Warning"
    match: str | None = None


class Comparison(Check, frozen=True, kw_only=True):
    """Two pieces of code whose run times are compared.

    The statistic is always log(time of first / time of second).
    """

    first: Code
    second: Code
    margin: float = 0.05
    first_setup: Code | None = None
    second_setup: Code | None = None
    threads: int | Literal["default"] = 1


class Faster(Comparison, frozen=True, kw_only=True, tag="faster"):
    """`second` (the candidate) is faster than `first` (the baseline) by more than `margin`."""


class Slower(Comparison, frozen=True, kw_only=True, tag="slower"):
    """`second` (the candidate) is slower than `first` (the baseline) by more than `margin`."""


class SameCost(Comparison, frozen=True, kw_only=True, tag="same_cost"):
    """Neither side is slower than the other by more than `margin`."""


class Copies(Check, frozen=True, kw_only=True, tag="copies"):
    """The value of `code` shares no memory with the value of `of`."""

    code: Code
    of: Code


class SharesMemory(Check, frozen=True, kw_only=True, tag="shares_memory"):
    """The values of `first` and `second` share memory."""

    first: Code
    second: Code


class Allocates(Check, frozen=True, kw_only=True, tag="allocates"):
    """Running `code` allocates at least `at_least` bytes of tensor memory."""

    code: Code
    at_least: int


AnyCheck = (
    Expression
    | Runs
    | Raises
    | Prints
    | Warns
    | Faster
    | Slower
    | SameCost
    | Copies
    | SharesMemory
    | Allocates
)
