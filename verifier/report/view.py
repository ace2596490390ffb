"""What the HTML report shows, worked out so that its template only lays it out."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import urlsplit

from markupsafe import Markup

from verifier.model import CaseResult, ClaimResult, Results, Severity, Source, Verdict
from verifier.report import cases, evidence, highlight, overview
from verifier.report.evidence import STREAM, Group
from verifier.report.strings import text
from verifier.report.text import capped

#: Characters shown of a cell in a table.
CELL = 160


class Link(NamedTuple):
    """A reference; `url` is empty where it is not safe to follow."""

    words: str
    url: str


class Row(NamedTuple):
    """A case in a claim's table."""

    id: str
    values: list[str]  # one per axis
    verdict: Verdict
    record: str  # the recorded verdict in words, where it differs
    observed: str
    reason: str
    time: str


class Card(NamedTuple):
    """A claim in full."""

    anchor: str
    claim: ClaimResult
    place: str
    quoted: str  # the language of the document, where the place quotes it
    origin: str  # file:line of the claim
    record: str  # as-recorded, changed or none
    record_words: str
    open: bool
    tally: str  # in how many cases the claim has its verdict
    shares: list[cases.Share]
    references: list[Link]
    axes: list[str]
    rows: list[Row]  # cases that were tried
    untried: list[cases.Untried]
    groups: list[Group]
    probe: Markup
    probe_origin: str
    setup: int  # number of the set-up code, 0 for none


class Entry(NamedTuple):
    """A claim on the first screen, with one line of evidence."""

    card: Card
    expected: str
    seen: str


class Rank(NamedTuple):
    """The entries of one severity."""

    severity: Severity
    entries: list[Entry]


class Chapter(NamedTuple):
    """A document with its claims."""

    title: str
    cards: list[Card]


class Setup(NamedTuple):
    """Code that runs before the probes of some claims."""

    number: int
    code: Markup
    words: str


class Device(NamedTuple):
    """An environment in a few words."""

    name: str
    details: str


def cards(results: Results) -> list[Card]:
    """A card for each claim, in the order of the results."""
    anchors = _anchors(results)
    numbers = _setup_numbers(results)
    languages = {source.id: source.language for source in results.documents}
    return [
        _card(claim, anchor, numbers.get(claim.setup, 0), languages.get(claim.source, ""))
        for claim, anchor in zip(results.claims, anchors, strict=True)
    ]


def setups(results: Results) -> list[Setup]:
    """Every piece of set-up code once, however many claims share it."""
    return [
        Setup(
            number,
            highlight.python(capped(code.rstrip(), STREAM)),
            text("setup.used", n=sum(claim.setup == code for claim in results.claims)),
        )
        for code, number in _setup_numbers(results).items()
    ]


def _setup_numbers(results: Results) -> dict[str, int]:
    codes = dict.fromkeys(claim.setup for claim in results.claims if claim.setup.strip())
    return {code: number for number, code in enumerate(codes, 1)}


def ranks(found: list[Card]) -> list[Rank]:
    """The refuted claims by severity, the gravest first, within by place in the document."""
    refuted = [card for card in found if card.claim.verdict == Verdict.REFUTED]
    refuted.sort(key=lambda card: overview.order(card.claim))
    by_severity = [
        Rank(severity, [_entry(card) for card in refuted if card.claim.severity == severity])
        for severity in overview.SEVERITIES
    ]
    return [rank for rank in by_severity if rank.entries]


def undecided(found: list[Card]) -> list[Entry]:
    """The claims that nothing was found out about, errors first, the gravest first."""
    verdicts = (Verdict.ERROR, Verdict.INCONCLUSIVE, Verdict.NOT_CHECKED)
    chosen = [card for card in found if card.claim.verdict in verdicts]
    chosen.sort(
        key=lambda card: (
            verdicts.index(card.claim.verdict),
            overview.SEVERITIES.index(card.claim.severity),
        )
    )
    return [_entry(card) for card in chosen]


def changes(results: Results, found: list[Card]) -> list[tuple[Card, str, tuple[str, ...]]]:
    """What is news beside the ledger: the card, the news in words, the cases concerned."""
    by_place = {(card.claim.source, card.claim.id): card for card in found}
    news = (
        overview.changed(results)
        + overview.unrecorded(results)
        + overview.unrecorded_errors(results)
    )
    return [(by_place[claim.source, claim.id], words, ids) for claim, words, ids in news]


def chapters(results: Results, found: list[Card]) -> list[Chapter]:
    """The cards by document, the documents in the order of their first claim."""
    titles = {source.id: title(source) for source in results.documents}
    by_source: dict[str, list[Card]] = {}
    for card in found:
        by_source.setdefault(card.claim.source, []).append(card)
    return [Chapter(titles.get(source, source), group) for source, group in by_source.items()]


def title(source: Source) -> str:
    """A document's name for people."""
    return source.title or source.id


def devices(results: Results) -> list[Device]:
    """The environments, one line each."""
    return [
        Device(
            each.device,
            ", ".join(
                filter(
                    None,
                    (
                        each.device_name,
                        each.cuda and f"CUDA {each.cuda}",
                        each.driver and f"driver {each.driver}",
                        f"Python {each.python}" if each.python and each.device == "cpu" else "",
                        text("about.threads", n=each.threads) if each.device == "cpu" else "",
                    ),
                )
            ),
        )
        for each in results.environments.values()
    ]


def link(url: str, words: str = "") -> Link:
    """A link that can be followed only if it leads to the web."""
    try:
        parts = urlsplit(url)
        safe = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:  # not an address at all
        safe = False
    return Link(words or url, url if safe else "")


def seconds(value: float) -> str:
    """A duration for people."""
    if value < 0.0995:
        return f"{value * 1000:.2g} ms" if value < 0.01 else f"{value * 1000:.0f} ms"
    if value < 120:
        return f"{value:.2f} s" if value < 10 else f"{value:.0f} s"
    return f"{value / 60:.0f} min"


def _anchors(results: Results) -> list[str]:
    """An anchor ``c-<id>`` for each claim; equal ids of two sources get their source too."""
    anchors: list[str] = []
    taken: set[str] = set()
    for claim in results.claims:
        anchor = f"c-{_slug(claim.id)}"
        if anchor in taken:
            anchor = f"c-{_slug(claim.source)}-{_slug(claim.id)}"
        while anchor in taken:
            anchor += "-"
        taken.add(anchor)
        anchors.append(anchor)
    return anchors


def _slug(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name)


def _card(claim: ClaimResult, anchor: str, setup: int, language: str) -> Card:
    record, words = _record(claim)
    tried = [case for case in claim.cases if case.verdict != Verdict.NOT_CHECKED]
    axes = list(dict.fromkeys(axis for case in tried for axis in case.params))
    return Card(
        anchor=anchor,
        claim=claim,
        place=overview.place(claim.at),
        quoted=language if claim.at and claim.at.lines is None else "",
        origin=f"{claim.file}:{claim.line}",
        record=record,
        record_words=words,
        # The first screen has said of all others what there is to say.
        open=not claim.agrees,
        tally=cases.tally(claim),
        shares=cases.shares(claim),
        references=[link(url) for url in claim.references],
        axes=axes,
        rows=[_row(case, axes) for case in tried],
        untried=cases.untried(claim.cases),
        groups=evidence.groups(claim),
        probe=highlight.python(capped(claim.probe.rstrip(), STREAM)),
        probe_origin=f"{claim.file}:{claim.probe_line}" if claim.probe_line else claim.file,
        setup=setup,
    )


def _record(claim: ClaimResult) -> tuple[str, str]:
    """How the verdict stands to the recorded one: a kind, and words (none: do not say)."""
    if claim.ledger is None:
        # What nobody can check or read has nothing to record.
        undecidable = claim.verdict in (Verdict.UNVERIFIABLE, Verdict.ERROR)
        return "none", "" if undecidable else text("record.none")
    if claim.agrees and claim.ledger == claim.verdict:
        return "as-recorded", text("record.as-recorded")
    words = text("record.changed", before=text(f"verdict.{claim.ledger}"))
    return ("as-recorded" if claim.agrees else "changed"), words


def _entry(card: Card) -> Entry:
    """A claim with the evidence of the first case that has the claim's verdict."""
    claim = card.claim
    case = next((each for each in claim.cases if each.verdict == claim.verdict), None)
    if case is None:
        return Entry(card, "", claim.reason)
    if claim.verdict == Verdict.REFUTED:
        seen = cases.measured(case) or cases.seen(case) or case.detail
        return Entry(card, capped(case.expected, CELL), capped(seen, CELL * 2))
    return Entry(card, "", capped(case.detail or case.observed or case.reason, CELL * 2))


def _row(case: CaseResult, axes: list[str]) -> Row:
    before = case.ledger
    return Row(
        id=case.id,
        values=[cases.value(case.params.get(axis, "")) for axis in axes],
        verdict=case.verdict,
        record=text("record.changed", before=text(f"verdict.{before}"))
        if before and not case.agrees
        else "",
        observed=_cell(cases.measured(case) or cases.seen(case)),
        reason=_cell(cases.why(case)),
        time=seconds(case.durations.total) if case.durations.total else "",
    )


def _cell(words: str) -> str:
    return words if len(words) <= CELL else words[: CELL - 1] + "…"
