"""What agrees, what differs, and how the difference is named."""

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from verifier.judge.output import difference


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("True\n", "True"),
        ("", ""),
        ("(3, 4)", "(3,4)"),
        ("tensor([[1, 2],\n        [3, 4]])", "tensor([[ 1,  2], [ 3,  4]])"),
        ("0.33333334", "0.3333"),
        ("tensor(0.66666)", "tensor(0.6667)"),
        ("0.12345", "0.1234"),  # a tie may be rounded either way
        ("0.12345", "0.1235"),
        ("-0.25", "-0.25000"),
        ("[1. 2.]", "[1.0 2.0]"),
        ("1.0000e-03", "1e-3"),
        (".5", "0.5"),
        ("nan inf", "nan   inf"),
    ],
)
def test_noise_and_digits_agree(printed, shown):
    assert difference(printed, shown) == ""


@pytest.mark.parametrize(
    ("printed", "shown", "words"),
    [
        ("True\n", "False", "prints 'True', the document shows 'False'"),
        ("", "True", "prints nothing, the document shows 'True'"),
        ("12", "1 2", "prints '12', the document shows '1 2'"),
        ("3", "4", "prints '3', the document shows '4'"),
        ("3.0", "3", "prints '3.0', the document shows '3'"),
        ("3", "3.0", "prints '3', the document shows '3.0'"),
        ("2.4", "2.", "prints '2.4', the document shows '2.'"),
        ("0.334", "0.333", "prints '0.334', the document shows '0.333'"),
        ("-1", "1", "prints '-1', the document shows '1'"),
        ("5-3", "5 -3", "prints '5-3', the document shows '5 -3'"),
        ("torch.float16", "torch.float32", "prints 'torch.float16', the document shows"),
        ("2.13.0", "2.13.1", "prints '2.13.0', the document shows '2.13.1'"),
        ("a b", "a", "prints 'a b', the document shows 'a'"),
    ],
)
def test_differences_are_named(printed, shown, words):
    assert difference(printed, shown).startswith(words)


def test_of_long_output_the_difference_is_shown():
    printed = ", ".join(str(number) for number in range(100))
    found = difference(printed, printed.replace("57", "75"))
    assert found.startswith("prints '…")
    assert "57, 58" in found
    assert "75, 58" in found
    assert len(found) < 220


def test_of_long_output_the_missing_end_is_named():
    printed = " ".join(["word"] * 50)
    assert difference(printed, printed + " more").startswith("prints nothing more, the document")
    assert difference(printed + " more", printed).endswith("the document shows nothing more")


floats = st.floats(min_value=-1e6, max_value=1e6)


@settings(deadline=None)
@given(st.text())
def test_every_text_agrees_with_itself(text):
    assert difference(text, text) == ""


@settings(deadline=None)
@given(st.lists(st.text("ab1.()", min_size=1)), st.data())
def test_white_space_between_words_is_noise(words, data):
    space = st.text(" \n\t", min_size=1)
    first = "".join(word + data.draw(space) for word in words)
    second = "".join(word + data.draw(space) for word in words)
    assert difference(first, second) == ""


@settings(deadline=None)
@given(floats, st.integers(1, 8))
def test_a_float_agrees_with_its_rounding(value, digits):
    assert difference(f"{value:.12f}", f"{value:.{digits}f}") == ""


@settings(deadline=None)
@given(floats, st.integers(1, 8), st.sampled_from([-1, 1]))
def test_a_float_differs_from_what_is_a_digit_away(value, digits, sign):
    shown = f"{value:.{digits}f}"
    printed = f"{float(shown) + sign * 1.1 * 10**-digits:.12f}"
    assert difference(printed, shown) != ""


@settings(deadline=None)
@given(st.integers(), st.integers())
def test_integers_are_exact(first, second):
    assume(first != second)
    assert difference(str(first), str(second)) != ""


@settings(deadline=None)
@given(st.text("0123456789.eE+-, ()[]naif"), st.text("0123456789.eE+-, ()[]naif"))
def test_agreeing_texts_differ_in_numbers_and_white_space_alone(printed, shown):
    if not difference(printed, shown):
        assert re.sub(r"[\s\d.eE+-]", "", printed) == re.sub(r"[\s\d.eE+-]", "", shown)
