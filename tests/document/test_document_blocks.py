from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from verifier.document.blocks import lines_of


def test_lines_end_as_editors_end_them() -> None:
    text = "a\nb\r\nc\rd\x0ce\u2028f"
    assert [(line.number, line.text) for line in lines_of(text)] == [
        (1, "a"),
        (2, "b"),
        (3, "c"),
        (4, "d\x0ce\u2028f"),
    ]


def test_an_end_of_line_at_the_end_begins_no_line() -> None:
    assert len(lines_of("a\n")) == 1
    assert len(lines_of("a\n\n")) == 2


@given(st.text(alphabet="ab \r\n"))
def test_lines_lie_in_the_text_where_they_say(text: str) -> None:
    lines = lines_of(text)
    assert all(text[line.start : line.end] == line.text for line in lines)
    assert "".join(line.text for line in lines) == text.replace("\r", "").replace("\n", "")
