"""Plain text: paragraphs, list items, headings, and code whose fences were lost.

Code and output are told by :mod:`verifier.document.codelines`. In what is left

* a list item begins where a line begins with a list mark (``-``, ``*``, ``•``, ``1.``);
* a heading is a short line without the end of a sentence that begins where nothing is
  left open: below a blank line, code, output, a heading or the end of a sentence. It is
  none if it ends in a comma or the like, or if the next line begins with a small letter,
  in scripts that have such: then the line is the first of a wrapped sentence;
* a line that ends in inline code goes on in the next one, since pages put line breaks
  behind inline code when they are copied. A heading may be broken so, too;
* all other lines go on with the paragraph above until a blank line, an item or code.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from verifier.document.blocks import Block, BlockKind, Line, lines_of
from verifier.document.codelines import LineKind, kinds_of
from verifier.document.ends import LIST_MARK, ends

#: Characters that a heading may have.
LONGEST_HEADING = 60

_ASCII_TAIL = re.compile(r"[A-Za-z0-9_.()\[\]]+\Z")
_CODE_TAIL = re.compile(
    r"\.?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|.*(?:\(\)|\w\(.*\)|\w\[.*\]|_).*|\.\w+"
)
_UNFINISHED = (",", ";", ":", "(", "-", "，", "、", "；", "：")
_CONSTANTS = frozenset({"True", "False", "None"})


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of a plain text."""
    lines = lines_of(text)
    kinds, names = kinds_of([line.text for line in lines])
    found: list[Block] = []
    at = 0
    while at < len(lines):
        kind = kinds[at]
        if kind == "blank":
            at += 1
            continue
        if kind == "text":
            block, end = _prose(lines, kinds, names, at)
        else:
            end = at + 1
            while end < len(lines) and kinds[end] == kind:
                end += 1
            block = _block("code" if kind == "code" else "output", lines[at:end])
        found.append(block)
        at = end
    return tuple(found)


def _block(kind: BlockKind, lines: Sequence[Line]) -> Block:
    first, last = lines[0], lines[-1]
    return Block(
        kind=kind,
        start=first.start,
        end=last.end,
        first_line=first.number,
        last_line=last.number,
    )


def _prose(
    lines: Sequence[Line], kinds: Sequence[LineKind], names: frozenset[str], at: int
) -> tuple[Block, int]:
    """The heading, item or paragraph that begins on a line, and the line after it."""
    if end := _heading_end(lines, kinds, names, at):
        return _block("heading", lines[at:end]), end
    end = at + 1
    while end < len(lines) and kinds[end] == "text" and not LIST_MARK.match(lines[end].text):
        closed = _is_closed(lines[end - 1].text)
        if closed and _heading_end(lines, kinds, names, end):
            break
        end += 1
    return _block("prose", lines[at:end]), end


def _heading_end(
    lines: Sequence[Line], kinds: Sequence[LineKind], names: frozenset[str], at: int
) -> int | None:
    """The line after the heading that begins on a line, or None where none does."""
    if LIST_MARK.match(lines[at].text):
        return None
    text = ""
    for end in range(at, len(lines)):
        if kinds[end] != "text" or (end > at and LIST_MARK.match(lines[end].text)):
            return end
        text = f"{text} {lines[end].text.strip()}".strip()
        if len(text) > LONGEST_HEADING or ends(text) or text.endswith(_UNFINISHED):
            return None
        if not _ends_in_code(text, names):
            below = lines[end + 1].text if end + 1 < len(lines) and kinds[end + 1] == "text" else ""
            return None if _is_wrapped(text, below) else end + 1
    return len(lines)


def _is_wrapped(text: str, below: str) -> bool:
    """Whether a sentence goes on with a small letter; scripts without case cannot tell."""
    return unicodedata.category(text[-1]) != "Lo" and below.lstrip()[:1].islower()


def _is_closed(text: str) -> bool:
    """Whether the last sentence of a line ends with it."""
    stripped = text.rstrip()
    return ends(stripped)[-1:] == [len(stripped)]


def _ends_in_code(text: str, names: frozenset[str]) -> bool:
    """Whether a line ends in inline code.

    That is a dotted name, a call, an index, a name with an underscore, a name that the
    document's code binds, or a Latin word glued to a letter of a script without case.
    """
    found = _ASCII_TAIL.search(text)
    if not found:
        return False
    tail, before = found[0], text[: found.start()]
    glued = bool(before) and before[-1].isalpha()
    return glued or tail in names or tail in _CONSTANTS or bool(_CODE_TAIL.fullmatch(tail))
