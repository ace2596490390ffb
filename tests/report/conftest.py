import runpy
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

from verifier.model import Results
from verifier.report.events import AnyEvent

SAMPLE = Path(__file__).parents[1] / "samples" / "report" / "tensors_tutorial.py"
TUTORIAL = runpy.run_path(str(SAMPLE))


@pytest.fixture(scope="session")
def events() -> list[AnyEvent]:
    """The events of a run over a small tutorial."""
    return TUTORIAL["events"]()  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def results() -> Results:
    """The results of that run."""
    return TUTORIAL["results"]()  # type: ignore[no-any-return]


EVIL = (
    "<img src=x onerror=\"fail('{}')\"></script><script>fail('{}')</script>"
    "'\"&{{7*7}}\x1b[31m\u202e"
)


@pytest.fixture(scope="session")
def hostile(results: Results) -> Results:
    """Results with markup in every text that comes from elsewhere."""
    return msgspec.convert(_poisoned(msgspec.to_builtins(results)), Results, strict=False)


#: What is not free text, or is checked by those who write it.
_KEPT = {"verdict", "ledger", "kind", "severity", "quantifier", "role", "started", "finished"}


def _poisoned(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _poisoned(item, key) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_poisoned(item, name) for item in value]
    if isinstance(value, str) and name not in _KEPT:
        return ("javascript:" if name in ("url", "references") else "") + value + EVIL
    return value


VOID = {"meta", "link", "input", "use", "path", "rect", "circle", "br", "img"}


class Page(HTMLParser):
    """A page's elements and text; raises where tags do not match."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.stack: list[str] = []
        self.feed(page)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if self.stack and self.stack[-1] not in ("script", "style"):
            self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="session")
def parsed() -> type[Page]:
    """Reads a page of HTML."""
    return Page
