"""Colour in a terminal, where it is wanted."""

from __future__ import annotations

import os
import shutil
from typing import TextIO

from verifier.model import Verdict

_CODES = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35}

#: The colour of a verdict. The word always stands beside it.
COLOURS = {
    Verdict.VERIFIED: "green",
    Verdict.REFUTED: "red",
    Verdict.INCONCLUSIVE: "yellow",
    Verdict.NOT_CHECKED: "dim",
    Verdict.ERROR: "magenta",
    Verdict.UNVERIFIABLE: "dim",
}


class Style:
    """How to write to `stream`: with or without colour, and how wide.

    NO_COLOR (https://no-color.org) wins over FORCE_COLOR; without either a
    terminal gets colour and a file or a pipe none. Without a stream: plain text.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.colour = stream is not None and _wants_colour(stream)
        is_terminal = stream is not None and stream.isatty()
        # A log is read anywhere later; 100 columns suit most places.
        columns = shutil.get_terminal_size((100, 24)).columns if is_terminal else 100
        self.columns = max(40, min(columns, 120))

    def __call__(self, text: str, *names: str) -> str:
        """`text` in the styles `names`: bold, dim or a colour."""
        if not self.colour or not names or not text:
            return text
        codes = ";".join(str(_CODES[name]) for name in names)
        return f"\x1b[{codes}m{text}\x1b[0m"

    def verdict(self, verdict: Verdict, text: str) -> str:
        """`text` in the colour of `verdict`."""
        return self(text, COLOURS[verdict])


def _wants_colour(stream: TextIO) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


PLAIN = Style()
