from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.document import Document, read, sentences
from verifier.document.ends import ends
from verifier.document.plaintext import blocks

SAMPLES = Path(__file__).parent.parent / "samples" / "document"


def document(text: str) -> Document:
    return Document(path="doc.txt", text=text, digest="0" * 64, blocks=blocks(text))


def split(text: str) -> list[str]:
    cuts = [0, *ends(text), len(text)]
    parts = [text[a:b].strip() for a, b in itertools.pairwise(cuts)]
    return [part for part in parts if part]


@pytest.mark.parametrize(
    "parts",
    [
        ["One.", "Two!", "Three?", "Four"],
        ["한 문장입니다.", "다음 문장입니다."],
        ["끝입니다.", "- 다음 항목입니다."],
        ["끝입니다.", "2. 다음 항목"],
        ["張量是連續的。", "它很快！"],
        ["He said “stop.”", "Then it went on (at once.)", "End."],
        ["Really?!", "Yes."],
        ["And so on...", "It ends."],
        ["Use version 2.", "It is new."],
        ["Use version 1.2.", "It is new."],
        ["- An item.", "More of it."],
    ],
)
def test_ends(parts: list[str]) -> None:
    joined = " ".join(parts)
    assert split(joined) == parts


@pytest.mark.parametrize(
    "parts",
    [
        ["펼칩니다.", ".flatten() 메서드"],
        ["It is done.", ".view() comes next."],
        ["더합니다.", "torch.add()는 빠릅니다."],
        ["끝입니다.", "- 다음"],
        ["끝입니다.", "1) 다음"],
        ["張量。", "它很快。"],
    ],
)
def test_ends_without_space(parts: list[str]) -> None:
    assert split("".join(parts)) == parts


@pytest.mark.parametrize(
    "text",
    [
        "torch.nn.functional has it",
        ".view() is a method",
        "x.shape and 3.14 and 1.",
        "see print('Hello. World') and f(g(1. ), x[0. ]) there",
        "at shapes[1. ] there",
        "1. The first step",
        "e.g. this, i.e. that, cf. Fig. 3 vs. Eq. 4",
        "for x[..., 0] there",
        "a range of 1..5 here",
        "version 1.2.3 of it",
        "résumé.txt is a file",
        "file.txt,torch.add",
    ],
)
def test_no_end_inside(text: str) -> None:
    assert split(text) == [text]


def numbered(text: str) -> list[tuple[int, int, int, str]]:
    return [(s.line, s.number, s.last_line, s.text) for s in sentences(document(text))]


def test_a_sentence_belongs_to_the_line_on_which_it_begins() -> None:
    text = "This sentence of the paragraph is long enough to\nbe wrapped. Next. And\none more.\n"
    assert numbered(text) == [
        (1, 1, 2, "This sentence of the paragraph is long enough to be wrapped."),
        (2, 1, 2, "Next."),
        (2, 2, 3, "And one more."),
    ]


def test_blank_lines_items_and_code_end_a_sentence() -> None:
    text = "It is so, if\n\nit is so, for\n- an item without end\n- another\nx = 1\nand more.\n"
    assert [s.text for s in sentences(document(text))] == [
        "It is so, if",
        "it is so, for",
        "- an item without end",
        "- another",
        "and more.",
    ]


def test_inline_code_on_lines_of_its_own() -> None:
    found = sentences(read(SAMPLES / "inline-code-broken-off.txt"))
    assert [(s.line, s.number, s.last_line, s.kind) for s in found] == [
        (1, 1, 1, "heading"),
        (2, 1, 3, "prose"),
        (4, 1, 4, "heading"),
        (8, 1, 8, "heading"),
        (9, 1, 11, "prose"),
        (11, 1, 12, "prose"),
        (12, 1, 14, "prose"),
        (14, 1, 15, "prose"),
        (16, 1, 17, "heading"),
        (18, 1, 18, "prose"),
    ]


WORDS = st.sampled_from(
    [
        "a",
        " ",
        "\n",
        "\n\n",
        ". ",
        ".",
        "..",
        "? ",
        "。",
        "다",
        "- ",
        "2. ",
        "f(x. )",
        "x = 1\n",
        ".b",
    ]
)


@given(st.lists(WORDS, max_size=40).map("".join))
def test_sentences_are_in_order_and_hold_all_prose(text: str) -> None:
    doc = document(text)
    found = sentences(doc)
    held = [offset for s in found for offset in range(s.start, s.end)]
    assert held == sorted(set(held))
    prose = {offset for b in doc.blocks if b.is_prose for offset in range(b.start, b.end)}
    assert set(held) <= prose
    assert {offset for offset in prose if not text[offset].isspace()} <= set(held)
    numbers: dict[int, list[int]] = {}
    for s in found:
        numbers.setdefault(s.line, []).append(s.number)
        assert s.text == " ".join(text[s.start : s.end].split())
        assert text.count("\n", 0, s.start) + 1 == s.line
        assert text.count("\n", 0, s.end) + 1 == s.last_line
    assert all(n == list(range(1, len(n) + 1)) for n in numbers.values())
