"""The claim file as it is written: the one source of its JSON Schema and of its reader.

The structs below name the keys, their types and what each is for. The reader checks
values against them (`verifier.claimfile.shape`), editors against the JSON Schema made
from them (`verifier.claimfile.schema`).
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from verifier.model import Kind, Quantifier, Severity

VERSION: Final = 1

_ID: Final = r"^[a-z0-9][a-z0-9-]*$"
_NAME: Final = r"^[A-Za-z_][A-Za-z0-9_]*$"
_AXIS: Final = r"^(?!verdict$)[A-Za-z_][A-Za-z0-9_]*$"
_DOTTED: Final = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$"
_SOMETHING: Final = r"\S"
_URL: Final = r"^https?://[^\s/][^\s]*$"
_LINES: Final = r"^[1-9][0-9]*(-[1-9][0-9]*)?$"
_SHA256: Final = r"^[0-9a-f]{64}$"
_WORD: Final = r"^\S+$"
DEVICE: Final = r"^(cpu|cuda|mps|xpu|meta)(:[0-9]+)?$"

#: What a string must be, for each pattern above.
PATTERN_MEANINGS: Final[dict[str, str]] = {
    _ID: 'must be lower-case letters, digits and "-"',
    _NAME: "must be a Python name",
    _AXIS: 'must be a Python name other than "verdict"',
    _DOTTED: "must be a dotted Python name",
    _SOMETHING: "is empty",
    _URL: "must be an http(s) address",
    _LINES: "must be a line (19) or lines (45-46)",
    _SHA256: "must be the document's SHA-256 digest, 64 hexadecimal digits in lower case",
    _WORD: "must be one word",
    DEVICE: "must be a device: cpu, cuda, mps, xpu or meta, with :N for one of several",
}

Text = Annotated[str, Meta(pattern=_SOMETHING)]
Code = Annotated[str, Meta(pattern=_SOMETHING)]
Id = Annotated[str, Meta(pattern=_ID)]
Dotted = Annotated[str, Meta(pattern=_DOTTED)]
Url = Annotated[str, Meta(pattern=_URL)]
Margin = Annotated[float, Meta(gt=0, description="Part of the time: 0.05 is 5 %.")]
Threads = Annotated[int, Meta(ge=1)] | Literal["default"]
Scalar = str | int | float | bool | None
AxisValue = str | int | float | bool | list[Scalar | list[Scalar]] | None
Recorded = Literal["verified", "refuted", "inconclusive", "not-checked", "error", "unverifiable"]
Lines = Annotated[int, Meta(ge=1)] | Annotated[str, Meta(pattern=_LINES)]


class _Format(Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Base: no keys but those named."""


class At(_Format, frozen=True, kw_only=True):
    """A place in the document: lines, or a W3C TextQuoteSelector."""

    lines: Annotated[Lines, Meta(description="A line, or first-last.")] | UnsetType = UNSET
    sentence: (
        Annotated[int, Meta(ge=1, description="Counted from 1 among those that begin on the line.")]
        | UnsetType
    ) = UNSET
    exact: Annotated[Text, Meta(description="The words themselves.")] | UnsetType = UNSET
    prefix: Annotated[str, Meta(description="The words right before them.")] | UnsetType = UNSET
    suffix: Annotated[str, Meta(description="The words right after them.")] | UnsetType = UNSET


Place = Annotated[int, Meta(ge=1)] | Annotated[str, Meta(pattern=_LINES)] | At


class Raises(_Format, frozen=True, kw_only=True):
    """Code that must raise this exception."""

    code: (
        Annotated[
            Code,
            Meta(description="May be left out in refuted_by: the code of expect's one `runs`."),
        ]
        | UnsetType
    ) = UNSET
    type: Annotated[Dotted, Meta(description="Name of the exception, or of a base of it.")]
    match: (
        Annotated[Text, Meta(description="Regular expression searched in the message.")] | UnsetType
    ) = UNSET


class Prints(_Format, frozen=True, kw_only=True):
    """Code whose standard output must read `text` (white space folded)."""

    code: Code
    text: str


class Warns(_Format, frozen=True, kw_only=True):
    """Code that must give a warning."""

    code: Code
    category: Dotted | UnsetType = UNSET
    match: Text | UnsetType = UNSET


class Comparison(_Format, frozen=True, kw_only=True):
    """Two pieces of code whose run times are compared."""

    baseline: Code
    candidate: Code
    by: Margin | UnsetType = UNSET
    baseline_setup: Code | UnsetType = UNSET
    candidate_setup: Code | UnsetType = UNSET
    threads: Threads | UnsetType = UNSET


class SameCost(_Format, frozen=True, kw_only=True):
    """Two pieces of code neither of which is slower than the other by more than `within`."""

    a: Code
    b: Code
    within: Margin | UnsetType = UNSET
    a_setup: Code | UnsetType = UNSET
    b_setup: Code | UnsetType = UNSET
    threads: Threads | UnsetType = UNSET


class Copies(_Format, frozen=True, kw_only=True):
    """The value of `code` shares no memory with the value of `of`."""

    code: Code
    of: Code


class SharesMemory(_Format, frozen=True, kw_only=True):
    """The values of `a` and `b` share memory."""

    a: Code
    b: Code


class Allocates(_Format, frozen=True, kw_only=True):
    """Running `code` allocates at least so many bytes of tensor memory."""

    code: Code
    at_least: Annotated[int, Meta(ge=1, description="Bytes.")]


class Matcher(_Format, frozen=True, kw_only=True):
    """One check other than an expression: exactly one of these keys."""

    runs: Annotated[Code, Meta(description="Code that must complete.")] | UnsetType = UNSET
    raises: Raises | UnsetType = UNSET
    prints: Prints | UnsetType = UNSET
    warns: Warns | UnsetType = UNSET
    faster: (
        Annotated[Comparison, Meta(description="candidate is faster than baseline.")] | UnsetType
    ) = UNSET
    slower: (
        Annotated[Comparison, Meta(description="candidate is slower than baseline.")] | UnsetType
    ) = UNSET
    same_cost: SameCost | UnsetType = UNSET
    copies: Copies | UnsetType = UNSET
    shares_memory: SharesMemory | UnsetType = UNSET
    allocates: Allocates | UnsetType = UNSET


Checks = Annotated[list[Code | Matcher], Meta(min_length=1)]


class Claim(_Format, frozen=True, kw_only=True):
    """A statement of the document and how to check it."""

    id: Annotated[Id, Meta(description="Unique within the source; lower case, digits, '-'.")]
    statement: Annotated[Text, Meta(description="What the document says, in one sentence.")]
    title: Annotated[str, Meta(max_length=75, pattern=_SOMETHING)] | UnsetType = UNSET
    at: Annotated[Place, Meta(description="Where the document says it.")] | UnsetType = UNSET
    kind: Kind
    severity: Severity | UnsetType = UNSET
    matrix: (
        Annotated[
            dict[
                Annotated[str, Meta(pattern=_AXIS)],
                Annotated[list[AxisValue], Meta(min_length=1)],
            ],
            Meta(description="Axis -> values; the claim is tried at every combination."),
        ]
        | UnsetType
    ) = UNSET
    exclude: (
        Annotated[
            list[Annotated[dict[str, AxisValue], Meta(min_length=1)]],
            Meta(description="Combinations of the matrix that are left out."),
        ]
        | UnsetType
    ) = UNSET
    quantifier: (
        Annotated[
            Quantifier,
            Meta(description="The statement holds if every case does, or if some case does."),
        ]
        | UnsetType
    ) = UNSET
    probe: (
        Annotated[Code, Meta(description="Code that sets up what the checks look at.")] | UnsetType
    ) = UNSET
    precondition: (
        Annotated[Checks, Meta(description="If one is false the case is not checked.")] | UnsetType
    ) = UNSET
    control: (
        Annotated[Checks, Meta(description="Must hold in any case: the probe can tell.")]
        | UnsetType
    ) = UNSET
    expect: Annotated[Checks, Meta(description="What the statement predicts.")] | UnsetType = UNSET
    refuted_by: (
        Annotated[Checks, Meta(description="What is seen instead, if it is refuted.")] | UnsetType
    ) = UNSET
    requires: (
        Annotated[list[Dotted], Meta(description="Modules without which it is not checked.")]
        | UnsetType
    ) = UNSET
    seeds: Annotated[int, Meta(ge=1, description="How many seeds to try.")] | UnsetType = UNSET
    timeout: Annotated[float, Meta(gt=0, description="Seconds.")] | UnsetType = UNSET
    verdict: (
        Annotated[Recorded, Meta(description="The recorded verdict, each case's default.")]
        | UnsetType
    ) = UNSET
    when: (
        Annotated[
            list[Annotated[dict[str, AxisValue], Meta(min_length=2)]],
            Meta(description="Cases whose recorded verdict differs; the last match wins."),
        ]
        | UnsetType
    ) = UNSET
    reason: (
        Annotated[Text, Meta(description="Why it cannot be verified or was not decided.")]
        | UnsetType
    ) = UNSET
    explanation: Text | UnsetType = UNSET
    correction: (
        Annotated[Text, Meta(description="The true statement; refuted_by is its proof.")]
        | UnsetType
    ) = UNSET
    references: list[Url] | UnsetType = UNSET
    tags: list[Annotated[str, Meta(pattern=_WORD)]] | UnsetType = UNSET
    issues: list[Text | int] | UnsetType = UNSET


class Source(_Format, frozen=True, kw_only=True):
    """The document that the claims are about."""

    id: Id
    title: str | UnsetType = UNSET
    url: Url | UnsetType = UNSET
    language: str | UnsetType = UNSET
    sha256: (
        Annotated[str, Meta(pattern=_SHA256, description="Digest of the document's bytes.")]
        | UnsetType
    ) = UNSET


class Ignored(_Format, frozen=True, kw_only=True):
    """A part of the document that says nothing checkable."""

    at: Place
    reason: Text


class ClaimFile(_Format, frozen=True, kw_only=True):
    """Claims about one document, each with an executable probe."""

    schema: Annotated[Literal[1], Meta(description="Version of this format.")]
    source: Source
    setup: (
        Annotated[Code, Meta(description="Code that runs before every probe of the file.")]
        | UnsetType
    ) = UNSET
    ignored: list[Ignored] | UnsetType = UNSET
    claims: Annotated[list[Claim], Meta(min_length=1)]
