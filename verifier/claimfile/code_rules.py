"""Whether the code in a claim compiles, with the places of the mistakes."""

from __future__ import annotations

import keyword
from typing import Final

from verifier.claimfile.shape import Report
from verifier.claimfile.snippets import Flaw, Mode, pattern_flaw, python_flaw
from verifier.claimfile.text import Text
from verifier.claimfile.yaml12 import Node

Keys = dict[str, Node]

#: Keys of matchers whose code is an expression with a value; all others are statements.
_VALUES: Final = {"copies": ("code", "of"), "shares_memory": ("a", "b")}
_STATEMENTS: Final = (
    "code", "baseline", "candidate", "baseline_setup", "candidate_setup",
    "a", "b", "a_setup", "b_setup",
)  # fmt: skip


class CodeRules:
    """Compiles pieces of a claim file and reports those that do not."""

    def __init__(self, text: Text, report: Report) -> None:
        self._text = text
        self._report = report

    def snippet(self, node: Node | None, name: str, mode: Mode) -> None:
        """Report `node` unless it compiles."""
        if node is not None and type(node.value) is str:
            flaw = python_flaw(node.value, mode)
            if flaw is not None:
                self._flaw(node, flaw, f'the code of "{name}" does not compile')

    def entry(self, entry: Node, name: str) -> None:
        """Report what is wrong in one entry of the check section `name`."""
        if type(entry.value) is str:
            self.snippet(entry, name, "eval")
        elif type(entry.value) is dict:
            if len(entry.value) > 1:
                self._report(entry.start, "one check per entry, not " + _named(entry.value))
            elif not entry.value:
                self._report(entry.start, "an empty check: write an expression or a check")
            for matcher, node in entry.value.items():
                self._matcher(matcher, node, name)

    def _matcher(self, matcher: str, node: Node, name: str) -> None:
        if matcher == "runs":
            self.snippet(node, matcher, "exec")
            return
        if type(node.value) is not dict:
            return
        keys: Keys = node.value
        values = _VALUES.get(matcher, ())
        for key in values:
            self.snippet(keys.get(key), key, "eval")
        for key in _STATEMENTS:
            if key not in values:
                self.snippet(keys.get(key), key, "exec")
        match = keys.get("match")
        if match is not None and type(match.value) is str:
            flaw = pattern_flaw(match.value)
            if flaw is not None:
                self._flaw(match, flaw, '"match" is no regular expression')
        for key in ("type", "category"):
            if key in keys and type(keys[key].value) is str:
                self.name(keys[key].start, keys[key].value)
        if matcher == "raises" and "code" not in keys and name != "refuted_by":
            self._report(node.start, '"code" missing')

    def _flaw(self, node: Node, flaw: Flaw, what: str) -> None:
        line, column = self._text.content(node.value, node.start)
        mapped = self._text.keeps_lines(node.value, node.start, node.end)
        if not mapped or flaw.line < 1 or flaw.column < 1:
            index = self._text.index(line, column)
        else:
            index = self._text.index(line + flaw.line - 1, column + flaw.column - 1)
        self._report(index, f"{what}: {flaw.message}")

    def name(self, index: int, dotted: str) -> None:
        """Report a dotted name that Python could not use as one."""
        for part in dotted.split("."):
            if keyword.iskeyword(part):
                self._report(index, f'"{part}" is a word of Python\'s own and cannot be a name')


def _named(keys: Keys) -> str:
    return " and ".join(f'"{key}"' for key in keys)
