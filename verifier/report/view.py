"""What the HTML report shows, worked out so that its template only lays it out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from markupsafe import Markup

from verifier.model import CaseResult, ClaimResult, Evidence, Results, Source, Verdict
from verifier.report import highlight, overview, timing_plot
from verifier.report.strings import text
from verifier.report.text import capped

#: Characters shown of a value, of an output stream and of a cell in a table.
VALUE, STREAM, CELL = 2_000, 8_000, 160


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


class Check(NamedTuple):
    """One piece of evidence."""

    role: str
    mark: str  # holds, fails or undecided
    code: Markup
    place: str
    detail: str
    operands: list[tuple[str, str]]


class Group(NamedTuple):
    """Cases that showed the same, and what they showed."""

    title: str
    verdict: Verdict
    expected: str
    observed: str
    reason: str
    remarks: list[str]
    checks: list[Check]
    frames: list[tuple[str, str]]  # place, line of code
    exception: str
    warnings: list[str]
    streams: list[tuple[str, str]]  # name, text
    timing: timing_plot.Timing | None
    reproduce: str


class Card(NamedTuple):
    """A claim in full."""

    anchor: str
    claim: ClaimResult
    place: str
    origin: str  # file:line of the claim
    record: str  # as-recorded, changed or none
    record_words: str
    open: bool
    references: list[Link]
    axes: list[str]
    rows: list[Row]
    groups: list[Group]
    probe: Markup
    setup: Markup
    probe_origin: str


class Entry(NamedTuple):
    """A claim on the first screen, with one line of evidence."""

    card: Card
    seen: str


class Chapter(NamedTuple):
    """A document with its claims."""

    title: str
    cards: list[Card]


class Device(NamedTuple):
    """An environment in a few words."""

    name: str
    details: str


def cards(results: Results) -> list[Card]:
    """A card for each claim, in the order of the results."""
    anchors = _anchors(results)
    return [_card(claim, anchor) for claim, anchor in zip(results.claims, anchors, strict=True)]


def entries(found: list[Card], *verdicts: Verdict) -> list[Entry]:
    """The cards with one of `verdicts`, by verdict in that order, then by severity."""
    chosen = [card for card in found if card.claim.verdict in verdicts]
    chosen.sort(
        key=lambda card: (
            verdicts.index(card.claim.verdict),
            overview.SEVERITIES.index(card.claim.severity),
        )
    )
    return [Entry(card, _seen(card.claim)) for card in chosen]


def changes(results: Results, found: list[Card]) -> list[tuple[Card, str, tuple[str, ...]]]:
    """What is news beside the ledger: the card, the news in words, the cases concerned."""
    by_place = {(card.claim.source, card.claim.id): card for card in found}
    news = (
        overview.changed(results)
        + overview.unrecorded(results)
        + overview.unrecorded_errors(results)
    )
    return [(by_place[claim.source, claim.id], words, cases) for claim, words, cases in news]


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


def _card(claim: ClaimResult, anchor: str) -> Card:
    record, words = _record(claim)
    axes = list(dict.fromkeys(axis for case in claim.cases for axis in case.params))
    return Card(
        anchor=anchor,
        claim=claim,
        place=overview.place(claim.at),
        origin=f"{claim.file}:{claim.line}",
        record=record,
        record_words=words,
        open=claim.verdict == Verdict.REFUTED or not claim.agrees,
        references=[link(url) for url in claim.references],
        axes=axes,
        rows=[_row(case, axes) for case in claim.cases],
        groups=_groups(claim),
        probe=highlight.python(capped(claim.probe.rstrip(), STREAM)),
        setup=highlight.python(capped(claim.setup.rstrip(), STREAM)),
        probe_origin=f"{claim.file}:{claim.probe_line}" if claim.probe_line else claim.file,
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


def _seen(claim: ClaimResult) -> str:
    """One line of evidence, from the first case that has the claim's verdict."""
    for case in claim.cases:
        if case.verdict == claim.verdict:
            words = (
                case.observed if claim.verdict == Verdict.REFUTED else case.detail or case.observed
            )
            return capped(words or case.detail or case.reason, CELL * 2)
    return claim.reason


def _row(case: CaseResult, axes: list[str]) -> Row:
    before = case.ledger
    return Row(
        id=case.id,
        values=[_value(case.params.get(axis, "")) for axis in axes],
        verdict=case.verdict,
        record=text("record.changed", before=text(f"verdict.{before}"))
        if before and not case.agrees
        else "",
        observed=_cell(case.observed),
        reason=_cell(case.detail or case.reason),
        time=seconds(case.durations.total) if case.durations.total else "",
    )


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"({', '.join(map(str, value))}{',' if len(value) == 1 else ''})"
    return str(value)


def _cell(words: str) -> str:
    return words if len(words) <= CELL else words[: CELL - 1] + "…"


def _groups(claim: ClaimResult) -> list[Group]:
    """Cases that showed the same share one group, so that it is written and read once."""
    groups: dict[str, list[CaseResult]] = {}
    for case in claim.cases:
        groups.setdefault(repr(_shown(case)), []).append(case)
    # Of a case that was not tried the table says all.
    shown = [cases for cases in groups.values() if cases[0].verdict != Verdict.NOT_CHECKED]
    return [_group(claim, cases, alone=len(groups) == 1) for cases in shown]


def _shown(case: CaseResult) -> tuple[object, ...]:
    return (
        case.verdict,
        case.detail or case.reason,
        case.expected,
        case.observed,
        case.remarks,
        case.evidence,
        case.exception,
        case.stdout,
        case.stderr,
        case.warnings,
        case.samples,
        case.interval,
    )


def _group(claim: ClaimResult, cases: list[CaseResult], *, alone: bool) -> Group:
    case = cases[0]
    names = (
        text("claim.and-more", first=case.id, n=len(cases) - 1)
        if len(cases) > 3
        else ", ".join(each.id for each in cases)
    )
    raised = case.exception
    if raised and case.verdict == Verdict.REFUTED and str(raised) in case.observed:
        raised = None  # said already
    return Group(
        title=text("claim.evidence") if alone else text("claim.evidence-of", cases=names),
        verdict=case.verdict,
        expected=capped(case.expected, VALUE),
        observed=capped(case.observed, VALUE),
        reason=case.detail or case.reason,
        remarks=[_remark(remark) for remark in case.remarks],
        checks=[_check(each, claim.file) for each in case.evidence],
        frames=[(f"{each.file}:{each.line}", each.text.strip()) for each in raised.frames]
        if raised
        else [],
        exception=capped(str(raised), VALUE) if raised else "",
        warnings=[
            f"{each.types[0]}: {capped(each.message, VALUE)}"
            + (f" ({claim.file}:{each.line})" if each.line else "")
            for each in case.warnings
        ],
        streams=list(_streams(case)),
        timing=timing_plot.timing(case.samples, case.interval),
        reproduce=case.reproduce,
    )


def _remark(remark: str) -> str:
    known = {"representation-drift": text("claim.remark.representation-drift")}
    return known.get(remark, remark)


def _check(evidence: Evidence, file: str) -> Check:
    marks = {True: "holds", False: "fails", None: "undecided"}
    return Check(
        role=text(f"role.{evidence.role}"),
        mark=marks[evidence.holds],
        code=highlight.python(capped(evidence.code, VALUE)),
        place=f"{file}:{evidence.line}" if evidence.line else "",
        detail=capped(evidence.detail, VALUE),
        operands=[(each.code, capped(each.value, VALUE)) for each in evidence.operands],
    )


def _streams(case: CaseResult) -> Iterator[tuple[str, str]]:
    for name, stream in (("stdout", case.stdout), ("stderr", case.stderr)):
        if stream.strip():
            yield text(f"claim.{name}"), capped(stream.rstrip(), STREAM)
