"""Nodes against the types of `verifier.claimfile.format`: all that does not fit, with places.

msgspec itself stops at the first mistake and knows no lines, so its description of
the types (`msgspec.inspect`) is walked here. A node that does not fit becomes
`BROKEN`, so that later checks leave it alone.
"""

from __future__ import annotations

import difflib
import functools
import math
import re
from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec.inspect as mi

from verifier.claimfile.format import PATTERN_MEANINGS, ClaimFile, Matcher
from verifier.claimfile.yaml12 import BROKEN, Node

Report = Callable[[int, str], None]

_ENTRY: Final = "each entry of "
CLAIM_FILE: Final = mi.type_info(ClaimFile)


def check(node: Node, expected: mi.Type, label: str, report: Report) -> None:
    """Report what keeps `node` from being of the `expected` type. `label` names it."""
    value = node.value
    if value is BROKEN:
        return
    if isinstance(expected, mi.Metadata):
        check(node, expected.type, label, report)
    elif isinstance(expected, mi.UnionType):
        _check_union(node, expected, label, report)
    elif isinstance(expected, mi.StructType) and type(value) is dict:
        _check_struct(node, expected, label, report)
    elif isinstance(expected, mi.DictType) and type(value) is dict:
        _check_dict(node, expected, label, report)
    elif isinstance(expected, mi.ListType) and type(value) is list:
        _check_length(node, expected.min_length, f"{label} is an empty list", report)
        for item in value:
            check(item, expected.item_type, _entry_of(label), report)
    elif isinstance(expected, mi.LiteralType):
        _check_literal(node, expected, label, report)
    elif not _fits(value, expected):
        _refuse(node, _mismatch(value, (expected,), label), report)
    elif isinstance(expected, mi.StrType):
        _check_text(node, expected, label, report)
    elif isinstance(expected, mi.IntType | mi.FloatType):
        _check_number(node, expected, label, report)


def _refuse(node: Node, message: str, report: Report) -> None:
    report(node.start, message)
    node.value = BROKEN


def _check_union(node: Node, union: mi.UnionType, label: str, report: Report) -> None:
    members = [member for member in map(_bare, union.types) if _fits(node.value, member)]
    if not members:
        _refuse(node, _mismatch(node.value, tuple(map(_bare, union.types)), label), report)
    else:
        check(node, members[0], label, report)


def _check_struct(node: Node, struct: mi.StructType, label: str, report: Report) -> None:
    fields = _fields(struct)
    for key, child in node.value.items():
        field = fields.get(key)
        if field is None:
            report(child.key, _unknown_key(key, child, struct))
            child.value = BROKEN
        elif child.value is None:
            _refuse(child, f'"{key}" is empty: give it a value or remove the key', report)
        else:
            check(child, field.type, f'"{key}"', report)
    missing = [f'"{f.name}"' for f in struct.fields if f.required and f.name not in node.value]
    if missing:
        where = f"{label}: " if label and not label.startswith(_ENTRY) else ""
        report(node.start, f"{where}{' and '.join(missing)} missing")


def _check_dict(node: Node, expected: mi.DictType, label: str, report: Report) -> None:
    few = f"{label} needs at least {expected.min_length} keys" if node.value else f"{label} is {{}}"
    _check_length(node, expected.min_length, few, report)
    for key, child in list(node.value.items()):
        key_node = Node(key, child.key, child.key)
        check(key_node, expected.key_type, f'the name "{key}" in {label}', report)
        check(child, expected.value_type, f'"{key}" in {label}', report)


def _check_length(node: Node, minimum: int | None, message: str, report: Report) -> None:
    if minimum is not None and len(node.value) < minimum:
        report(node.start, message)


def _check_literal(node: Node, expected: mi.LiteralType, label: str, report: Report) -> None:
    value = node.value
    if any(type(value) is type(word) and value == word for word in expected.values):
        return
    words = [str(word) for word in expected.values]
    if len(words) == 1:
        message = f"{label} must be {words[0]}, not {_shown(value)}"
    else:
        message = f"{label} must be one of {', '.join(words)}, not {_shown(value)}"
    _refuse(node, message + guess(value, words), report)


def _check_text(node: Node, expected: mi.StrType, label: str, report: Report) -> None:
    value: str = node.value
    if expected.pattern is not None and not _pattern(expected.pattern).search(value):
        shown = f", not {_shown(value)}" if value.strip() else ""
        _refuse(node, f"{label} {PATTERN_MEANINGS[expected.pattern]}{shown}", report)
    elif expected.max_length is not None and len(value) > expected.max_length:
        message = f"{label} has {len(value)} characters, at most {expected.max_length} are allowed"
        _refuse(node, message, report)


def _check_number(
    node: Node, expected: mi.IntType | mi.FloatType, label: str, report: Report
) -> None:
    value = node.value
    if expected.ge is not None and value < expected.ge:
        _refuse(node, f"{label} must be at least {expected.ge}, not {value}", report)
    elif expected.gt is not None and not expected.gt < value < math.inf:
        _refuse(node, f"{label} must be a number above {expected.gt}, not {value}", report)


def _unknown_key(key: str, child: Node, struct: mi.StructType) -> str:
    names = [field.name for field in struct.fields]
    message = f'unknown key "{key}"' + guess(key, names)
    if child.value is None or re.search(r"[][(){}]", key):
        return f"{message}; if it is part of an expression, quote the expression"
    if struct.cls is Matcher and not guess(key, names):
        return f"{message}; if this is an expression, quote it"
    return message


def guess(value: Any, words: Iterable[str]) -> str:
    """A question after the word that was meant, or nothing."""
    close = difflib.get_close_matches(str(value), list(words), n=1, cutoff=0.5)
    return f' (did you mean "{close[0]}"?)' if close else ""


def _mismatch(value: Any, types: tuple[mi.Type, ...], label: str) -> str:
    if value is None:
        return f"{label} is empty"
    message = f"{label} must be {_alternatives(types)}, not {_shown(value)}"
    if any(isinstance(kind, mi.StrType) for kind in types) and not isinstance(value, dict | list):
        return f"{message}: quote it"
    if any(isinstance(kind, mi.ListType) for kind in types) and not isinstance(value, dict):
        return f'{message}: put "- " before each entry'
    return message


def _alternatives(types: tuple[mi.Type, ...]) -> str:
    wanted = list(dict.fromkeys(map(_described, types)))
    if "a number" in wanted and "a whole number" in wanted:
        wanted.remove("a whole number")
    return " or ".join(filter(None, (", ".join(wanted[:-1]), wanted[-1])))


def _described(kind: mi.Type) -> str:
    match kind:
        case mi.StrType():
            return "text"
        case mi.IntType():
            return "a whole number"
        case mi.FloatType():
            return "a number"
        case mi.BoolType():
            return "true or false"
        case mi.NoneType():
            return "null"
        case mi.LiteralType(values):
            return " or ".join(f'"{value}"' for value in values)
        case mi.ListType():
            return "a list"
        case _:
            return "a mapping (key: value)"


def _shown(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case str() if len(value) > 60:
            return f'"{value[:57]}..."'
        case str():
            return f'"{value}"'
        case _:
            return str(value)


def _fits(value: Any, kind: mi.Type) -> bool:
    """Whether the Python type is right; what is inside is checked afterwards."""
    match kind:
        case mi.StrType():
            return type(value) is str
        case mi.IntType():
            return type(value) is int
        case mi.FloatType():
            return type(value) in (int, float)
        case mi.BoolType():
            return type(value) is bool
        case mi.NoneType():
            return value is None
        case mi.LiteralType(values):
            return value in values
        case mi.ListType():
            return type(value) is list
        case mi.StructType() | mi.DictType():
            return type(value) is dict
        case _:
            return False


def _bare(kind: mi.Type) -> mi.Type:
    return kind.type if isinstance(kind, mi.Metadata) else kind


def _entry_of(label: str) -> str:
    return label if label.startswith(_ENTRY) else f"{_ENTRY}{label}"


@functools.cache
def _pattern(pattern: str) -> re.Pattern[str]:
    """Python's ``$`` also matches before a last line break, that of JSON Schema does not."""
    return re.compile(re.sub(r"\$$", r"\\Z", pattern))


@functools.cache
def _fields_by_class(cls: type) -> dict[str, mi.Field]:
    info = mi.type_info(cls)
    assert isinstance(info, mi.StructType)
    return {field.name: field for field in info.fields}


def _fields(struct: mi.StructType) -> dict[str, mi.Field]:
    return _fields_by_class(struct.cls)
