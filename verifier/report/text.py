"""Text from anywhere, made fit to be shown: harmless, capped, wrapped to a width."""

from __future__ import annotations

import re
import unicodedata

_ANSI = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[@-_])"
)
#: Controls other than tab and line break, and what reorders or hides the text around it.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def plain(text: str) -> str:
    """`text` without terminal sequences, its control and bidi characters as escapes."""
    if text.isascii() and text.isprintable():
        return text
    text = _ANSI.sub("", text).replace("\r\n", "\n")
    return _HIDDEN.sub(lambda found: _escape(found[0]), text)


def _escape(character: str) -> str:
    return ascii(character)[1:-1]


def capped(text: str, limit: int) -> str:
    """The beginning and the end of a `text` longer than `limit` characters."""
    if len(text) <= limit:
        return text
    half = limit // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n[... {left_out} characters ...]\n{text[-half:]}"


def width(text: str) -> int:
    """The columns that `text` takes in a terminal, wide characters counted twice."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def wrap(text: str, columns: int) -> list[str]:
    """`text` in lines of at most `columns`, broken at spaces, else between wide characters.

    A longer word stays whole: a path or an expression is of no use in pieces.
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for piece in _pieces(paragraph):
            if line and width(line) + width(piece.rstrip()) > columns:
                lines.append(line.rstrip())
                line = piece.lstrip()
            else:
                line += piece
        lines.append(line.rstrip())
    return lines


#: Signs that must not begin a line.
_CLOSING = "、。，．！？：；）」』】〉》"


def _pieces(text: str) -> list[str]:
    """The parts between which a line may break: words with the space behind them, and
    wide characters one by one (but Hangul, which has spaces).
    """
    pieces: list[str] = []
    start = 0
    for index in range(1, len(text)):
        before, after = text[index - 1], text[index]
        at_space = before == " " and after != " "
        at_wide = _breaks(before) or _breaks(after)
        if (at_space and text[start:index].strip()) or (
            at_wide and after not in _CLOSING and after != " "
        ):
            pieces.append(text[start:index])
            start = index
    return [*pieces, text[start:]]


def _breaks(char: str) -> bool:
    return (
        char > "\u2e80"
        and unicodedata.east_asian_width(char) in "WF"
        and not "\uac00" <= char <= "\ud7a3"
    )


def bare(text: str) -> str:
    """A `text` that is nothing but one piece of code in backticks, without them."""
    inner = text[1:-1]
    return inner if text == f"`{inner}`" and inner and "`" not in inner else text
