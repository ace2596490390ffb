"""From a claim's place to the span of the document that it means, or why there is none.

Quotes are those of the W3C Web Annotation model's TextQuoteSelector, except that exactly
one match is wanted. White space is folded on both sides; nothing else is forgiven, since
a statement that was reworded may have become another one.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Literal

from verifier.document.blocks import Document, Line, lines_of
from verifier.document.sentences import Sentence, sentences
from verifier.model import Noun, Place


class Span(Noun, frozen=True, kw_only=True):
    """A part of a document's text, as half-open offsets in code points."""

    start: int
    end: int


class AnchorProblem(Noun, frozen=True, kw_only=True):
    """Why a place names no part of the document.

    *outside*: the document has fewer lines; *no-sentence*: fewer sentences begin on the
    line; *ambiguous*: the quote is found several times; *orphaned*: it is not found.
    """

    reason: Literal["outside", "no-sentence", "ambiguous", "orphaned"]
    message: str


class Anchors:
    """A document prepared for finding many places in it."""

    def __init__(self, document: Document) -> None:
        self.document = document

    @functools.cached_property
    def lines(self) -> tuple[Line, ...]:
        """The lines of the document."""
        return lines_of(self.document.text)

    @functools.cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of the document."""
        return sentences(self.document)

    def resolve(self, place: Place) -> Span | AnchorProblem:
        """The span that a place means."""
        if place.lines is None:
            return self._quote(place)
        first, last = place.lines
        if not 1 <= first <= last <= len(self.lines):
            count = len(self.lines)
            return AnchorProblem(
                reason="outside",
                message=f"{describe(place)} is outside {self.document.path}, "
                f"which has {count} line{'' if count == 1 else 's'}",
            )
        if place.sentence is not None:
            return self._sentence(first, place.sentence)
        return Span(start=self.lines[first - 1].start, end=self.lines[last - 1].end)

    def _sentence(self, line: int, number: int) -> Span | AnchorProblem:
        begun = [sentence for sentence in self.sentences if sentence.line == line]
        for sentence in begun:
            if sentence.number == number:
                return Span(start=sentence.start, end=sentence.end)
        count = len(begun)
        begin = f"{count} sentence begins" if count == 1 else f"{count or 'no'} sentences begin"
        return AnchorProblem(
            reason="no-sentence",
            message=f"there is no sentence {number}: {begin} on line {line} "
            "(a sentence belongs to the line on which it begins)",
        )

    def _quote(self, place: Place) -> Span | AnchorProblem:
        found = list(self._matches(place))
        if len(found) == 1:
            return found[0]
        if not found:
            return AnchorProblem(
                reason="orphaned",
                message=f"{describe(place)} is not in {self.document.path}; "
                "quote the text as it stands there",
            )
        return AnchorProblem(
            reason="ambiguous",
            message=f"{describe(place)} is found {len(found)} times in {self.document.path}; "
            "tell them apart with prefix and suffix",
        )

    def _matches(self, place: Place) -> Iterator[Span]:
        text, offsets = self._folded
        exact, prefix, suffix = map(_fold, (place.exact or "", place.prefix, place.suffix))
        at = text.find(exact) if exact else -1
        while at >= 0:
            end = at + len(exact)
            # One more, for the space between the parts.
            before = text[max(0, at - len(prefix) - 1) : at].rstrip()
            behind = text[end : end + len(suffix) + 1].lstrip()
            if before.endswith(prefix) and behind.startswith(suffix):
                yield Span(start=offsets[at], end=offsets[end - 1] + 1)
            at = text.find(exact, at + 1)

    @functools.cached_property
    def _folded(self) -> tuple[str, list[int]]:
        """The text with white space folded, and where each character of it was."""
        words: list[str] = []
        offsets: list[int] = []
        for match in re.finditer(r"\S+", self.document.text):
            if words:
                offsets.append(match.start() - 1)
            words.append(match[0])
            offsets.extend(range(*match.span()))
        return " ".join(words), offsets


def resolve(place: Place, document: Document) -> Span | AnchorProblem:
    """The span of a document that a place means, or why there is none."""
    return Anchors(document).resolve(place)


def describe(place: Place) -> str:
    """A place in words, as a user would write it."""
    if place.lines is None:
        quote = _fold(place.exact or "")
        return f'"{quote if len(quote) <= 60 else quote[:59] + "…"}"'
    first, last = place.lines
    lines = f"line {first}" if first == last else f"lines {first}-{last}"
    return lines if place.sentence is None else f"{lines}, sentence {place.sentence}"


def _fold(text: str) -> str:
    return " ".join(text.split())
