"""Where sentences end, in a text of any language.

A sentence ends at ``. ! ? 。 ！ ？``, with the closing quotes and brackets behind it, where
white space, the end, a list mark or the dot of a further name follows: ``done..view()``
ends at its first dot. It never ends inside a dotted name, a call or a number, nor after
a list mark or an abbreviation.

Two ends need no white space behind them, since none is written there: full-width marks,
and a dot between a letter of a script without case (Hangul, Kana, Han, ...) and a Latin
one. Names in code are not written in such scripts, so that dot is not one of a name.
"""

from __future__ import annotations

import re
import unicodedata

#: The mark of a list item at the beginning of a line or a sentence.
LIST_MARK = re.compile(r"\s*(?:[-*•·‣▪◦–]|\d{1,3}[.)])\s+")

_MARKS = re.compile(r"[.!?。！？]+")
_CLOSERS = "\"')]}”’»」』）"
_FULL_WIDTH = "。！？"
_MARK_BEHIND = re.compile(r"(?:[-*•·‣▪◦–]|\d{1,3}[.)])\s")
_NAME = re.compile(r"[A-Za-z_]")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|cf|vs|resp|approx|[Ff]igs?|[Ee]q|[Ss]ec)\Z")
#: Calls and indices, with one level of brackets inside.
_CALL = re.compile(
    r"[A-Za-z_]\w*(?:\((?:[^()\n]|\([^()\n]*\))*\)|\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\])"
)


def ends(text: str) -> list[int]:
    """The offsets behind each end of a sentence in a paragraph."""
    calls = [match.span() for match in _CALL.finditer(text)]
    found: list[int] = []
    begin = _behind_mark(text, 0)
    for marks in _MARKS.finditer(text):
        if marks.start() < begin or any(start < marks.start() < stop for start, stop in calls):
            continue
        end = _end(text, marks.start(), marks.end())
        if end is not None:
            found.append(end)
            begin = _behind_mark(text, end)
    return found


def _behind_mark(text: str, begin: int) -> int:
    mark = LIST_MARK.match(text, begin)
    return mark.end() if mark else begin


def _end(text: str, start: int, stop: int) -> int | None:
    """Where a sentence ends at marks, or None where it does not."""
    if text[start:stop].startswith(".") and _ABBREVIATION.search(text, 0, start):
        return None
    before, behind = text[start - 1 : start], text[stop : stop + 1]
    if text[stop - 1] == "." and _NAME.match(behind):
        if stop - start > 1:
            return stop - 1
        return stop if before and unicodedata.category(before) == "Lo" else None
    closed = stop
    while closed < len(text) and text[closed] in _CLOSERS:
        closed += 1
    if closed == len(text) or text[closed].isspace() or text[stop - 1] in _FULL_WIDTH:
        return closed
    is_number = before.isdigit() and behind.isdigit()
    return stop if _MARK_BEHIND.match(text, stop) and not is_number else None
