import pytest

from verifier.report import view
from verifier.report.html import render


@pytest.mark.parametrize(
    ("url", "followed"),
    [
        ("https://example.org/a", True),
        ("http://example.org", True),
        ("javascript:alert(1)", False),
        (" javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("file:///etc/passwd", False),
        ("//example.org", False),
        ("https:", False),
        ("http://[bad", False),
        ("", False),
    ],
)
def test_only_links_to_the_web_are_links(url, followed):
    assert bool(view.link(url).url) == followed
    assert view.link(url).words == url


def test_markup_in_any_field_is_text(hostile, parsed):
    page = parsed(render(hostile))
    assert len(page.all("script")) == 1
    assert not page.all("img")
    for link in page.all("a"):
        assert link["href"].startswith(("#", "http:", "https:"))
    for tag, attributes in page.elements:
        assert not any(name.startswith("on") for name in attributes), tag
    assert "<img src=x onerror=" in page.text


def test_controls_of_the_terminal_and_of_direction_are_shown_not_obeyed(hostile):
    source = render(hostile)
    assert "\x1b" not in source
    assert "\u202e" not in source
    assert r"\u202e" in source
