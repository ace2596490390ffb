"""What of a document has a claim or is ignored with a reason, and what has neither.

Prose counts by the sentence, code and output by the line. A place with `lines` covers
the sentences that begin on them and their lines of code and output; with `sentence` that
sentence alone; a quote covers all that it touches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from verifier.document.anchors import AnchorProblem, Anchors, Span, describe
from verifier.document.blocks import BlockKind, Document
from verifier.model import Claim, ClaimFile, Ignored, Noun, Place, Problem

#: A place without a sentence may cover so many lines of prose, to say what it is about.
MOST_PROSE_LINES = 5
_WIDTH = 72


class Part(Noun, frozen=True, kw_only=True):
    """A sentence (then `sentence` is its number on `line`), or a line of code or output."""

    line: int
    kind: BlockKind
    text: str
    start: int
    end: int
    sentence: int | None = None


class Coverage(Noun, frozen=True, kw_only=True):
    """What claims say about a document.

    `covered` and `total` count parts by kind; headings count as prose. `stale` are the
    places in claim files that do not fit the document.
    """

    path: str
    uncovered: tuple[Part, ...]
    covered: dict[str, int]
    total: dict[str, int]
    stale: tuple[Problem, ...]


def coverage(document: Document, files: Iterable[ClaimFile]) -> Coverage:
    """Compare a document with the claim files about it."""
    anchors = Anchors(document)
    parts = _parts(anchors)
    covered: set[Part] = set()
    stale: list[Problem] = []
    for file in files:
        stale.extend(_other_digest(file, document))
        entries: tuple[Claim | Ignored, ...] = (*file.claims, *file.ignored)
        for entry in entries:
            if entry.at is None:
                continue
            found = anchors.resolve(entry.at)
            if isinstance(found, AnchorProblem):
                stale.append(_problem(file, entry, found.message))
                continue
            named = [part for part in parts if _covers(entry.at, found, part)]
            covered.update(named)
            stale.extend(_unfit(file, entry, found, anchors, named))
    return Coverage(
        path=document.path,
        uncovered=tuple(part for part in parts if part not in covered),
        covered=_count(covered),
        total=_count(parts),
        stale=tuple(stale),
    )


def text_lines(coverage: Coverage) -> list[str]:
    """A report for the terminal: stale places, what is not covered, and the counts."""
    lines = [str(problem) for problem in coverage.stale]
    for part in coverage.uncovered:
        name = part.kind if part.sentence is None else f"sentence {part.sentence}"
        text = part.text if len(part.text) <= _WIDTH else part.text[: _WIDTH - 1] + "…"
        lines.append(f"{coverage.path}:{part.line}: {name}: {text}")
    names = {"prose": "sentences", "code": "lines of code", "output": "lines of output"}
    counts = [
        f"{coverage.covered.get(kind, 0)} of {coverage.total[kind]} {name}"
        for kind, name in names.items()
        if kind in coverage.total
    ]
    return [*lines, f"{coverage.path}: covered are {', '.join(counts) or 'no lines'}"]


def _parts(anchors: Anchors) -> list[Part]:
    parts = [
        Part(
            line=sentence.line,
            kind=sentence.kind,
            text=sentence.text,
            start=sentence.start,
            end=sentence.end,
            sentence=sentence.number,
        )
        for sentence in anchors.sentences
        # Rules and underlines are made of marks alone and say nothing.
        if any(character.isalnum() for character in sentence.text)
    ]
    for block in anchors.document.blocks:
        if block.is_prose:
            continue
        parts.extend(
            Part(
                line=line.number,
                kind=block.kind,
                text=line.text.strip(),
                start=line.start,
                end=line.end,
            )
            for line in anchors.lines[block.first_line - 1 : block.last_line]
            if not line.is_blank
        )
    return sorted(parts, key=lambda part: part.start)


def _covers(place: Place, span: Span, part: Part) -> bool:
    if place.lines is None:
        return part.start < span.end and span.start < part.end
    if place.sentence is not None:
        return part.start == span.start
    return place.lines[0] <= part.line <= place.lines[1]


def _other_digest(file: ClaimFile, document: Document) -> Iterator[Problem]:
    if file.source and file.source.sha256 and file.source.sha256.lower() != document.digest:
        yield Problem(
            file=file.path,
            message=f"source.sha256 is not that of {document.path} ({document.digest}): "
            "the document has changed or is another one; check the places, then the digest",
        )


def _unfit(
    file: ClaimFile, entry: Claim | Ignored, span: Span, anchors: Anchors, named: list[Part]
) -> Iterator[Problem]:
    """Places that the document has, but that do not say which statement is meant."""
    place = entry.at
    if place is None or place.lines is None:
        return
    if not named:
        yield _problem(
            file, entry, f"{describe(place)}: nothing begins there{_begun_above(span, anchors)}"
        )
    if place.sentence is None:
        first, last = place.lines
        count = sum(
            not line.is_blank
            for block in anchors.document.blocks
            if block.is_prose
            for line in anchors.lines[block.first_line - 1 : block.last_line]
            if first <= line.number <= last
        )
        if count > MOST_PROSE_LINES:
            yield _problem(
                file,
                entry,
                f"{describe(place)}: covers {count} lines of prose, at most "
                f"{MOST_PROSE_LINES} are allowed; name a sentence or fewer lines",
            )


def _begun_above(span: Span, anchors: Anchors) -> str:
    for sentence in anchors.sentences:
        if sentence.start < span.start < sentence.end:
            return f"; the sentence begins on line {sentence.line}"
    return "; name lines with text"


def _problem(file: ClaimFile, entry: Claim | Ignored, message: str) -> Problem:
    name = entry.id if isinstance(entry, Claim) else "ignored"
    return Problem(
        file=file.path,
        line=entry.line,
        column=entry.column,
        claim=entry.id if isinstance(entry, Claim) else "",
        message=f"{name}: {message}",
    )


def _count(parts: Iterable[Part]) -> dict[str, int]:
    return dict(Counter("prose" if part.sentence is not None else part.kind for part in parts))
