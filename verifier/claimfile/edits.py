"""Changes to the text of one claim that leave everything else as it is.

All positions are indexes into the text that was parsed, so the edits of many claims
are gathered first and made at once.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from verifier.claimfile.plan import Entry, Plan
from verifier.claimfile.rules import CHECK_KEYS
from verifier.claimfile.text import Text
from verifier.claimfile.yaml12 import Node, scalar
from verifier.model import LedgerException

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*(?:-[A-Za-z0-9_.]+)*")
_KEEP = re.compile(r"[|>][0-9]*\+")
_ESCAPED_BY_YAML_ONLY = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class Edit(msgspec.Struct, frozen=True, order=True):
    """``text[start:end]`` becomes `new`."""

    start: int
    end: int
    new: str


def make(text: str, edits: Iterable[Edit]) -> str:
    """`text` with all `edits`, which do not overlap."""
    parts = []
    done = 0
    for edit in sorted(edits):
        assert edit.start >= done, "edits overlap"
        parts += [text[done : edit.start], edit.new]
        done = edit.end
    return "".join([*parts, text[done:]])


class ClaimEditor:
    """Gathers the edits that write one claim's ledger."""

    def __init__(self, text: Text, claim: Node) -> None:
        self._text = text
        self._claim = claim
        self._keys: dict[str, Node] = claim.value
        self._in_braces = text.text[claim.start] == "{"
        first_line = text.line(1)
        self._newline = first_line[len(first_line.rstrip("\r\n")) :] or "\n"
        self._added: list[str] = []
        self._edits: list[Edit] = []

    def edits(self, plan: Plan, reason: str | None) -> list[Edit]:
        """The edits that record `plan`, and `reason` unless it stays as it is."""
        if plan.verdict is not None:
            self._set("verdict", str(plan.verdict))
        if "when" in self._keys:
            self._change_when(self._keys["when"], plan.entries)
        elif plan.entries:
            self._add_when(plan.entries)
        if reason is not None:
            self._set("reason", yaml_scalar(reason))
        if self._added:
            self._edits.append(self._insertion())
        return self._edits

    # --- values ----------------------------------------------------------------------

    def _set(self, key: str, value: str) -> None:
        node = self._keys.get(key)
        if node is None:
            self._added.append(f"{key}: {value}")
        else:
            self._replace(node, value)

    def _replace(self, node: Node, value: str) -> None:
        """Put `value` in the place of a scalar, in the quotes it has."""
        quote = self._text.text[node.start]
        if quote in "'\"" and _PLAIN.fullmatch(value):
            value = f"{quote}{value}{quote}"
        end = self._trimmed(node)
        if self._text.text[node.start : end] != value:
            self._edits.append(Edit(node.start, end, value))

    def _insertion(self) -> Edit:
        """All new keys at once: below the verdict, or else below the last check."""
        anchor = self._keys.get("verdict") or max(
            (self._keys[key] for key in ("probe", *CHECK_KEYS) if key in self._keys),
            key=lambda node: node.start,
        )
        if self._in_braces:
            end = self._end(anchor)
            return Edit(end, end, "".join(f", {key}" for key in self._added))
        _, column = self._text.position(self._claim.start)
        indent = " " * (column - 1)
        lines = [f"{indent}{line}" for key in self._added for line in key.split("\n")]
        return self._insert_lines(self._after(anchor), lines)

    def _insert_lines(self, index: int, lines: list[str]) -> Edit:
        block = self._newline.join(lines)
        if index and self._text.text[index - 1] not in "\r\n":
            return Edit(index, index, self._newline + block)
        return Edit(index, index, block + self._newline)

    # --- when ------------------------------------------------------------------------

    def _add_when(self, entries: tuple[Entry, ...]) -> None:
        written = [_entry(entry.exception) for entry in entries]
        if self._in_braces:
            self._added.append(f"when: [{', '.join(written)}]")
        else:
            self._added.append("\n".join(["when:", *(f"  - {line}" for line in written)]))

    def _change_when(self, when: Node, entries: tuple[Entry, ...]) -> None:
        old: list[Node] = when.value
        for entry in entries:
            if entry.origin is not None:
                verdict = old[entry.origin].value["verdict"]
                if verdict.value != entry.exception.verdict:
                    self._replace(verdict, str(entry.exception.verdict))
        if [entry.origin for entry in entries] == list(range(len(old))):
            return
        if not entries and self._stands_alone(when):
            start, end = self._text.line_start(when.key), self._after(when)
            self._edits = [edit for edit in self._edits if not start <= edit.start < end]
            self._edits.append(Edit(start, end, ""))
        elif not entries:
            colon = self._text.text.index(":", when.key)
            self._edits.append(Edit(colon + 1, self._end(when), " []"))
        elif self._text.text[when.start] == "[":
            self._rewrite(when, entries)
        else:
            self._change_lines(when, entries)

    def _stands_alone(self, node: Node) -> bool:
        """Whether the lines of a key hold nothing else, so that they can go."""
        start = self._text.line_start(node.key)
        return not self._in_braces and not self._text.text[start : node.key].strip()

    def _rewrite(self, when: Node, entries: tuple[Entry, ...]) -> None:
        """Write the list anew in brackets; entries that stay keep their text."""
        written = []
        for entry in entries:
            if entry.origin is None:
                written.append(_entry(entry.exception))
            else:
                node = when.value[entry.origin]
                inner = [e for e in self._edits if node.start <= e.start < node.end]
                self._edits = [e for e in self._edits if e not in inner]
                moved = [Edit(e.start - node.start, e.end - node.start, e.new) for e in inner]
                written.append(make(self._text.text[node.start : node.end], moved))
        self._edits.append(Edit(when.start, self._end(when), f"[{', '.join(written)}]"))

    def _change_lines(self, when: Node, entries: tuple[Entry, ...]) -> None:
        """Remove and insert lines of a list that is written with dashes."""
        _, column = self._text.position(when.start)
        starts = [self._dash_line(entry, column) for entry in when.value]
        kept = {entry.origin for entry in entries}
        for number, node in enumerate(when.value):
            if number not in kept:
                self._edits.append(Edit(starts[number], self._after(node), ""))
        new = [f"{' ' * (column - 1)}- {_entry(e.exception)}" for e in entries if e.origin is None]
        if new:
            following = [
                after.origin
                for before, after in itertools.pairwise(entries)
                if before.origin is None and after.origin is not None
            ]
            if following:
                index = starts[following[0]]
            else:
                last_stays = len(when.value) - 1 in kept
                index = self._after(when) if last_stays else starts[-1]
            self._edits.append(self._insert_lines(index, new))

    def _dash_line(self, entry: Node, column: int) -> int:
        """Start of the line with the dash of `entry`, which may stand above it."""
        line, _ = self._text.position(entry.start)
        while self._text.line(line)[column - 1 : column] != "-":
            line -= 1
        return self._text.index(line, 1)

    # --- places ----------------------------------------------------------------------

    def _end(self, node: Node) -> int:
        """Index after the last character of a value, without the space that follows it."""
        text = self._text.text
        if text[node.start : node.start + 1] in ("[", "{"):
            return node.end
        if isinstance(node.value, list | dict):
            children = node.value if isinstance(node.value, list) else [*node.value.values()]
            return self._end(children[-1])
        if _KEEP.match(text, node.start, node.end):
            return node.end
        return self._trimmed(node)

    def _trimmed(self, node: Node) -> int:
        """Index after the last visible character of a scalar."""
        return node.start + len(self._text.text[node.start : node.end].rstrip())

    def _after(self, node: Node) -> int:
        """Index of the line after the last line of a value."""
        end = self._end(node)
        return end if self._text.text[end - 1] in "\r\n" else self._text.next_line(end)


def _entry(exception: LedgerException) -> str:
    keys: dict[str, Any] = {**exception.conditions, "verdict": str(exception.verdict)}
    return f"{{{', '.join(f'{yaml_scalar(k)}: {yaml_value(v)}' for k, v in keys.items())}}}"


def yaml_value(value: Any) -> str:
    """A value of an axis as YAML, on one line."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(yaml_value, value))}]"
    return yaml_scalar(value)


_SPECIAL: Final[dict[str, str]] = {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}


def yaml_scalar(value: Any) -> str:
    """A scalar as YAML, on one line and safe within brackets."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, float) and not math.isfinite(value):
        return _SPECIAL[repr(value)]
    if isinstance(value, int | float):
        return repr(value)
    if _PLAIN.fullmatch(value) and scalar(value) == value:
        return str(value)
    quoted = json.dumps(value, ensure_ascii=False)
    return _ESCAPED_BY_YAML_ONLY.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)
