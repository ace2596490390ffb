"""The JSON Schema of claim files, for editors.

The types come from `verifier.claimfile.format`; `_RULES` adds what relates one key to
another, which the reader checks in `verifier.claimfile.rules`. Run this module to write
``claims.schema.json`` anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import msgspec

from verifier.claimfile.format import DEVICE, ClaimFile

PATH: Final = Path(__file__).with_name("claims.schema.json")

#: What only the reader can check, so that it refuses files that the schema accepts.
READER_ONLY: Final[tuple[str, ...]] = (
    "duplicate keys, keys that are no text, anchors, aliases, merge keys, tags, several documents",
    "a whole number written with a decimal point, and infinite numbers",
    "claim ids given twice",
    "Python syntax of code and of names",
    "syntax of regular expressions and of version specifiers",
    "`raises` without `code` where expect has not exactly one `runs`",
    "axes and values in `exclude` and `when` that the matrix does not have",
    "a matrix without a case, with too many, or with two cases of one id",
    "`at` whose last line comes before its first",
)

_UNDECIDED: Final = {"enum": ["error", "inconclusive", "not-checked"]}


def _has(key: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"required": [key], "properties": {key: value}}


def _some_matcher(key: str) -> dict[str, Any]:
    return {"contains": {"type": "object", "required": [key]}}


#: Additions to the definitions made from the structs, by name.
_RULES: Final[dict[str, dict[str, Any]]] = {
    "At": {
        "oneOf": [{"required": ["lines"]}, {"required": ["exact"]}],
        "dependencies": {"sentence": ["lines"], "prefix": ["exact"], "suffix": ["exact"]},
    },
    "Matcher": {"minProperties": 1, "maxProperties": 1},
    "Claim": {
        "allOf": [
            {
                "if": {"required": ["probe"]},
                "then": {
                    "required": ["expect"],
                    "properties": {"verdict": {"not": {"const": "unverifiable"}}},
                },
                "else": {
                    "required": ["reason"],
                    "properties": {
                        "verdict": {"const": "unverifiable"},
                        **dict.fromkeys(
                            ("precondition", "control", "expect", "refuted_by", "when"), False
                        ),
                    },
                },
            },
            {
                "if": _has("verdict", {"const": "refuted"}),
                "then": {"required": ["correction"]},
            },
            {
                "if": {
                    "anyOf": [
                        _has("verdict", _UNDECIDED),
                        _has("when", {"contains": _has("verdict", _UNDECIDED)}),
                    ]
                },
                "then": {"required": ["reason"]},
            },
            {
                "if": _has("expect", _some_matcher("runs")),
                "then": _has("refuted_by", _some_matcher("raises")),
            },
        ]
    },
}


def json_schema() -> dict[str, Any]:
    """The schema as draft-07, the newest that the YAML language server knows."""
    made: dict[str, Any] = msgspec.json.schema(ClaimFile, ref_template="#/definitions/{name}")
    definitions = {
        name: {**definition, **_RULES.get(name, {})} for name, definition in made["$defs"].items()
    }
    definitions = {name: _wrap_references(value) for name, value in definitions.items()}
    claim = definitions["Claim"]["properties"]
    device = {"type": "string", "pattern": DEVICE}
    claim["matrix"]["properties"] = {"device": {"type": "array", "minItems": 1, "items": device}}
    verdicts = [word for word in claim["verdict"]["enum"] if word != "unverifiable"]
    claim["when"]["items"]["required"] = ["verdict"]
    claim["when"]["items"]["properties"] = {"verdict": {"enum": verdicts}}
    root = definitions.pop("ClaimFile")
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        **root,
        "title": "Claim file of verifier",
        "definitions": definitions,
    }


def _wrap_references(value: Any) -> Any:
    """Draft-07 ignores what stands beside a ``$ref``, so put the reference into ``allOf``."""
    if isinstance(value, list):
        return [_wrap_references(item) for item in value]
    if not isinstance(value, dict):
        return value
    value = {key: _wrap_references(item) for key, item in value.items()}
    if len(value) > 1 and isinstance(value.get("$ref"), str):
        value["allOf"] = [{"$ref": value.pop("$ref")}]
    return value


def text() -> str:
    """The schema as it is committed."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
