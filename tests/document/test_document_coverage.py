from __future__ import annotations

from typing import Any

import pytest

from verifier.document import Coverage, Document, coverage, text_lines
from verifier.document.plaintext import blocks
from verifier.model import Claim, ClaimFile, Ignored, Place, Source

TEXT = """Sums
A sum is a number. It has no
axes. It is exact.
import torch
# the ones
print(torch.ones(2).sum())
tensor(2.)

-----
"""
SOURCE = Source(id="doc")


def document(text: str = TEXT) -> Document:
    return Document(path="doc.txt", text=text, digest="ab" * 32, blocks=blocks(text))


def file(*places: Place | None, ignored: tuple[Place, ...] = (), sha256: str = "") -> ClaimFile:
    claims = tuple(
        Claim(
            id=f"claim-{number}",
            statement="A statement.",
            kind="behaviour",
            source=SOURCE,
            file="claims.yaml",
            line=10 * number,
            column=5,
            at=place,
        )
        for number, place in enumerate(places, start=1)
    )
    return ClaimFile(
        path="claims.yaml",
        source=Source(id="doc", sha256=sha256),
        claims=claims,
        ignored=tuple(
            Ignored(at=place, reason="no statement", line=4, column=5) for place in ignored
        ),
    )


def at(first: int, last: int | None = None, **more: Any) -> Place:
    return Place(lines=(first, last or first), **more)


def left(result: Coverage) -> list[tuple[int, int | None]]:
    return [(part.line, part.sentence) for part in result.uncovered]


ALL = [(1, 1), (2, 1), (2, 2), (3, 1), (4, None), (5, None), (6, None), (7, None)]


def test_without_claims_all_is_left_but_blank_lines_and_rules() -> None:
    result = coverage(document(), [])
    assert left(result) == ALL
    assert [part.kind for part in result.uncovered] == [
        *("heading", "prose", "prose", "prose"),
        *("code", "code", "code", "output"),
    ]
    assert result.covered == {}
    assert result.total == {"prose": 4, "code": 3, "output": 1}
    assert result.stale == ()


@pytest.mark.parametrize(
    ("place", "covers"),
    [
        (at(1), [(1, 1)]),
        (at(2), [(2, 1), (2, 2)]),
        (at(2, sentence=2), [(2, 2)]),
        (at(2, 3, sentence=1), [(2, 1)]),
        (at(2, 3), [(2, 1), (2, 2), (3, 1)]),
        (at(3), [(3, 1)]),
        (at(3, 4), [(3, 1), (4, None)]),
        (at(5, 7), [(5, None), (6, None), (7, None)]),
        (Place(exact="no axes."), [(2, 2)]),
        (Place(exact="exact. import"), [(3, 1), (4, None)]),
    ],
)
def test_what_a_place_covers(place: Place, covers: list[tuple[int, int | None]]) -> None:
    for files in ([file(place)], [file(ignored=(place,))]):
        result = coverage(document(), files)
        assert left(result) == [part for part in ALL if part not in covers]
        assert result.stale == ()


def test_several_files_add_up_and_a_part_counts_once() -> None:
    result = coverage(document(), [file(at(1), at(1), None), file(at(2, 4), ignored=(at(5, 7),))])
    assert result.uncovered == ()
    assert result.covered == result.total
    assert text_lines(result) == [
        "doc.txt: covered are 4 of 4 sentences, 3 of 3 lines of code, 1 of 1 lines of output"
    ]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (at(10), "line 10 is outside doc.txt, which has 9 lines"),
        (at(2, sentence=3), "no sentence 3: 2 sentences begin on line 2"),
        (at(4, sentence=1), "no sentence 1: no sentences begin on line 4"),
        (at(8), "line 8: nothing begins there; name lines with text"),
        (Place(exact="a product"), '"a product" is not in doc.txt'),
        (Place(exact="is"), '"is" is found 2 times in doc.txt'),
    ],
)
def test_places_that_do_not_fit(place: Place, words: str) -> None:
    (claimed,) = coverage(document(), [file(at(1), place)]).stale
    assert str(claimed).startswith("claims.yaml:20:5: claim-2: ")
    assert words in claimed.message
    assert claimed.claim == "claim-2"
    (ignored,) = coverage(document(), [file(ignored=(place,))]).stale
    assert str(ignored).startswith("claims.yaml:4:5: ignored: ")
    assert words in ignored.message


def test_the_tail_of_a_sentence_is_no_place() -> None:
    text = "One sentence that has many words and is wrapped,\nand ends here.\n"
    (problem,) = coverage(document(text), [file(at(2))]).stale
    assert problem.message == "claim-1: line 2: nothing begins there; the sentence begins on line 1"


def test_at_most_five_lines_of_prose() -> None:
    text = "- a\n- b\n\n- c\n- d\n- e\nx = 1\ny = 2\n- f\n"
    assert coverage(document(text), [file(at(1, 8))]).stale == ()
    (problem,) = coverage(document(text), [file(at(1, 9))]).stale
    assert "lines 1-9: covers 6 lines of prose, at most 5 are allowed" in problem.message
    assert coverage(document(text), [file(at(1, 9, sentence=1))]).stale == ()


def test_another_digest() -> None:
    assert coverage(document(), [file(sha256="AB" * 32)]).stale == ()
    (problem,) = coverage(document(), [file(sha256="cd" * 32)]).stale
    assert str(problem).startswith("claims.yaml:1:1: source.sha256 is not that of doc.txt (abab")


def test_the_report_names_places_as_editors_do_and_cuts_long_text() -> None:
    text = "Long " + "word " * 30 + "end.\nx = 1\n"
    lines = text_lines(coverage(document(text), [file(at(9))]))
    assert lines[0].startswith("claims.yaml:10:5: claim-1: line 9 is outside")
    assert lines[1].startswith("doc.txt:1: sentence 1: Long word")
    assert lines[1].endswith("…")
    assert len(lines[1]) == len("doc.txt:1: sentence 1: ") + 72
    assert lines[2] == "doc.txt:2: code: x = 1"
    assert lines[3] == "doc.txt: covered are 0 of 1 sentences, 0 of 1 lines of code"
