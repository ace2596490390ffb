"""A document as read: its text, and blocks with spans into it.

Offsets count code points of `Document.text` (Python's ``len``), half open; lines count
from 1 and are ended by LF, CR LF or CR only, as editors count them.
"""

from __future__ import annotations

import re
from typing import Literal

from verifier.model import Noun

BlockKind = Literal["heading", "prose", "code", "output"]


class Line(Noun, frozen=True, kw_only=True):
    """One line of a text, without its end."""

    number: int
    start: int
    end: int
    text: str

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing but white space."""
        return not self.text.strip()


class Block(Noun, frozen=True, kw_only=True):
    """A stretch of whole lines of one kind.

    A block of prose is a paragraph or one item of a list, with its mark. Blocks of
    code may have blank lines inside; no block begins or ends with one.
    """

    kind: BlockKind
    start: int
    end: int
    first_line: int
    last_line: int

    @property
    def is_prose(self) -> bool:
        """Whether it is made of sentences; a heading counts as one."""
        return self.kind in ("heading", "prose")


class Document(Noun, frozen=True, kw_only=True):
    """A tutorial as found. `digest` is the SHA-256 of the file's bytes, in hexadecimal.

    Blocks are in order, do not overlap, and each line that is not blank is in one of them.
    """

    path: str
    text: str
    digest: str
    blocks: tuple[Block, ...] = ()


_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")


def lines_of(text: str) -> tuple[Line, ...]:
    """The lines of a text. An end of line at the very end begins no further line."""
    lines = []
    for number, match in enumerate(_LINE.finditer(text), start=1):
        if match.start() == len(text) and text:
            break
        lines.append(Line(number=number, start=match.start(), end=match.end(1), text=match[1]))
    return tuple(lines)
