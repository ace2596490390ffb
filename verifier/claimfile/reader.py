"""Claim files: all claims without a mistake, and all mistakes at once."""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from verifier import model
from verifier.claimfile import build, shape
from verifier.claimfile.files import load
from verifier.claimfile.rules import ClaimRules
from verifier.claimfile.text import Text
from verifier.claimfile.yaml12 import BROKEN, Node, parse
from verifier.model import ClaimFile, Problem

#: Without these nothing of a file can be run.
_ESSENTIAL = ("schema", "source", "setup")


def read(path: Path | str) -> ClaimFile:
    """Read a claim file. Never raises for a mistake in it: see `ClaimFile.problems`.

    Claims with a problem are left out. If the file's schema, source or setup cannot be
    read, no claim could be run and none is returned; all their problems still are.
    """
    loaded = load(Path(path))
    if isinstance(loaded, Problem):
        return ClaimFile(path=loaded.file, problems=(loaded,))
    return read_text(loaded, str(path)).claim_file


class Parsed(msgspec.Struct, frozen=True):
    """A claim file and the nodes of its good claims by id, for editing."""

    text: Text
    claim_file: ClaimFile
    nodes: dict[str, Node]


def read_text(text: str, path: str) -> Parsed:
    """As `read`, for the text of a file. `path` is what the user calls it."""
    source_text = Text(text.removeprefix("\ufeff"))
    document = parse(source_text)
    faults = [(fault.index, fault.message) for fault in document.faults]
    reading = _Reading(source_text, path, faults)
    root = document.root
    if root is not None and type(root.value) is dict:
        reading.root(root)
    elif not faults:
        empty = root is None or root.value is None
        reading.report(0, _EMPTY if empty else _NO_MAPPING)
    return reading.result()


_EMPTY = "is empty: a claim file has the keys schema, source and claims"
_NO_MAPPING = "is no mapping: a claim file has the keys schema, source and claims"


class _Reading:
    """One file while it is read."""

    def __init__(self, text: Text, path: str, faults: list[tuple[int, str]]) -> None:
        self._text = text
        self._path = path
        self._faults = faults
        self._claims: list[Node] = []
        self._end = 0
        self._root: dict[str, Node] = {}

    def report(self, index: int, message: str) -> None:
        self._faults.append((index, message))

    def root(self, root: Node) -> None:
        """Check everything, claim by claim."""
        shape.check(root, shape.CLAIM_FILE, "", self.report)
        self._root = root.value
        rules = ClaimRules(self._text, self.report)
        rules.code.snippet(self._root.get("setup"), "setup", "exec")
        for entry in _items(self._root.get("ignored")):
            if type(entry.value) is dict:
                rules.place(entry.value.get("at"))
        claims = self._root.get("claims")
        self._claims = _items(claims)
        self._end = claims.end if claims is not None else 0
        lines: dict[str, int] = {}
        for node in self._claims:
            if type(node.value) is dict:
                rules.check(node)
                self._unique(node, lines)

    def _unique(self, node: Node, lines: dict[str, int]) -> None:
        claim_id = node.value.get("id")
        if claim_id is None or claim_id.value is BROKEN:
            return
        line, _ = self._text.position(claim_id.start)
        first = lines.setdefault(claim_id.value, line)
        if first != line:
            self.report(
                claim_id.start, f'the id "{claim_id.value}" is taken by the claim of line {first}'
            )

    def result(self) -> Parsed:
        """The file with its good claims; problems in the order of the text."""
        starts = [node.start for node in self._claims]
        bad: set[int] = set()
        problems = []
        for index, message in sorted(set(self._faults)):
            number = bisect.bisect_right(starts, index) - 1
            inside = number >= 0 and index <= self._end
            if inside:
                bad.add(number)
            line, column = self._text.position(index)
            problems.append(
                Problem(
                    file=self._path,
                    message=message,
                    line=line,
                    column=column,
                    claim=self._name(number) if inside else "",
                )
            )
        good = [node for number, node in enumerate(self._claims) if number not in bad]
        return self._built(good, tuple(problems))

    def _built(self, good: list[Node], problems: tuple[Problem, ...]) -> Parsed:
        places = [(p.line, p.column) for p in problems if not p.claim]
        spoiled = self._spoiled(places)
        source = None if "source" in spoiled else build.source(self._root["source"])
        nodes: dict[str, Node] = {}
        claims: list[model.Claim] = []
        if source is not None and not spoiled:
            setup = self._root.get("setup")
            builder = build.Builder(
                self._text,
                self._path,
                source,
                build.code(setup, self._text) if setup is not None else None,
            )
            claims = [builder.claim(node) for node in good]
            nodes = {node.value["id"].value: node for node in good}
        return Parsed(
            self._text,
            ClaimFile(
                path=self._path,
                source=source,
                claims=tuple(claims),
                ignored=self._ignored(places),
                problems=problems,
            ),
            nodes,
        )

    def _spoiled(self, places: list[tuple[int, int]]) -> set[str]:
        """The essential keys that are missing or have a problem."""
        spoiled = {key for key in ("schema", "source") if key not in self._root}
        for key in _ESSENTIAL:
            node = self._root.get(key)
            if node is not None and self._touched(node, places):
                spoiled.add(key)
        return spoiled

    def _touched(self, node: Node, places: list[tuple[int, int]]) -> bool:
        """Whether one of `places`, which are sorted, is within `node`."""
        first, last = self._text.position(node.start), self._text.position(node.end)
        found = bisect.bisect_left(places, first)
        return found < len(places) and places[found] <= last

    def _ignored(self, places: list[tuple[int, int]]) -> tuple[model.Ignored, ...]:
        return tuple(
            build.ignored(entry, self._text)
            for entry in _items(self._root.get("ignored"))
            if not self._touched(entry, places)
        )

    def _name(self, number: int) -> str:
        node = self._claims[number]
        claim_id: Any = node.value.get("id") if type(node.value) is dict else None
        if claim_id is not None and type(claim_id.value) is str:
            return str(claim_id.value)
        return f"claim-at-line-{self._text.position(node.start)[0]}"


def duplicate_ids(files: Iterable[ClaimFile]) -> tuple[Problem, ...]:
    """A problem for each claim whose id another file of the same source has already."""
    seen: dict[tuple[str, str], model.Claim] = {}
    problems = []
    for claim in (claim for file in files for claim in file.claims):
        first = seen.setdefault((claim.source.id, claim.id), claim)
        if first is not claim:
            message = f'the id "{claim.id}" is taken by the claim at {first.file}:{first.line}'
            problems.append(
                Problem(
                    file=claim.file,
                    message=message,
                    line=claim.line,
                    column=claim.column,
                    claim=claim.id,
                )
            )
    return tuple(problems)


def _items(node: Node | None) -> list[Node]:
    return node.value if node is not None and type(node.value) is list else []
