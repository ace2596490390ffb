import io

import pytest

from verifier.model import Verdict
from verifier.report.style import PLAIN, Style


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


@pytest.mark.parametrize(
    ("stream", "environment", "colour"),
    [
        (Terminal(), {}, True),
        (io.StringIO(), {}, False),
        (None, {"FORCE_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": "1"}, False),
        (Terminal(), {"NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
        (io.StringIO(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_where_it_is_wanted(stream, environment, colour, monkeypatch):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert Style(stream).colour is colour


def test_the_word_stands_beside_the_colour():
    assert Style(Terminal()).verdict(Verdict.REFUTED, "refuted") == "\x1b[31mrefuted\x1b[0m"
    assert PLAIN.verdict(Verdict.REFUTED, "refuted") == "refuted"
    assert Style(Terminal())("x", "bold", "red") == "\x1b[1;31mx\x1b[0m"


def test_every_verdict_has_a_colour():
    for verdict in Verdict:
        assert "\x1b" in Style(Terminal()).verdict(verdict, "word")
