from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.document import AnchorProblem, Document, Span, resolve
from verifier.document.anchors import describe
from verifier.document.plaintext import blocks
from verifier.model import Place

TEXT = """A view shares memory. A copy
does not.

x = 1
A view is
  cheap. A view shares
memory too.
"""


def document(text: str = TEXT) -> Document:
    return Document(path="doc.txt", text=text, digest="0" * 64, blocks=blocks(text))


def found(place: Place, text: str = TEXT) -> str:
    span = resolve(place, document(text))
    assert isinstance(span, Span), span
    return text[span.start : span.end]


def problem(place: Place, text: str = TEXT) -> AnchorProblem:
    result = resolve(place, document(text))
    assert isinstance(result, AnchorProblem), result
    return result


def test_lines() -> None:
    assert found(Place(lines=(4, 4))) == "x = 1"
    assert found(Place(lines=(1, 2))) == "A view shares memory. A copy\ndoes not."


def test_sentences_count_from_the_line_on_which_they_begin() -> None:
    assert found(Place(lines=(1, 1), sentence=2)) == "A copy\ndoes not."
    assert found(Place(lines=(6, 7), sentence=1)) == "A view shares\nmemory too."


@pytest.mark.parametrize("lines", [(0, 1), (8, 8), (7, 8), (3, 2)])
def test_lines_outside(lines: tuple[int, int]) -> None:
    assert problem(Place(lines=lines)).reason == "outside"


def test_lines_outside_say_how_many_there_are() -> None:
    message = problem(Place(lines=(9, 12), sentence=1)).message
    assert message == "lines 9-12, sentence 1 is outside doc.txt, which has 7 lines"


@pytest.mark.parametrize(
    ("line", "number", "words"),
    [
        (1, 3, "no sentence 3: 2 sentences begin on line 1"),
        (2, 1, "no sentence 1: no sentences begin on line 2"),
        (4, 1, "no sentence 1: no sentences begin on line 4"),
        (5, 2, "no sentence 2: 1 sentence begins on line 5"),
    ],
)
def test_sentences_that_are_not_there(line: int, number: int, words: str) -> None:
    result = problem(Place(lines=(line, line), sentence=number))
    assert result.reason == "no-sentence"
    assert words in result.message


def test_a_quote_is_found_across_line_breaks() -> None:
    assert found(Place(exact="A view is cheap.")) == "A view is\n  cheap."
    assert found(Place(exact=" A  copy does\nnot. ")) == "A copy\ndoes not."


def test_prefix_and_suffix_choose_one_of_several() -> None:
    quote = "A view shares memory"
    assert problem(Place(exact=quote)).reason == "ambiguous"
    assert "found 2 times" in problem(Place(exact=quote)).message
    assert found(Place(exact=quote, suffix=".")) == "A view shares memory"
    assert found(Place(exact=quote, prefix="is cheap.")) == "A view shares\nmemory"
    assert found(Place(exact=quote, prefix="cheap. ", suffix=" too")) == "A view shares\nmemory"
    assert problem(Place(exact=quote, prefix="x = 2")).reason == "orphaned"
    assert problem(Place(exact=quote, suffix="more")).reason == "orphaned"


def test_overlapping_matches_count() -> None:
    assert problem(Place(exact="aa"), "aaa").reason == "ambiguous"


@pytest.mark.parametrize("quote", ["a view shares memory.", "A view shares memories", "", "  "])
def test_similar_is_not_found(quote: str) -> None:
    assert problem(Place(exact=quote)).reason == "orphaned"


def test_long_quotes_are_cut_in_messages() -> None:
    assert len(describe(Place(exact="word " * 50))) == 62


@given(st.text(alphabet="ab. \n한"), st.data())
def test_a_quote_with_all_around_it_is_found_where_it_is(text: str, data: st.DataObject) -> None:
    places = [i for i, character in enumerate(text) if not character.isspace()]
    if not places:
        return
    start = data.draw(st.sampled_from(places))
    end = data.draw(st.sampled_from([i for i in places if i >= start])) + 1
    place = Place(exact=text[start:end], prefix=text[:start], suffix=text[end:])
    result = resolve(place, document(text))
    if isinstance(result, Span):
        assert " ".join(text[result.start : result.end].split()) == " ".join(
            text[start:end].split()
        )
    else:
        assert result.reason == "ambiguous"
