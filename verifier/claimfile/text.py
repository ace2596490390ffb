"""A file's text, and the places in it as people count them."""

from __future__ import annotations

import bisect
import re

_LINE_BREAK = re.compile(r"\r\n|\r|\n")


class Text:
    """The text of a file without its byte order mark.

    Everything that reads YAML speaks of indexes into `text`; lines and columns,
    counted from 1 in code points, are worked out only where somebody asks.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *(match.end() for match in _LINE_BREAK.finditer(text))]

    def position(self, index: int) -> tuple[int, int]:
        """Line and column of the character at `index`."""
        line = bisect.bisect_right(self._starts, index)
        return line, index - self._starts[line - 1] + 1

    def index(self, line: int, column: int) -> int:
        """Index of a position, at most the end of its line."""
        if line > len(self._starts):
            return len(self.text)
        start = self._starts[line - 1]
        return min(start + column - 1, self.line_end(start))

    def line_start(self, index: int) -> int:
        """Index of the first character of the line of `index`."""
        return self._starts[bisect.bisect_right(self._starts, index) - 1]

    def line_end(self, index: int) -> int:
        """Index of the line break that ends the line of `index`, or of the end of the text."""
        match = _LINE_BREAK.search(self.text, index)
        return match.start() if match else len(self.text)

    def next_line(self, index: int) -> int:
        """Index of the first character after the line of `index`."""
        match = _LINE_BREAK.search(self.text, index)
        return match.end() if match else len(self.text)

    def line(self, number: int) -> str:
        """Line `number` with its line break; empty beyond the end."""
        if number > len(self._starts):
            return ""
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[self._starts[number - 1] : end]

    def content(self, value: str, start: int) -> tuple[int, int]:
        """Line and column of the first character of a scalar's content.

        `start` is where the scalar begins. A block scalar begins at its ``|`` or
        ``>``, but its content on the next line, with the indentation taken off.
        """
        mark = self.text[start : start + 1]
        line, column = self.position(start)
        if mark in ("|", ">"):
            return line + 1, 1 + self._indentation(value, line + 1)
        return line, column + (mark in ("'", '"'))

    def keeps_lines(self, value: str, start: int, end: int) -> bool:
        """Whether line k of the scalar's content is line k of the file from `content` on."""
        mark = self.text[start : start + 1]
        if mark in ("|", ">"):
            return mark == "|"
        return "\n" not in value and not _LINE_BREAK.search(self.text, start, end)

    def _indentation(self, value: str, first: int) -> int:
        """How many spaces YAML took off each line of a block scalar.

        Lines are compared as found, because an explicit indentation mark may leave
        spaces in the content's first line.
        """
        for offset, line in enumerate(value.split("\n")):
            if line.strip():
                found = self.line(first + offset)
                return max(0, _leading_spaces(found) - _leading_spaces(line))
        return 0


def _leading_spaces(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
