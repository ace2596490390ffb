"""YAML text to plain values with their places.

PyYAML's C parser gives events; one pass over them makes the tree, so neither
PyYAML's nodes nor its marks are kept. Plain scalars are read by the core schema
of YAML 1.2, as editors do: ``on`` is a string, ``1e-3`` a number, ``2026-11-30``
no date. What makes a file hard to read or to check for people (anchors, tags,
duplicate keys, ...) is a fault with its place; only a syntax error ends the pass.
"""

from __future__ import annotations

import re
import sys
from typing import Any, Final

import msgspec
import yaml

from verifier.claimfile.text import Text
from verifier.claimfile.yaml_syntax import explain

if not yaml.__with_libyaml__:
    raise ImportError(
        "verifier needs PyYAML with libyaml (its C parser): install a PyYAML wheel from your "
        "package index, or build PyYAML where the libyaml headers are installed"
    )

MAX_DEPTH: Final = 32
MAX_NODES: Final = 1_000_000

#: U+0085, U+2028 and U+2029 are text to YAML 1.2, but line breaks to our parser.
_UNPRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"([-+]?)\.(?:inf|Inf|INF)")
_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
#: Python refuses to read much longer integers; such a "number" stays text.
_MAX_DIGITS: Final = 4_000


class _Broken:
    """The value of a node about which a fault has been reported."""

    def __repr__(self) -> str:
        return "BROKEN"


BROKEN: Final = _Broken()


class Node(msgspec.Struct, gc=False):
    """A value and where it stands: ``text[start:end]``.

    `value` is a str, int, float, bool or None, a list of nodes, a dict of nodes by
    key, or `BROKEN`. `key` is the index of the key in front of a dict's value.
    """

    value: Any
    start: int
    end: int
    key: int = -1


class Fault(msgspec.Struct, frozen=True):
    """What is wrong at `index` of the text."""

    index: int
    message: str


class Document(msgspec.Struct, frozen=True):
    """A parsed text. `root` is None if a fault ended the pass, or for an empty text."""

    root: Node | None
    faults: list[Fault]


def scalar(text: str) -> Any:
    """The value of a plain scalar by the core schema of YAML 1.2."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "-+.0123456789":
        return text
    if _INT.fullmatch(text):
        if len(text) > _MAX_DIGITS:
            return text
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if infinite := _INFINITE.fullmatch(text):
        return float(infinite[1] + "inf")
    return text


def parse(text: Text) -> Document:
    """Read `text`, which holds one YAML document. Never raises for its mistakes."""
    if found := _UNPRINTABLE.search(text.text):
        message = (
            f"the character U+{ord(found[0]):04X} is not allowed here: "
            f"remove it, or write it as an escape in double quotes"
        )
        return Document(None, [Fault(found.start(), message)])
    builder = _Builder(text)
    try:
        for event in yaml.parse(text.text, Loader=yaml.CSafeLoader):
            builder.take(event)
            if builder.ended:
                break
    except yaml.MarkedYAMLError as error:
        builder.fault(*explain(error, text.text))
        return Document(None, builder.faults)
    return Document(None if builder.truncated else builder.root, builder.faults)


class _Open:
    """A collection whose end has not come yet."""

    __slots__ = ("key", "key_start", "node")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.key: Any = None
        self.key_start = -1


class _Builder:
    """Takes events, keeps the tree and the faults."""

    def __init__(self, text: Text) -> None:
        self.root: Node | None = None
        self.faults: list[Fault] = []
        self.ended = False
        self.truncated = False
        self._text = text
        self._open: list[_Open] = []
        self._nodes = 0
        self._skipped_depth = 0

    def fault(self, index: int, message: str) -> None:
        self.faults.append(Fault(index, message))

    def take(self, event: Any) -> None:
        """Take the next of PyYAML's events, whose stubs do not tell them apart."""
        kind = type(event)
        if kind is yaml.ScalarEvent:
            if not self._skipped_depth:
                self._scalar(event)
        elif kind in (yaml.MappingStartEvent, yaml.SequenceStartEvent):
            self._start(event)
        elif kind in (yaml.MappingEndEvent, yaml.SequenceEndEvent):
            self._end(event)
        elif kind is yaml.AliasEvent:
            if not self._skipped_depth:
                start, end = event.start_mark.index, event.end_mark.index
                self.fault(start, "aliases (*name) are not supported: write the value out")
                self._deliver(Node(BROKEN, start, end))
        elif kind is yaml.DocumentStartEvent and self.root is not None:
            self.fault(
                event.start_mark.index,
                'a second document ("---") begins here: one file holds one document',
            )
            self.ended = True

    def _scalar(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        value: Any = event.value
        if not self._properties(event, start):
            value = BROKEN
        elif event.implicit[0]:
            value = scalar(value)
            if value == "<<" and self._expects_key():
                self.fault(start, 'merge keys ("<<") are not supported: write the keys out')
                value = BROKEN
        self._deliver(Node(value, start, end))

    def _start(self, event: Any) -> None:
        if self._skipped_depth:
            self._skipped_depth += 1
            return
        start = event.start_mark.index
        if len(self._open) == MAX_DEPTH:
            self.fault(start, f"nested more than {MAX_DEPTH} levels deep")
            self._deliver(Node(BROKEN, start, start + 1))
            self._skipped_depth = 1
            return
        self._properties(event, start)
        value: Any = {} if type(event) is yaml.MappingStartEvent else []
        self._open.append(_Open(Node(value, start, start + 1)))

    def _end(self, event: Any) -> None:
        if self._skipped_depth:
            self._skipped_depth -= 1
            return
        node = self._open.pop().node
        if event.end_mark.index > event.start_mark.index:  # a bracket; blocks end with their last
            node.end = event.end_mark.index
        self._deliver(node)

    def _properties(self, event: Any, start: int) -> bool:
        if event.anchor is not None:
            self.fault(start, f"anchors (&{event.anchor}) are not supported: remove it")
        tag = getattr(event, "tag", None)
        if tag is not None:
            self.fault(start, f"tags ({tag}) are not supported: remove it")
        return event.anchor is None and tag is None

    def _expects_key(self) -> bool:
        return (
            bool(self._open)
            and type(self._open[-1].node.value) is dict
            and (self._open[-1].key is None)
        )

    def _deliver(self, node: Node) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self.fault(node.start, f"more than {MAX_NODES:,} values: split the file by section")
            self.ended = self.truncated = True
        if not self._open:
            self.root = node
            return
        parent = self._open[-1]
        parent.node.end = max(parent.node.end, node.end)
        if type(parent.node.value) is list:
            parent.node.value.append(node)
        elif parent.key is None:
            parent.key, parent.key_start = self._key(node), node.start
        else:
            node.key = parent.key_start
            self._put(parent, node)
            parent.key = None

    def _key(self, node: Node) -> Any:
        if isinstance(node.value, str):
            return sys.intern(node.value)
        if node.value is not BROKEN:
            written = self._text.text[node.start : node.end].split("\n")[0]
            self.fault(node.start, f"keys must be text, not {written or 'empty'}: quote it")
        return BROKEN

    def _put(self, parent: _Open, node: Node) -> None:
        if parent.key is BROKEN:
            return
        first = parent.node.value.setdefault(parent.key, node)
        if first is not node:
            line, _ = self._text.position(first.key)
            self.fault(node.key, f'the key "{parent.key}" is given twice (first on line {line})')
