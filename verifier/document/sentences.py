"""The sentences of a document's prose.

A sentence belongs to the line on which it begins and is numbered from 1 there. A line
break does not end it; the end of its block does. Where it ends otherwise, see
:mod:`verifier.document.ends`.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterator

from verifier.document.blocks import BlockKind, Document, lines_of
from verifier.document.ends import ends
from verifier.model import Noun


class Sentence(Noun, frozen=True, kw_only=True):
    """A sentence or a heading. `text` has its white space folded, the span has not.

    `number` counts the sentences that begin on `line`.
    """

    line: int
    number: int
    last_line: int
    start: int
    end: int
    text: str
    kind: BlockKind = "prose"


def sentences(document: Document) -> tuple[Sentence, ...]:
    """All sentences, in order. Together they hold everything but space of the prose."""
    starts = [line.start for line in lines_of(document.text)]
    begun: Counter[int] = Counter()
    found = []
    for block in document.blocks:
        if not block.is_prose:
            continue
        for start, end in _spans(document.text, block.start, block.end):
            line = bisect.bisect_right(starts, start)
            begun[line] += 1
            found.append(
                Sentence(
                    line=line,
                    number=begun[line],
                    last_line=bisect.bisect_right(starts, end - 1),
                    start=start,
                    end=end,
                    text=" ".join(document.text[start:end].split()),
                    kind=block.kind,
                )
            )
    return tuple(found)


def _spans(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """The spans between ends of sentences, without the space around them."""
    part = text[start:stop]
    begin = 0
    for end in [*ends(part), len(part)]:
        sentence = part[begin:end]
        if sentence.strip():
            lead = len(sentence) - len(sentence.lstrip())
            yield start + begin + lead, start + begin + len(sentence.rstrip())
        begin = end
