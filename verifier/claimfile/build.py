"""Nodes of a claim without problems to the nouns of `verifier.model`."""

from __future__ import annotations

from typing import Any, cast

from verifier import model
from verifier.claimfile.code_rules import Keys
from verifier.claimfile.rules import plain
from verifier.claimfile.text import Text
from verifier.claimfile.yaml12 import Node
from verifier.model import AnyCheck, Code, Verdict

#: Keys of a claim that the model takes as they are written.
_AS_WRITTEN = (
    "id", "statement", "kind", "title", "severity", "quantifier", "seeds", "timeout",
    "reason", "explanation", "correction", "references", "tags", "requires",
)  # fmt: skip
_CHECKS = ("precondition", "control", "expect", "refuted_by")


class Builder:
    """Builds claims of one file, all about `source` and run after `setup`."""

    def __init__(self, text: Text, file: str, source: model.Source, setup: Code | None) -> None:
        self._text = text
        self._file = file
        self._source = source
        self._setup = setup

    def claim(self, node: Node) -> model.Claim:
        """The claim written at `node`, which must have no problem."""
        keys: Keys = node.value
        line, column = self._text.position(node.start)
        fields: dict[str, Any] = {key: plain(keys[key]) for key in _AS_WRITTEN if key in keys}
        runs = [
            entry.value["runs"]
            for entry in _items(keys, "expect")
            if type(entry.value) is dict and "runs" in entry.value
        ]
        for name in _CHECKS:
            fields[name] = tuple(self._check(entry, runs) for entry in _items(keys, name))
        if "matrix" in keys:
            fields["matrix"] = {axis: plain(n) for axis, n in keys["matrix"].value.items()}
        return model.Claim(
            source=self._source,
            file=self._file,
            line=line,
            column=column,
            setup=self._setup,
            probe=code(keys["probe"], self._text) if "probe" in keys else None,
            at=place(keys["at"]) if "at" in keys else None,
            exclude=tuple(_mapping(entry) for entry in _items(keys, "exclude")),
            ledger=_ledger(keys),
            **fields,
        )

    def _check(self, entry: Node, runs: list[Node]) -> AnyCheck:
        if type(entry.value) is str:
            return model.Expression(code=self._code(entry))
        ((matcher, node),) = entry.value.items()
        if matcher == "runs":
            return model.Runs(code=self._code(node))
        keys: Keys = node.value
        if matcher in ("faster", "slower", "same_cost"):
            return self._comparison(matcher, keys)
        texts = {
            key: keys[key].value
            for key in ("type", "match", "text", "category", "at_least")
            if key in keys
        }
        match matcher:
            case "raises":
                return model.Raises(code=self._code(keys.get("code", *runs[:1])), **texts)
            case "prints":
                return model.Prints(code=self._code(keys["code"]), **texts)
            case "warns":
                return model.Warns(code=self._code(keys["code"]), **texts)
            case "copies":
                return model.Copies(code=self._code(keys["code"]), of=self._code(keys["of"]))
            case "shares_memory":
                return model.SharesMemory(first=self._code(keys["a"]), second=self._code(keys["b"]))
            case _:
                return model.Allocates(code=self._code(keys["code"]), **texts)

    def _comparison(self, matcher: str, keys: Keys) -> AnyCheck:
        same_cost = matcher == "same_cost"
        first, second, margin = (
            ("a", "b", "within") if same_cost else ("baseline", "candidate", "by")
        )
        options: dict[str, Any] = {}
        if margin in keys:
            options["margin"] = float(keys[margin].value)
        if "threads" in keys:
            options["threads"] = keys["threads"].value
        for side, name in (("first", first), ("second", second)):
            options[side] = self._code(keys[name])
            if f"{name}_setup" in keys:
                options[f"{side}_setup"] = self._code(keys[f"{name}_setup"])
        if same_cost:
            return model.SameCost(**options)
        return model.Faster(**options) if matcher == "faster" else model.Slower(**options)

    def _code(self, node: Node) -> Code:
        return code(node, self._text)


def code(node: Node, text: Text) -> Code:
    """The code of a scalar, with the place of its first character in the file."""
    line, column = text.content(node.value, node.start)
    return Code(text=node.value, line=line, column=column)


def source(node: Node) -> model.Source:
    """The document a file is about."""
    return model.Source(**_mapping(node))


def place(node: Node) -> model.Place:
    """The place that an `at` gives."""
    if type(node.value) is not dict:
        return model.Place(lines=_lines(node.value))
    fields = _mapping(node)
    if "lines" in fields:
        fields["lines"] = _lines(fields["lines"])
    return model.Place(**fields)


def ignored(node: Node, text: Text) -> model.Ignored:
    """A part of the document without claims."""
    line, column = text.position(node.start)
    return model.Ignored(
        at=place(node.value["at"]),
        reason=node.value["reason"].value,
        line=line,
        column=column,
    )


def _lines(written: int | str) -> tuple[int, int]:
    first, _, last = str(written).partition("-")
    return int(first), int(last or first)


def _ledger(keys: Keys) -> model.Ledger:
    entries = [_mapping(entry) for entry in _items(keys, "when")]
    return model.Ledger(
        verdict=Verdict(keys["verdict"].value) if "verdict" in keys else None,
        when=tuple(
            model.LedgerException(verdict=Verdict(entry.pop("verdict")), conditions=entry)
            for entry in entries
        ),
        reason=keys["reason"].value if "reason" in keys else "",
    )


def _items(keys: Keys, name: str) -> list[Node]:
    return cast("list[Node]", keys[name].value) if name in keys else []


def _mapping(node: Node) -> dict[str, Any]:
    return {key: plain(child) for key, child in node.value.items()}
