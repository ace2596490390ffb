"""YAML 1.2 core scalars, places, and what a claim file may not use."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.claimfile import yaml12
from verifier.claimfile.text import Text
from verifier.claimfile.yaml12 import BROKEN, parse, scalar

SCALARS = [
    ("", None), ("~", None), ("null", None), ("Null", None), ("NULL", None), ("nULL", "nULL"),
    ("true", True), ("True", True), ("FALSE", False), ("tRUE", "tRUE"),
    ("on", "on"), ("off", "off"), ("yes", "yes"), ("No", "No"), ("y", "y"), ("n", "n"),
    ("0", 0), ("-12", -12), ("+3", 3), ("012", 12), ("0o17", 15), ("0x1F", 31), ("0b1", "0b1"),
    ("-0x1", "-0x1"), ("1_000", "1_000"), ("12:30", "12:30"), ("190:20:30", "190:20:30"),
    ("1.5", 1.5), ("1.", 1.0), (".5", 0.5), ("-.5", -0.5), ("1e-3", 1e-3), ("1E+2", 100.0),
    ("+12e03", 12e3), (".inf", math.inf), ("-.INF", -math.inf), ("+.Inf", math.inf),
    (".", "."), ("-", "-"), ("1.2.3", "1.2.3"), ("e5", "e5"), ("inf", "inf"), ("nan", "nan"),
    ("2026-11-30", "2026-11-30"), ("45-46", "45-46"), ("<2.4", "<2.4"), ("=", "="),
]  # fmt: skip


@pytest.mark.parametrize(("written", "value"), SCALARS)
def test_core_scalars(written, value):
    found = scalar(written)
    assert found == value
    assert type(found) is type(value)


def test_nan_and_numbers_beyond_pythons_limit():
    assert math.isnan(scalar(".nan"))
    assert scalar("9" * 5000) == "9" * 5000


@pytest.mark.parametrize("quoted", ["'1'", '"true"', "'~'", "|-\n  1", ">-\n  1"])
def test_quoted_scalars_are_text(quoted):
    root = parse(Text(f"a: {quoted}\n")).root
    assert isinstance(root.value["a"].value, str)


def test_values_stand_where_the_text_has_them():
    text = Text("a: 1\r\n# ü\r\n'b': [ x , {c: \"d e\"}]\r\ne:\n  - f g\n")
    root = parse(text).root.value

    def written(node):
        return text.text[node.start : node.end]

    assert written(root["a"]) == "1"
    assert written(root["b"]) == '[ x , {c: "d e"}]'
    assert written(root["b"].value[1].value["c"]) == '"d e"'
    assert written(root["e"].value[0]) == "f g"
    assert text.position(root["b"].key) == (3, 1)
    assert text.position(root["e"].value[0].start) == (5, 5)


CONTENT = [
    ("a: x\n", (1, 4)),
    ("a: 'x'\n", (1, 5)),
    ('a: "x"\n', (1, 5)),
    ("a: |\n  x\n", (2, 3)),
    ("a: |  # comment\n     x\n", (2, 6)),
    ("a: |-\n\n\n  x\n", (2, 3)),
    ("a: |2\n    x\n", (2, 3)),
    ("a: >\n  x\n  y\n", (2, 3)),
    ("a:\n  x\n", (2, 3)),
    ("b:\n  - a: |\n      x\n", (3, 7)),
]


@pytest.mark.parametrize(("written", "place"), CONTENT)
def test_content_begins_at_its_first_character(written, place):
    text = Text(written)
    node = parse(text).root.value
    node = node["a"] if "a" in node else node["b"].value[0].value["a"]
    assert text.content(node.value, node.start) == place


def test_every_line_of_a_literal_block_is_a_line_of_the_file():
    text = Text("a: |\n\n  if x:\n    y\n\n  z\n")
    node = parse(text).root.value["a"]
    line, column = text.content(node.value, node.start)
    for offset, content in enumerate(node.value.splitlines()):
        assert text.line(line + offset).rstrip("\n")[column - 1 :] == content


@pytest.mark.parametrize(
    ("written", "kept"),
    [("|\n  x\n  y", True), (">\n  x\n  y", False), ("x", True), ("x\n  y", False),
     ('"x\\ny"', False)],
)  # fmt: skip
def test_folded_text_keeps_no_lines(written, kept):
    text = Text(f"a: {written}\n")
    node = parse(text).root.value["a"]
    assert text.keeps_lines(node.value, node.start, node.end) is kept


def test_faults_are_collected_and_the_rest_is_read():
    document = parse(Text("a: &x 1\nb: *x\nc: !t 1\nc: 2\n<<: {d: 1}\n1: 2\ne: fine\n"))
    assert [fault.index for fault in document.faults] == [3, 11, 17, 22, 27, 38]
    root = document.root.value
    assert root["a"].value is root["b"].value is root["c"].value is BROKEN
    assert root["e"].value == "fine"


def test_a_syntax_error_ends_the_file_but_keeps_earlier_faults():
    document = parse(Text("a: *x\nb: 'c\n"))
    assert document.root is None
    assert len(document.faults) == 2


def test_too_many_values(monkeypatch):
    monkeypatch.setattr(yaml12, "MAX_NODES", 10)
    assert parse(Text("[1, 2, 3, 4, 5, 6, 7, 8, 9]")).root is not None
    document = parse(Text("[1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1]"))
    assert document.root is None
    assert "split the file" in document.faults[0].message


def test_depth_is_limited_without_losing_the_rest():
    text = "a: " + "[" * 40 + "]" * 40 + "\nb: 1\n"
    document = parse(Text(text))
    assert [fault.message for fault in document.faults] == ["nested more than 32 levels deep"]
    assert document.root.value["b"].value == 1


@given(st.text())
def test_any_text_is_read_or_refused_with_a_place(text):
    text = text.encode("utf-8", "replace").decode("utf-8")
    document = parse(Text(text))
    assert all(0 <= fault.index <= len(text) for fault in document.faults)


@pytest.mark.parametrize("character", ["\x85", "\u2028", "\u2029"])
def test_what_the_parser_would_take_for_a_line_break_is_refused(character):
    (fault,) = parse(Text(f'a: "one{character}two"')).faults
    assert fault.index == 7
    assert f"U+{ord(character):04X}" in fault.message
    escaped = f'a: "one\\u{ord(character):04x}two"'
    assert plain(parse(Text(escaped)).root) == {"a": f"one{character}two"}


PLAIN = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text())


@given(st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_reads_as_json(value):
    """YAML 1.2 contains JSON, but for the numbers and characters that it writes otherwise."""
    import json

    written = json.dumps(value, ensure_ascii=False)
    document = parse(Text(written))
    if document.faults or "Infinity" in written:
        return
    assert plain(document.root) == value


def plain(node):
    if isinstance(node.value, list):
        return [plain(item) for item in node.value]
    if isinstance(node.value, dict):
        return {key: plain(item) for key, item in node.value.items()}
    return node.value
