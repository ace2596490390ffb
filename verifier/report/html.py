"""The HTML report: one closed file that asks nothing of anybody.

Its Content-Security-Policy allows the one style sheet and the one script that
stand in it, by their digests, and nothing else.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from verifier.model import Results, Source, Verdict
from verifier.report import overview, view
from verifier.report.inline import prose
from verifier.report.strings import text
from verifier.report.text import bare, plain

_HERE = Path(__file__).parent
_LANGUAGE = re.compile(r"[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*")


def render(results: Results) -> str:
    """`results` as an HTML page."""
    cards = view.cards(results)
    ranks = view.ranks(cards)
    documents = results.documents
    style, script = _asset("report.css"), _asset("report.js")
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            policy=policy(style, script),
            style=style,
            script=script,
            results=results,
            title=_title(documents),
            documents=[(each, view.link(each.url, view.title(each))) for each in documents],
            versions=sorted({each.torch for each in results.environments.values() if each.torch}),
            devices=view.devices(results),
            tried=_tried(results),
            counts=overview.counts(results),
            bar=bar(results),
            changes=view.changes(results, cards),
            ranks=ranks,
            refuted=sum(len(rank.entries) for rank in ranks),
            undecided=view.undecided(cards),
            not_checked=overview.not_checked(results),
            drifted=overview.drifted(results),
            chapters=view.chapters(results, cards),
            setups=view.setups(results),
            total=len(cards),
        )
    )


def _title(documents: Sequence[Source]) -> str:
    if len(documents) == 1:
        return view.title(documents[0])
    return text("page.several", n=len(documents)) if documents else text("page.kicker")


def _tried(results: Results) -> str:
    """With what the claims were tried, in a sentence."""
    found = results.environments.values()
    versions = sorted({f"torch {each.torch}" for each in found if each.torch})
    if not versions:
        return ""
    devices = sorted(
        {each.device + (f" ({each.device_name})" if each.device_name else "") for each in found}
    )
    return text("page.tried", versions=", ".join(versions), devices=", ".join(devices))


def policy(style: str, script: str) -> str:
    """The Content-Security-Policy that allows `style` and `script` and nothing else."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def bar(results: Results) -> list[tuple[Verdict, float, float]]:
    """Shares of the verdicts for the bar below the headline: verdict, start, width in %."""
    total = len(results.claims)
    shares: list[tuple[Verdict, float, float]] = []
    start = 0.0
    for verdict in Verdict:
        if number := results.summary.claims.get(verdict, 0):
            width = 100 * number / total
            shares.append((verdict, round(start, 3), round(width, 3)))
            start += width
    return shares


def _digest(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


@functools.cache
def _asset(name: str) -> Markup:
    """A file of ours, as it stands. Markup: the browser takes it verbatim too."""
    return Markup((_HERE / "assets" / name).read_text(encoding="utf-8"))  # noqa: S704


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        auto_reload=False,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_harmless,
    )
    environment.globals.update(t=text, seconds=view.seconds, language=_language, when=_when)
    environment.filters.update(prose=prose, bare=bare)
    return environment


def _harmless(value: Any) -> Any:
    """All that is put into the page goes through here; escaping comes after it."""
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _language(name: str, words: str = "") -> str:
    """The `lang` of `words` from a document in the language `name`; empty if unknown.

    A title in plain letters may be a translation, as the statements are.
    """
    if not _LANGUAGE.fullmatch(name):
        return ""
    return "" if words.isascii() and words and not name.startswith("en") else name


def _when(moment: str) -> str:
    """An RFC 3339 date and time, as people write it."""
    found = re.match(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::\d{2})?(?:\.\d+)?(.*)", moment)
    if not found:
        return moment
    day, time, zone = found.groups()
    return f"{day} {time} {'UTC' if zone in ('Z', '+00:00') else zone}".strip()
