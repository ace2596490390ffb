"""Claims: what a document says, how to check it, and what is on record."""

from __future__ import annotations

from typing import Any, Literal

from verifier.model.base import Noun, Verdict
from verifier.model.checks import AnyCheck, Code, Comparison

Kind = Literal["behaviour", "output", "error", "performance", "memory", "existence"]
Severity = Literal["critical", "major", "minor", "info"]
Quantifier = Literal["every", "some"]
Role = Literal["precondition", "control", "expect", "refuted_by"]


class Place(Noun, frozen=True, kw_only=True):
    """Where a document says something.

    Either `lines` (first, last; with `sentence` counted among those that begin
    on the first line), or a W3C TextQuoteSelector in `exact`, `prefix`, `suffix`.
    """

    lines: tuple[int, int] | None = None
    sentence: int | None = None
    exact: str | None = None
    prefix: str = ""
    suffix: str = ""


class Source(Noun, frozen=True, kw_only=True):
    """The document that claims are about. `sha256` is the digest of its bytes."""

    id: str
    title: str = ""
    language: str = ""
    url: str = ""
    sha256: str = ""


class LedgerException(Noun, frozen=True, kw_only=True):
    """Cases whose recorded verdict differs: all `conditions` (axis -> value, or
    package -> version specifier) must hold.
    """

    conditions: dict[str, Any]
    verdict: Verdict


class Ledger(Noun, frozen=True, kw_only=True):
    """The verdict recorded in the claim file; of several exceptions the last match wins."""

    verdict: Verdict | None = None
    when: tuple[LedgerException, ...] = ()
    reason: str = ""


class Claim(Noun, frozen=True, kw_only=True):
    """A statement and how to check it.

    A claim without a `probe` is unverifiable and has a `reason`. `file` is the
    path as the user gave it; `line` and `column` are those of the claim's first key.
    """

    id: str
    statement: str
    kind: Kind
    source: Source
    file: str
    line: int
    column: int = 1
    title: str = ""
    severity: Severity = "major"
    at: Place | None = None
    quantifier: Quantifier = "every"
    matrix: dict[str, tuple[Any, ...]] = {}
    exclude: tuple[dict[str, Any], ...] = ()
    setup: Code | None = None
    probe: Code | None = None
    precondition: tuple[AnyCheck, ...] = ()
    control: tuple[AnyCheck, ...] = ()
    expect: tuple[AnyCheck, ...] = ()
    refuted_by: tuple[AnyCheck, ...] = ()
    requires: tuple[str, ...] = ()
    seeds: int = 1
    timeout: float | None = None
    ledger: Ledger = Ledger()
    reason: str = ""
    explanation: str = ""
    correction: str = ""
    references: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def checks(self) -> tuple[AnyCheck, ...]:
        """All checks in the order in which the child evaluates them."""
        return self.precondition + self.control + self.expect + self.refuted_by

    @property
    def roles(self) -> tuple[Role, ...]:
        """The role of each of `checks`. The child never sees these."""
        counts: tuple[tuple[Role, int], ...] = (
            ("precondition", len(self.precondition)),
            ("control", len(self.control)),
            ("expect", len(self.expect)),
            ("refuted_by", len(self.refuted_by)),
        )
        return tuple(role for role, count in counts for _ in range(count))

    @property
    def is_timed(self) -> bool:
        """Whether a check of this claim needs a clock, so that it must run alone."""
        return any(isinstance(check, Comparison) for check in self.checks)


class Case(Noun, frozen=True, kw_only=True):
    """A claim at one point of its matrix. `id` is unique within the claim."""

    claim: Claim
    id: str
    params: dict[str, Any]

    @property
    def device(self) -> str:
        """The device to run on: the case's own, or the CPU."""
        return str(self.params.get("device", "cpu"))


class Ignored(Noun, frozen=True, kw_only=True):
    """A part of the document that says nothing checkable (heading, tag, pure comment)."""

    at: Place
    reason: str
    line: int = 1
    column: int = 1


class Problem(Noun, frozen=True, kw_only=True):
    """A mistake in a file of the user's: what is wrong, where, and what to do."""

    file: str
    message: str
    line: int = 1
    column: int = 1
    claim: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class ClaimFile(Noun, frozen=True, kw_only=True):
    """A claim file as read. Claims with a problem are not among `claims`."""

    path: str
    source: Source | None = None
    claims: tuple[Claim, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    problems: tuple[Problem, ...] = ()
