"""The nouns of verifier, as small frozen types.

Data flows one way through them::

    claim file -> Claim -> Case -> Observation -> Judgement -> CaseResult -> ClaimResult -> Results

Nothing here runs code, reads a file or imports anything but msgspec, so every
other part of the package may import this module and it imports none of them.
Times are seconds, sizes are bytes, lines and columns count from 1.
"""

from __future__ import annotations

import enum
from typing import Any, Literal

import msgspec

Kind = Literal["behaviour", "output", "error", "performance", "memory", "existence"]
Severity = Literal["critical", "major", "minor", "info"]
Quantifier = Literal["every", "some"]
Role = Literal["precondition", "control", "expect", "refuted_by"]

#: How a child ended. Only ``done`` carries observations of checks; all the
#: others are the machinery's or the probe's trouble and never count against
#: the statement.
Outcome = Literal[
    "done",
    "exception",  # setup or probe raised; `stage` says which
    "missing-module",  # a module named in `requires` is not installed
    "no-device",
    "timeout",  # wall clock
    "cpu-limit",
    "memory-limit",
    "output-limit",
    "signal",  # died by a signal; `detail` names it
    "no-result",  # ended without a record (os._exit, exec, ...)
    "channel-corrupt",  # a record that cannot be read
    "server-died",  # the fork server died twice under this case
    "unavailable",  # the fork server cannot be started at all
]


class Verdict(enum.StrEnum):
    """The judgement of an observation against a statement."""

    VERIFIED = "verified"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"
    NOT_CHECKED = "not-checked"
    ERROR = "error"
    UNVERIFIABLE = "unverifiable"


class Noun(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all nouns: immutable and compared by value.

    msgspec hands `frozen` down but not `kw_only`, and mypy neither, so each noun
    repeats both.
    """


# --- what a claim file says ------------------------------------------------------


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


# --- what happened in the child --------------------------------------------------


class Frame(Noun, frozen=True, kw_only=True):
    """One line of a traceback, cut to the user's own code."""

    file: str
    line: int
    name: str
    text: str = ""


class Raised(Noun, frozen=True, kw_only=True):
    """An exception: `types` is its method resolution order as qualified names
    (``builtins.`` left out), the exception's own type first.
    """

    types: tuple[str, ...]
    message: str
    frames: tuple[Frame, ...] = ()

    @property
    def type(self) -> str:
        """The qualified name of the exception's own type."""
        return self.types[0]

    def __str__(self) -> str:
        return f"{self.type}: {self.message}" if self.message else self.type


class Warned(Noun, frozen=True, kw_only=True):
    """A warning, with its category's method resolution order as for `Raised`."""

    types: tuple[str, ...]
    message: str
    line: int = 0


class Operand(Noun, frozen=True, kw_only=True):
    """A part of an expression and a short description of its value."""

    code: str
    value: str


class Memory(Noun, frozen=True, kw_only=True):
    """What the memory of two values, or of one allocation, showed."""

    same_object: bool | None = None
    same_storage: bool | None = None
    overlap: bool | None = None
    write_through: bool | None = None
    allocated: int | None = None


class Timing(Noun, frozen=True, kw_only=True):
    """Epochs of one child: medians of log(time of first / time of second) per epoch.

    `identical` says why the two sides are the same by structure, in which case
    nothing was timed. `same_values` is None where the results cannot be compared.
    """

    identical: str = ""
    same_values: bool | None = None
    cpu: tuple[float, ...] = ()
    wall: tuple[float, ...] = ()
    first_seconds: float | None = None
    second_seconds: float | None = None
    quads: int = 0
    threads: int = 1


class Observed(Noun, frozen=True, kw_only=True):
    """What one check showed; which fields are set depends on the check."""

    truth: bool | None = None
    value: str | None = None
    operands: tuple[Operand, ...] = ()
    exception: Raised | None = None
    output: str | None = None
    warnings: tuple[Warned, ...] = ()
    memory: Memory | None = None
    timing: Timing | None = None


class Durations(Noun, frozen=True, kw_only=True):
    """Seconds spent. `total` is from submission to observation, without `queue`."""

    queue: float = 0.0
    fork: float = 0.0
    setup: float = 0.0
    probe: float = 0.0
    checks: float = 0.0
    total: float = 0.0


class Observation(Noun, frozen=True, kw_only=True):
    """What really happened when a case ran. It holds no judgement."""

    outcome: Outcome = "done"
    stage: Literal["", "setup", "probe", "checks"] = ""
    detail: str = ""
    exception: Raised | None = None
    checks: tuple[Observed, ...] = ()
    stdout: str = ""
    stderr: str = ""
    dropped: int = 0  # bytes of output beyond what is kept
    warnings: tuple[Warned, ...] = ()
    durations: Durations = Durations()
    attempts: int = 1


# --- what the parent makes of it -------------------------------------------------


class Evidence(Noun, frozen=True, kw_only=True):
    """One check with what it showed. `holds` is None where it could not be decided."""

    role: Role
    code: str
    holds: bool | None
    detail: str = ""
    line: int = 0
    operands: tuple[Operand, ...] = ()


class Judgement(Noun, frozen=True, kw_only=True):
    """The verdict on one case.

    `reason` is a code from the table in :mod:`verifier.judge.rules` (empty where
    the verdict needs none), `detail` a sentence for people. `expected` and
    `observed` are the decisive check in words.
    """

    verdict: Verdict
    reason: str = ""
    detail: str = ""
    expected: str = ""
    observed: str = ""
    remarks: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    samples: tuple[float, ...] = ()
    interval: tuple[float, float] | None = None


class Environment(Noun, frozen=True, kw_only=True):
    """Where cases ran."""

    id: str
    device: str = "cpu"
    device_name: str = ""
    driver: str = ""
    torch: str = ""
    numpy: str = ""
    cuda: str = ""
    python: str = ""
    platform: str = ""
    threads: int = 1
    isolation: str = ""


class CaseResult(Noun, frozen=True, kw_only=True):
    """A case with its verdict and everything a report shows of it."""

    id: str
    params: dict[str, Any]
    environment: str
    verdict: Verdict
    reason: str = ""
    detail: str = ""
    ledger: Verdict | None = None
    agrees: bool = True
    expected: str = ""
    observed: str = ""
    remarks: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    exception: Raised | None = None
    stdout: str = ""
    stderr: str = ""
    warnings: tuple[Warned, ...] = ()
    durations: Durations = Durations()
    samples: tuple[float, ...] = ()
    interval: tuple[float, float] | None = None
    seed: int = 0
    attempts: int = 1
    reproduce: str = ""


class ClaimResult(Noun, frozen=True, kw_only=True):
    """A claim with the verdicts of its cases, and the one word they roll up to."""

    id: str
    source: str
    file: str
    line: int
    statement: str
    kind: Kind
    severity: Severity
    verdict: Verdict
    quantifier: Quantifier = "every"
    at: Place | None = None
    title: str = ""
    reason: str = ""
    count: str = ""  # "k of n, m not tried"
    ledger: Verdict | None = None
    agrees: bool = True
    explanation: str = ""
    correction: str = ""
    references: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    probe: str = ""
    probe_line: int = 0
    setup: str = ""
    planned: int = 0  # cases of the whole matrix, run or not
    cases: tuple[CaseResult, ...] = ()


class RunInfo(Noun, frozen=True, kw_only=True):
    """One execution of many cases."""

    tool: str = "verifier"
    version: str = ""
    command: str = ""
    started: str = ""  # RFC 3339
    finished: str = ""
    duration: float = 0.0
    interrupted: bool = False


class Summary(Noun, frozen=True, kw_only=True):
    """Counts over claims and cases, and the ids of claims that differ from the ledger."""

    claims: dict[str, int] = {}
    cases: dict[str, int] = {}
    refuted_as_recorded: int = 0
    changed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


class Results(Noun, frozen=True, kw_only=True):
    """One run, the only thing that reports read. ``schema`` is the format's version."""

    schema: int = 1
    run: RunInfo = RunInfo()
    environments: dict[str, Environment] = {}
    documents: tuple[Source, ...] = ()
    claims: tuple[ClaimResult, ...] = ()
    summary: Summary = Summary()
