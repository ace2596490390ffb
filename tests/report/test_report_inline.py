import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.report.inline import prose
from verifier.report.text import bare


@pytest.mark.parametrize(
    ("words", "html"),
    [
        ("plain", "plain"),
        ("`x` is `y`", "<code>x</code> is <code>y</code>"),
        ("`a < b` & c", "<code>a &lt; b</code> &amp; c"),
        ("a ` alone", "a ` alone"),
        ("``", ""),
        ("`</code><script>`", "<code>&lt;/code&gt;&lt;script&gt;</code>"),
        ("\x1b[31m`\u202e`", r"<code>\u202e</code>"),
    ],
)
def test_code_in_a_sentence(words, html):
    assert prose(words) == html


@given(st.text(alphabet="ab`<>&\"'"))
def test_no_text_makes_markup_of_its_own(words):
    left = str(prose(words)).replace("<code>", "").replace("</code>", "")
    assert not set("<>\"'") & set(left)


@pytest.mark.parametrize(
    ("words", "without"),
    [("`x`", "x"), ("`x` is `y`", "`x` is `y`"), ("x", "x"), ("``", "``"), ("`", "`"), ("", "")],
)
def test_code_alone_needs_no_backticks(words, without):
    assert bare(words) == without
