"""Shows how a check goes on: one changing line on a terminal, plain lines in a pipe."""

from __future__ import annotations

from typing import TextIO

from verifier.report import terminal
from verifier.report.style import Style
from verifier.run import Checked, claim_result

_ERASE_LINE = "\r\x1b[2K"


class Progress:
    """Prints each case as it is done.

    On a terminal only what needs attention stays, above one line of progress; in
    a pipe there is a line per case. With `quiet` only what needs attention is shown,
    and without `failures` not even that.
    """

    def __init__(self, stream: TextIO, total: int, *, quiet: bool, failures: bool = True) -> None:
        self.stream = stream
        self.style = Style(stream)
        self.total = total
        self.done = 0
        self.live = stream.isatty() and not quiet
        self.quiet = quiet
        self.failures = failures

    def show(self, checked: Checked) -> None:
        """A case is done."""
        self.done += 1
        case, claim = checked.result, claim_result(checked.case.claim, planned=0)
        self._erase()
        if not self.live and not self.quiet:
            print(terminal.case_line(claim, case, self.style), file=self.stream)
        if self.failures and not case.agrees:
            print(terminal.failure_text(claim, case, self.style), end="\n\n", file=self.stream)
        if self.live:
            line = f"[{self.done}/{self.total}] {claim.id}[{case.id}]"
            # Ids are ASCII, so that a character is a column.
            print(line[: self.style.columns - 1], end="", flush=True, file=self.stream)

    def close(self) -> None:
        """Leave the terminal as it was."""
        self._erase()

    def _erase(self) -> None:
        if self.live:
            print(_ERASE_LINE, end="", flush=True, file=self.stream)
