import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.report.text import capped, plain, width, wrap


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("a\tb\nc", "a\tb\nc"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("bell\x07", r"bell\x07"),
        ("a\u202eb", r"a\u202eb"),
        ("\u2066x\u2069", r"\u2066x\u2069"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("line\r\nend\r", "line\nend\\r"),
        ("\ud800", r"\ud800"),
        ("é 텐서 テンソル", "é 텐서 テンソル"),
    ],
)
def test_what_could_do_harm_is_stripped_or_shown(text, shown):
    assert plain(text) == shown


@given(st.text())
def test_plain_text_stays_plain(text):
    once = plain(text)
    assert plain(once) == once
    assert "\x1b" not in once
    once.encode()


def test_a_long_text_keeps_both_ends():
    text = "a" * 50 + "b" * 50
    assert capped(text, 100) == text
    short = capped(text + "c", 20)
    assert short.startswith("a" * 10 + "\n[... 81 characters ...]")
    assert short.endswith("b" * 9 + "c")


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("텐서", 4), ("é", 1), ("ｆ", 2)])
def test_wide_characters_take_two_columns(text, columns):
    assert width(text) == columns


@pytest.mark.parametrize(
    ("text", "columns", "lines"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("텐서는 연속입니다", 8, ["텐서는", "연속입니다"]),
        ("これは文です。", 6, ["これは", "文で", "す。"]),
        ("a-very-long-word b", 5, ["a-very-long-word", "b"]),
        ("  indented", 20, ["  indented"]),
        ("two\nlines", 20, ["two", "lines"]),
        ("", 10, [""]),
    ],
)
def test_wrapping(text, columns, lines):
    assert wrap(text, columns) == lines


@given(st.text(alphabet="ab 텐テ。\n"), st.integers(2, 12))
def test_wrapping_loses_no_character_but_space(text, columns):
    lines = wrap(text, columns)
    assert "".join("".join(lines).split()) == "".join(text.split())
