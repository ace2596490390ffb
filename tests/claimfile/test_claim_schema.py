"""The JSON Schema: current, and of one mind with the reader."""

import json
import re
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.claimfile import read, schema
from verifier.claimfile.reader import read_text
from verifier.claimfile.schema import json_schema
from verifier.claimfile.text import Text
from verifier.claimfile.yaml12 import BROKEN, parse

SAMPLES = Path(__file__).parent.parent / "samples" / "claimfile"
VALIDATOR = jsonschema.Draft7Validator(json_schema())

#: For each rule of `READER_ONLY`: samples that break nothing else, and the reader's words.
READER_ONLY = [
    (["alias", "anchor", "merge-key", "tag", "duplicate-key", "key-not-text",
      "several-documents"], "not supported|given twice|keys must be text|second document"),
    ([], "must be a whole number, not|must be a number above 0, not inf"),
    (["duplicate-id"], "is taken by"),
    (["setup-does-not-compile", "probe-does-not-compile", "probe-return", "probe-folded",
      "probe-explicit-indentation", "probe-deep", "probe-nul", "expression-does-not-compile",
      "matcher-code"], "does not compile|a word of Python's own"),
    ([], "is no regular expression|and for a package"),
    (["raises-without-code"], '"code" missing'),
    (["when-device-without-axis", "when"], "is no axis|has no such value"),
    (["matrix-case-ids", "matrix-too-many", "exclude-all"], "cases have the id|cases, at|is left"),
    (["place"], "the last line comes before"),
]  # fmt: skip


def plain(node):
    """What an editor checks: there an alias or a tagged text is its text."""
    if isinstance(node.value, list):
        return [plain(item) for item in node.value]
    if isinstance(node.value, dict):
        return {key: plain(item) for key, item in node.value.items()}
    return "text" if node.value is BROKEN else node.value


def refused_by_schema(text):
    return not VALIDATOR.is_valid(plain(parse(Text(text)).root))


def test_the_committed_schema_is_current():
    assert schema.PATH.read_text(encoding="utf-8") == schema.text()


def test_the_schema_is_a_schema():
    jsonschema.Draft7Validator.check_schema(json_schema())
    assert json_schema()["$schema"] == "http://json-schema.org/draft-07/schema#"


def test_no_reference_has_a_neighbour():
    def walk(value):
        if isinstance(value, dict):
            assert "$ref" not in value or len(value) == 1
            value = list(value.values())
        if isinstance(value, list):
            for item in value:
                walk(item)

    walk(json.loads(schema.text()))


@pytest.mark.parametrize("path", sorted((SAMPLES / "valid").glob("*.yaml")), ids=lambda p: p.stem)
def test_the_schema_accepts_what_the_reader_accepts(path):
    root = plain(parse(Text(path.read_text(encoding="utf-8"))).root)
    assert [error.message for error in VALIDATOR.iter_errors(root)] == []
    assert read(path).problems == ()


@pytest.mark.parametrize(
    "path", sorted((SAMPLES / "problems").glob("*.yaml")), ids=lambda p: p.stem
)
def test_the_schema_refuses_what_the_reader_refuses(path):
    text = path.read_text(encoding="utf-8")
    if parse(Text(text)).root is None:
        return  # a syntax error, which editors report without the schema
    for_the_reader = any(path.stem in samples for samples, _ in READER_ONLY)
    assert refused_by_schema(text) is not for_the_reader


def test_each_rule_for_the_reader_alone_is_listed():
    assert len(READER_ONLY) == len(schema.READER_ONLY)


RAISES = [{"raises": {"code": "f()", "type": "TypeError"}}]
BASE = {
    "id": "a",
    "statement": "It is.",
    "kind": "behaviour",
    "matrix": {"device": ["cpu", "cuda"], "n": [1, 2]},
    "probe": "x = 1",
    "expect": ["x == 1"],
}
BARE = {"id": "a", "statement": "It is.", "kind": "behaviour", "reason": "An opinion."}
ACCEPTED = [
    {"severity": "minor"}, {"quantifier": "some"}, {"seeds": 3}, {"timeout": 1}, {"timeout": 0.5},
    {"title": "t" * 75}, {"at": 3}, {"at": "3-4"}, {"at": {"lines": 3}}, {"at": {"lines": "3-4"}},
    {"at": {"lines": 3, "sentence": 2}}, {"at": {"exact": "a", "prefix": "b", "suffix": "c"}},
    {"exclude": [{"device": "cuda"}]}, {"exclude": [{"device": "cuda", "n": 1}]},
    {"verdict": "verified"}, {"verdict": "refuted", "correction": "It is not."},
    {"verdict": "error", "reason": "It crashes."}, {"when": []},
    {"when": [{"n": 1, "verdict": "refuted"}]}, {"when": [{"torch": "<2", "verdict": "verified"}]},
    {"when": [{"n": 1, "verdict": "error"}], "reason": "It crashes."},
    {"expect": [{"runs": "f()"}], "refuted_by": RAISES},
    {"expect": [{"runs": "f()"}], "refuted_by": [{"raises": {"type": "TypeError"}}]},
    {"control": [{"warns": {"code": "f()"}}]}, {"precondition": ["True == True"]},
    {"references": ["http://a.example/b?c#d"]}, {"issues": [1, "a"]}, {"tags": ["a-b"]},
    {"requires": ["torch.nn"]}, {"matrix": {}}, {"matrix": {"n": [[1, [2]], None, True, 1.5]}},
    {"matrix": {"device": ["cuda:1", "mps", "xpu:0", "meta"]}},
]  # fmt: skip
REFUSED = [
    {"id": "A"}, {"id": ""}, {"id": 1}, {"id": None}, {"statement": " "}, {"kind": "fact"},
    {"severity": "high"}, {"severity": None}, {"quantifier": "all"}, {"seeds": 0}, {"seeds": "3"},
    {"seeds": True}, {"timeout": 0}, {"timeout": "1s"}, {"title": "t" * 76}, {"title": 1},
    {"at": 0}, {"at": "3-"}, {"at": {}}, {"at": {"lines": 3, "exact": "a"}},
    {"at": {"exact": "a", "sentence": 1}}, {"at": {"lines": 3, "prefix": "a"}}, {"at": [3]},
    {"exclude": [{}]}, {"exclude": {"n": 1}}, {"verdict": "wrong"}, {"verdict": "refuted"},
    {"verdict": "inconclusive"}, {"verdict": "unverifiable", "reason": "a"},
    {"when": [{"n": 1, "verdict": "error"}]}, {"when": [{"n": 1, "m": 1}]},
    {"when": [{"verdict": "verified"}]}, {"when": {"n": 1}},
    {"when": [{"n": 1, "verdict": "unverifiable"}]}, {"when": [{"n": 1, "verdict": 1}]},
    {"expect": []}, {"expect": "x == 1"}, {"expect": [""]}, {"expect": [True]}, {"expect": [{}]},
    {"expect": [{"runs": "f()"}]}, {"expect": [{"runs": "f()"}], "refuted_by": ["x == 2"]},
    {"expect": [{"copies": {"code": "x", "of": "x"}, "prints": {"code": "x", "text": ""}}]},
    {"expect": [{"copies": {"code": "x"}}]}, {"expect": [{"lambda t": "t"}]},
    {"expect": [{"allocates": {"code": "x", "at_least": 0}}]},
    {"expect": [{"faster": {"baseline": "x", "candidate": "x", "by": 0}}]},
    {"expect": [{"faster": {"baseline": "x", "candidate": "x", "threads": "all"}}]},
    {"refuted_by": [{"raises": {"code": "x"}}]},
    {"refuted_by": [{"raises": {"code": "x", "type": "Type Error"}}]},
    {"references": ["ftp://a.example"]}, {"references": "http://a.example"}, {"issues": [True]},
    {"tags": ["a b"]}, {"requires": ["a b"]}, {"matrix": {"n": []}}, {"matrix": {"n": 1}},
    {"matrix": {"a b": [1]}}, {"matrix": {"verdict": [1]}}, {"matrix": {"n": [{}]}},
    {"matrix": {"n": [[[[]]]]}}, {"matrix": {"device": ["gpu"]}}, {"matrix": {"device": []}},
    {"colour": "red"}, {"explanation": ""}, {"correction": None},
]  # fmt: skip
BARE_REFUSED = [
    {"expect": ["x == 1"]}, {"control": ["x == 1"]}, {"verdict": "verified"},
    {"when": [{"torch": "<2", "verdict": "verified"}]}, {"reason": ""}, {"probe": "x = 1"},
]  # fmt: skip


def file_with(claim):
    """JSON is YAML, too."""
    return json.dumps({"schema": 1, "source": {"id": "s"}, "claims": [claim]})


def problems(text):
    return [problem.message for problem in read_text(text, "a.yaml").claim_file.problems]


@pytest.mark.parametrize("change", ACCEPTED, ids=json.dumps)
def test_both_accept(change):
    text = file_with(BASE | change)
    assert problems(text) == []
    assert not refused_by_schema(text)


@pytest.mark.parametrize(
    "claim",
    [BASE | change for change in REFUSED]
    + [BARE | change for change in BARE_REFUSED]
    + [{k: v for k, v in BASE.items() if k != key} for key in BASE if key != "matrix"],
    ids=json.dumps,
)
def test_both_refuse(claim):
    text = file_with(claim)
    assert problems(text)
    assert refused_by_schema(text)


def test_both_accept_an_unverifiable_claim():
    for change in ({}, {"verdict": "unverifiable"}):
        text = file_with(BARE | change)
        assert problems(text) == []
        assert not refused_by_schema(text)


VALUES = st.recursive(
    st.sampled_from([None, True, 0, 1, 2.5, "", "a", "x == 1", "3-4", "cpu", "http://a.example",
                     "refuted", "verified", "error"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(
        st.sampled_from(["n", "device", "lines", "exact", "runs", "raises", "code", "type",
                         "verdict", "torch", "copies", "of"]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
KEYS = sorted(json_schema()["definitions"]["Claim"]["properties"])
ONLY_READER = "|".join(words for _, words in READER_ONLY)


@given(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=3))
def test_they_differ_only_where_listed(change):
    text = file_with(BASE | change)
    found = problems(text)
    if refused_by_schema(text):
        assert found
    else:
        assert all(re.search(ONLY_READER, message) for message in found)
