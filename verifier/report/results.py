"""The results of a run: put together from its events, written and read as JSON.

Results are the only thing that reports read. What differs between two equal runs
stands only under `run`, `environments`, `durations`, `samples` and `interval`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from verifier.judge.rollup import count, outcome, roll_up
from verifier.model import (
    CaseResult,
    ClaimResult,
    Environment,
    Results,
    RunInfo,
    Source,
    Summary,
    Verdict,
)
from verifier.report import events as ev
from verifier.report.errors import ReportError, ResultsError

#: A claim's name among all results: ids are unique only within a source.
Key = tuple[str, str]


def assemble(events: Iterable[ev.AnyEvent]) -> Results:
    """The results that the events of a run amount to, in an order of their own.

    Claims are sorted by file and line and cases by the claim's matrix, whatever
    the order of events. A run without its last event was killed: it is marked
    as interrupted, and its claims that no case was tried of as not checked.
    Raises ResultsError for a case of a claim that is not there.
    """
    run, finished = RunInfo(), False
    environments: dict[str, Environment] = {}
    sources: dict[str, Source] = {}
    claims: dict[Key, ClaimResult] = {}
    cases: dict[Key, dict[int, CaseResult]] = {}
    for event in events:
        match event:
            case ev.RunEvent():
                run = event.run
            case ev.SourceEvent():
                sources[event.source.id] = event.source
            case ev.EnvironmentEvent():
                environments[event.environment.id] = event.environment
            case ev.ClaimEvent():
                claims[event.claim.source, event.claim.id] = event.claim
            case ev.CaseEvent():
                cases.setdefault((event.source, event.claim), {})[event.index] = event.case
            case ev.FinishedEvent():
                run, finished = event.run, True
    if lost := cases.keys() - claims.keys():
        raise ResultsError(f"there are cases of a claim that is not there: {'/'.join(min(lost))}")
    rolled = [
        rolled_up(claim, _in_order(cases.get(key, {})), finished=finished)
        for key, claim in claims.items()
    ]
    rolled.sort(key=lambda claim: (claim.file, claim.line, claim.source, claim.id))
    return Results(
        schema=ev.FORMAT,
        run=run if finished else msgspec.structs.replace(run, interrupted=True),
        environments=environments,
        documents=tuple(sources[name] for name in sorted(sources)),
        claims=tuple(rolled),
        summary=summarise(rolled),
    )


def _in_order(cases: dict[int, CaseResult]) -> tuple[CaseResult, ...]:
    return tuple(cases[index] for index in sorted(cases))


def rolled_up(
    claim: ClaimResult, cases: tuple[CaseResult, ...], *, finished: bool = True
) -> ClaimResult:
    """`claim` with its cases and the one verdict, reason and count that they come to.

    A claim agrees with the ledger where every one of its cases does and, if its
    whole matrix was tried, so does the verdict that they come to. A claim without
    cases keeps the verdict that it has.
    """
    if not cases:
        waiting = claim.verdict == Verdict.NOT_CHECKED and not claim.reason and not finished
        return msgspec.structs.replace(claim, reason="interrupted") if waiting else claim
    verdicts = [case.verdict for case in cases]
    verdict = roll_up(claim.quantifier, verdicts)
    return msgspec.structs.replace(
        claim,
        cases=cases,
        verdict=verdict,
        reason=next((case.reason for case in cases if case.verdict == verdict), ""),
        count=count(verdicts, verdict),
        agrees=all(case.agrees for case in cases) and _roll_up_agrees(claim, verdict, verdicts),
    )


def _roll_up_agrees(claim: ClaimResult, verdict: Verdict, verdicts: Sequence[Verdict]) -> bool:
    """Whether the one word is no news; it cannot be told from a part of the matrix."""
    if len(verdicts) < claim.planned or Verdict.NOT_CHECKED in verdicts:
        return True
    return outcome(claim.ledger, verdict, "") != "failed" or claim.ledger is None


def name(claim: ClaimResult) -> str:
    """A claim's name among all results: ``source/id``, or its id where it has no source."""
    return f"{claim.source}/{claim.id}" if claim.source else claim.id


def summarise(claims: Sequence[ClaimResult]) -> Summary:
    """The counts over `claims`, and which differ from the ledger or are not in it."""
    cases = [case for claim in claims for case in claim.cases]
    return Summary(
        claims=_tally(claim.verdict for claim in claims),
        cases=_tally(case.verdict for case in cases),
        refuted_as_recorded=sum(
            claim.verdict == claim.ledger == Verdict.REFUTED and claim.agrees for claim in claims
        ),
        changed=tuple(name(claim) for claim in claims if claim.ledger and not claim.agrees),
        new=tuple(
            name(claim)
            for claim in claims
            if not claim.ledger and claim.verdict != Verdict.UNVERIFIABLE
        ),
    )


def _tally(verdicts: Iterable[Verdict]) -> dict[str, int]:
    tally = {verdict.value: 0 for verdict in Verdict}
    for verdict in verdicts:
        tally[verdict.value] += 1
    return tally


def to_json(results: Results) -> bytes:
    """`results` as JSON: sorted keys, indented, so that two runs diff line by line."""
    return (
        msgspec.json.format(msgspec.json.encode(ev.jsonable(results), order="sorted"), indent=2)
        + b"\n"
    )


def write_json(results: Results, path: Path) -> None:
    """Writes `results` to `path` whole or not at all.

    Raises ReportError where that is not possible.
    """
    write_whole(path, to_json(results))


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file so that nobody ever reads half of it.

    Raises ReportError where that is not possible.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            temporary.write_bytes(data)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ReportError.of(error, path) from error


def load(path: Path) -> Results:
    """The results in `path`: ``.json`` as written, or ``.jsonl`` of a run, killed or not.

    Raises ResultsError for a file that holds no results or those of a later version.
    """
    if path.suffix == ".jsonl":
        events = ev.read(path)
        try:
            return assemble(events)
        except ResultsError as error:
            raise ResultsError(f"{path}: {error}; run the claims again") from error
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {(error.strerror or '').lower()}") from error
    ev.check_format(data, path)
    try:
        return msgspec.json.decode(data, type=_Written, strict=False).results()
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ResultsError(
            f"{path}: holds no results: {error}; give a results.json or results.jsonl "
            "that verifier wrote"
        ) from error


class _Written(msgspec.Struct, kw_only=True):
    """Results as they must stand in a file: without defaults at the top level, so
    that any other JSON object is not taken for the results of an empty run.
    """

    schema: int
    run: RunInfo
    environments: dict[str, Environment]
    documents: tuple[Source, ...]
    claims: tuple[ClaimResult, ...]
    summary: Summary

    def results(self) -> Results:
        return Results(**msgspec.structs.asdict(self))


def results_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of ``results.json``."""
    (root,), definitions = msgspec.json.schema_components([_Written], ref_template="#/$defs/{name}")
    definitions = dict(definitions)
    top = definitions.pop(root["$ref"].rpartition("/")[2])
    schema = {
        **top,
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Results",
        "description": "The results of one run of verifier.",
        "$defs": definitions,
    }
    found: dict[str, Any] = _with_non_finite(schema)
    return found


def _with_non_finite(schema: Any) -> Any:
    """`schema` with numbers that may also be one of the words for non-finite ones."""
    if isinstance(schema, dict):
        items = {key: _with_non_finite(value) for key, value in schema.items()}
        if items.get("type") == "number":
            return {**items, "type": ["number", "string"], "pattern": "^(nan|inf|-inf)$"}
        return items
    if isinstance(schema, list):
        return [_with_non_finite(item) for item in schema]
    return schema
