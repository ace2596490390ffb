"""What people read in a terminal, in pytest's output and in a log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from verifier.model import CaseResult, ClaimResult, Raised, Results, Verdict
from verifier.report import cases, overview
from verifier.report.strings import text
from verifier.report.style import PLAIN, Style
from verifier.report.text import bare, capped, plain, width, wrap

_MARKS = {
    Verdict.VERIFIED: "✓",
    Verdict.REFUTED: "✗",
    Verdict.INCONCLUSIVE: "?",
    Verdict.NOT_CHECKED: "-",
    Verdict.ERROR: "!",
    Verdict.UNVERIFIABLE: "·",
}
#: Characters of a value and of an output that are shown; results.json has all of them.
_VALUE = 300
_OUTPUT = 1000


def failure_text(claim: ClaimResult, case: CaseResult, style: Style = PLAIN) -> str:
    """Why `case` has its verdict, for somebody who knows the document and not our code.

    Ends with the place in the claim file in the form ``file:line: message``,
    which editors make a link, and with a line that runs just this case.
    """
    rows = [*_statement(claim), *_decision(case), *_record(claim, case)]
    label = max(width(name) for name, _ in rows) + 2
    lines = [line for row in rows for line in _row(*row, label, style)]
    lines += _exception(case, style)
    lines += _output(case)
    lines += ["", f"{plain(claim.file)}:{claim.line}: {plain(claim.id)}: {_verdict(case)}"]
    if case.reproduce:
        lines.append(f"{text('part.reproduce')}: {plain(case.reproduce)}")
    return "\n".join(lines)


def _statement(claim: ClaimResult) -> Iterator[tuple[str, list[str]]]:
    where = overview.place(claim.at)
    if where and claim.source:
        where = text("place.of", place=where, source=claim.source)
    yield text("part.statement"), [claim.statement, *([f"({where})"] if where else [])]


def _decision(case: CaseResult) -> Iterator[tuple[str, list[str]]]:
    """What was expected and what was seen, with the values behind it."""
    reason = cases.why(case)
    if case.expected:
        yield text("part.expected"), [bare(case.expected)]
    # An exception has a part of its own, with its place, and a reason may say it all.
    raised = case.exception and case.verdict == Verdict.ERROR
    if case.observed and not raised and case.observed.lower() not in reason.lower():
        yield text("part.observed"), [case.observed]
    if ratio := cases.measured(case):
        yield text("part.timing"), [ratio]
    if operands := _operands(case):
        yield text("part.where"), operands
    if reason:
        yield text("part.reason"), [reason]


def _operands(case: CaseResult) -> list[str]:
    """Values of the decisive check that `observed` does not show already."""
    found = cases.decisive(case)
    if found is None:
        return []
    return [
        f"{operand.code} = {capped(operand.value, _VALUE)}"
        for operand in found.operands
        if not (operand.code in case.observed and operand.value in case.observed)
    ]


def _record(claim: ClaimResult, case: CaseResult) -> Iterator[tuple[str, list[str]]]:
    if claim.correction and case.verdict == Verdict.REFUTED:
        yield text("part.correction"), [claim.correction]
    if not case.agrees:
        yield text("part.recorded"), [_news(case)]


def _row(name: str, values: Sequence[str], label: int, style: Style) -> list[str]:
    columns = style.columns - label
    lines = [line for value in values for line in wrap(plain(value), columns)]
    head = style(name, "bold") + " " * (label - width(name))
    return [(head if index == 0 else " " * label) + line for index, line in enumerate(lines)]


def _exception(case: CaseResult, style: Style) -> Iterator[str]:
    """The exception with its frames, which the child cut to the claim's own code."""
    raised: Raised | None = case.exception
    if raised is None or (case.verdict == Verdict.REFUTED and str(raised) in case.observed):
        return
    yield ""
    for frame in raised.frames:
        yield f"{plain(frame.file)}:{frame.line}: in {plain(frame.name)}"
        if frame.text:
            yield f"    {plain(frame.text.strip())}"
    yield style(plain(capped(str(raised), _OUTPUT)), "red")


def _output(case: CaseResult) -> Iterator[str]:
    if case.verdict == Verdict.VERIFIED:
        return
    for name, stream in (("stdout", case.stdout), ("stderr", case.stderr)):
        if stream.strip():
            yield ""
            yield f"{text('part.output')} ({name}):"
            for line in plain(capped(stream.rstrip(), _OUTPUT)).split("\n"):
                yield f"    {line}"


def _verdict(case: CaseResult) -> str:
    return text(f"verdict.{case.verdict}")


def case_line(claim: ClaimResult, case: CaseResult, style: Style = PLAIN) -> str:
    """One line for one case: mark, verdict, name, and why where it needs a reason."""
    mark = style.verdict(case.verdict, f"{_MARKS[case.verdict]} {_verdict(case):<12}")
    name = f"{plain(claim.id)}[{plain(case.id)}]"
    why = " ".join(plain(_why(case)).split())
    room = max(20, style.columns - width(name) - 18)
    return f"{mark} {name}" + (style(f"  {_shortened(why, room)}", "dim") if why else "")


def _why(case: CaseResult) -> str:
    ratio = cases.measured(case, brief=True)
    if case.agrees and case.verdict in (Verdict.VERIFIED, Verdict.REFUTED):
        return ratio
    news = f"({_news(case)})" if case.ledger and not case.agrees else ""
    words = cases.why(case) or ("" if ratio else bare(case.observed) or case.detail)
    return " ".join(filter(None, (news, words, ratio)))


def _news(case: CaseResult) -> str:
    now = text(f"verdict.{case.verdict}")
    if case.ledger is None:
        return text("change.unrecorded", now=now)
    return text("change.from-to", before=text(f"verdict.{case.ledger}"), now=now)


def _shortened(value: str, columns: int) -> str:
    if width(value) <= columns:
        return value
    kept = ""
    for char in value:
        if width(kept) + width(char) > columns - 1:
            break
        kept += char
    return kept.rstrip() + "…"


def summary_lines(
    results: Results, style: Style = PLAIN, reports: Iterable[Path] = ()
) -> list[str]:
    """The end of a run: counts, what changed with its place, what was not checked, reports."""
    if not results.claims:
        return [text("count.none")]
    lines = [text("count.interrupted")] if results.run.interrupted else []
    words = ", ".join(style.verdict(*count) for count in overview.counts(results))
    lines.append(text("count.claims", n=len(results.claims)) + words + ".")
    lines += _changes(text("change.title"), overview.changed(results), style)
    lines += _changes(text("change.new"), overview.unrecorded(results), style)
    lines += _changes(text("change.errors"), overview.unrecorded_errors(results), style)
    if number := overview.recordable(results):
        lines.append(text("count.unrecorded", n=number))
    lines += map(plain, overview.not_checked(results))
    if drifted := overview.drifted(results):
        lines.append(text("count.drift", n=drifted))
    lines += [f"{text('part.report')}: {path}" for path in reports]
    return lines


def _changes(title: str, changes: Sequence[overview.Change], style: Style) -> Iterator[str]:
    if not changes:
        return
    yield style(f"{title}:", "bold")
    for claim, words, ids in changes:
        which = f" [{', '.join(ids)}]" if ids else ""
        verdict = style.verdict(claim.verdict, words)
        yield f"  {plain(claim.file)}:{claim.line}: {plain(claim.id + which)}: {verdict}"
