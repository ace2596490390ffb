import errno
import json
import math
import random
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from verifier.model import CaseResult, ClaimResult, Durations, Results, RunInfo, Verdict
from verifier.report import events as ev
from verifier.report.errors import ReportError, ResultsError
from verifier.report.results import (
    assemble,
    load,
    results_schema,
    summarise,
    to_json,
    write_json,
)

SCHEMA = Path(__file__).parents[2] / "verifier" / "report" / "results.schema.json"
VARYING = ("run", "environments", "durations", "samples", "interval")


def write_log(events: list[ev.AnyEvent], path: Path) -> Path:
    with ev.EventLog(path) as log:
        for event in events:
            match event:
                case ev.RunEvent():
                    log.run(event.run)
                case ev.SourceEvent():
                    log.source(event.source)
                case ev.EnvironmentEvent():
                    log.environment(event.environment)
                case ev.ClaimEvent():
                    log.claim(event.claim)
                case ev.CaseEvent():
                    log.case(event.source, event.claim, event.index, event.case)
                case ev.FinishedEvent():
                    log.finished(event.run)
    return path


def a_claim(**fields: Any) -> ClaimResult:
    given: dict[str, Any] = {
        "id": "c",
        "source": "s",
        "file": "c.yaml",
        "line": 3,
        "statement": "It is so.",
        "kind": "behaviour",
        "severity": "major",
        "verdict": Verdict.NOT_CHECKED,
        **fields,
    }
    return ClaimResult(**given)


def a_case(**fields: Any) -> CaseResult:
    given: dict[str, Any] = {
        "id": "cpu",
        "params": {},
        "environment": "cpu",
        "verdict": Verdict.VERIFIED,
        **fields,
    }
    return CaseResult(**given)


def without_varying(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: without_varying(v) for k, v in value.items() if k not in VARYING}
    return [without_varying(item) for item in value] if isinstance(value, list) else value


# --- the log ---------------------------------------------------------------------


def test_a_log_gives_the_results_of_its_events(events, results, tmp_path):
    path = write_log(events, tmp_path / "new" / "results.jsonl")
    assert load(path) == results


def test_every_event_is_on_the_disk_before_the_next(tmp_path):
    path = tmp_path / "results.jsonl"
    with ev.EventLog(path) as log:
        log.run(RunInfo(command="check"))
        assert load(path).run.command == "check"


def test_a_log_starts_anew(tmp_path):
    path = write_log([ev.RunEvent(run=RunInfo(command="first"))], tmp_path / "r.jsonl")
    write_log([ev.RunEvent(run=RunInfo(command="second"))], path)
    assert path.read_text().count("\n") == 1


def test_cases_that_a_claim_brings_are_written_too(tmp_path):
    path = tmp_path / "r.jsonl"
    with ev.EventLog(path) as log:
        log.run(RunInfo())
        log.claim(a_claim(cases=(a_case(id="one"), a_case(id="two"))))
    assert [case.id for case in load(path).claims[0].cases] == ["one", "two"]


def test_a_log_that_cannot_be_opened_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ReportError, match="a file has the folder's name"):
        ev.EventLog(tmp_path / "file" / "results.jsonl")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_says_so_and_the_log_still_closes():
    log = ev.EventLog(Path("/dev/full"))
    with log, pytest.raises(ReportError, match="no space left on device; free some space"):
        log.run(RunInfo())


# --- a killed run ----------------------------------------------------------------


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_log_cut_anywhere_keeps_what_it_had(events, tmp_path, data):
    path = write_log(events, tmp_path / "whole.jsonl")
    whole = path.read_bytes()
    first = whole.index(b"\n")
    cut = data.draw(st.integers(first, len(whole) - 2))
    path = tmp_path / "cut.jsonl"
    path.write_bytes(whole[:cut])

    recovered = load(path)

    assert recovered.run.interrupted
    lines = set(whole.split(b"\n"))
    kept = [line for line in whole[:cut].split(b"\n") if line in lines]
    assert len(recovered.claims) == sum(b'"event":"claim"' in line for line in kept)
    assert sum(recovered.summary.cases.values()) == sum(b'"event":"case"' in line for line in kept)


def test_a_cut_inside_a_character_is_forgiven(tmp_path):
    path = write_log([ev.RunEvent(run=RunInfo(command="ein Maß"))], tmp_path / "r.jsonl")
    with path.open("ab") as file:
        file.write('{"event":"source","source":{"id":"ß'.encode()[:-1])
    assert load(path).run.command == "ein Maß"


def test_a_claim_that_no_case_was_tried_of_is_not_checked(tmp_path):
    events = [ev.RunEvent(run=RunInfo()), ev.ClaimEvent(claim=a_claim())]
    (claim,) = load(write_log(events, tmp_path / "r.jsonl")).claims
    assert (claim.verdict, claim.reason) == (Verdict.NOT_CHECKED, "interrupted")
    (claim,) = load(
        write_log([*events, ev.FinishedEvent(run=RunInfo())], tmp_path / "r.jsonl")
    ).claims
    assert claim.reason == ""


def test_a_broken_line_before_the_last_is_an_error_with_its_place(tmp_path):
    path = write_log([ev.RunEvent(run=RunInfo())] * 3, tmp_path / "r.jsonl")
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], lines[1][:20], lines[2], b""]))
    with pytest.raises(ResultsError, match=r"r\.jsonl:2: is not an event of a run"):
        load(path)


@pytest.mark.parametrize("text", ["", '{"event":"run","ru'])
def test_a_log_without_a_whole_event_holds_no_results(tmp_path, text):
    path = tmp_path / "r.jsonl"
    path.write_text(text)
    with pytest.raises(ResultsError, match="holds no results"):
        load(path)


def test_a_case_of_no_claim_is_an_error(tmp_path):
    events = [
        ev.RunEvent(run=RunInfo()),
        ev.CaseEvent(claim="gone", source="s", index=0, case=a_case()),
    ]
    with pytest.raises(ResultsError, match="s/gone"):
        load(write_log(events, tmp_path / "r.jsonl"))


# --- putting together ------------------------------------------------------------


def test_results_do_not_depend_on_the_order_of_events(events, results):
    first, *others = events
    random.Random(3).shuffle(others)
    assert to_json(assemble([first, *others])) == to_json(results)


def test_claims_stand_by_file_and_line_and_cases_by_index():
    events = [
        ev.ClaimEvent(claim=a_claim(id="late", line=20)),
        ev.ClaimEvent(claim=a_claim(id="other", file="d.yaml", line=1)),
        ev.ClaimEvent(claim=a_claim(id="early", line=9)),
        ev.CaseEvent(claim="late", source="s", index=1, case=a_case(id="b")),
        ev.CaseEvent(claim="late", source="s", index=0, case=a_case(id="a")),
    ]
    found = assemble(events)
    assert [claim.id for claim in found.claims] == ["early", "late", "other"]
    assert [case.id for case in found.claims[1].cases] == ["a", "b"]


def test_equal_ids_of_two_sources_are_two_claims():
    events = [
        ev.ClaimEvent(claim=a_claim(source="one")),
        ev.ClaimEvent(claim=a_claim(source="two")),
        ev.CaseEvent(claim="c", source="two", index=0, case=a_case()),
    ]
    assert [len(claim.cases) for claim in assemble(events).claims] == [0, 1]


def test_of_two_reports_of_a_case_the_later_counts():
    events = [
        ev.ClaimEvent(claim=a_claim()),
        ev.CaseEvent(claim="c", source="s", index=0, case=a_case(verdict=Verdict.ERROR)),
        ev.CaseEvent(claim="c", source="s", index=0, case=a_case()),
    ]
    assert assemble(events).claims[0].verdict == Verdict.VERIFIED


def test_a_claim_rolls_up_its_cases():
    events = [
        ev.ClaimEvent(claim=a_claim(ledger=Verdict.VERIFIED)),
        ev.CaseEvent(claim="c", source="s", index=0, case=a_case()),
        ev.CaseEvent(
            claim="c",
            source="s",
            index=1,
            case=a_case(id="cuda", verdict=Verdict.REFUTED, reason="why", agrees=False),
        ),
    ]
    (claim,) = assemble(events).claims
    assert (claim.verdict, claim.reason, claim.agrees) == (Verdict.REFUTED, "why", False)
    assert claim.count


def test_equal_runs_differ_only_where_they_may(events, results):
    def later(event: ev.AnyEvent) -> ev.AnyEvent:
        replace = msgspec.structs.replace
        match event:
            case ev.RunEvent() | ev.FinishedEvent():
                return replace(event, run=replace(event.run, started="2027-01-01T00:00:00Z"))
            case ev.EnvironmentEvent():
                return replace(event, environment=replace(event.environment, driver="581"))
            case ev.CaseEvent(case=case) if case.samples:
                return replace(event, case=replace(case, samples=(1.0,), interval=(0.9, 1.1)))
            case ev.CaseEvent(case=case):
                return replace(event, case=replace(case, durations=Durations(total=9.0)))
        return event

    again = assemble(map(later, events))
    one, two = (json.loads(to_json(each)) for each in (results, again))
    assert one != two
    assert json.dumps(without_varying(one)) == json.dumps(without_varying(two))


def test_the_summary_counts_and_names_what_is_news(results):
    summary = results.summary
    assert sum(summary.claims.values()) == len(results.claims)
    assert summary.claims["unverifiable"] == 1
    assert summary.cases["not-checked"] == 2
    assert summary.changed == (
        "tensors-tutorial/contiguous-speeds-up-mm",
        "tensors-tutorial/zeros-is-float",
    )
    assert "tensors-tutorial/conv2d-accepts-matrices" in summary.new
    assert "tensors-tutorial/prefer-readable-code" not in summary.new
    assert summary.refuted_as_recorded == 3


def test_the_summary_of_nothing_counts_zero():
    assert set(summarise([]).claims.values()) == {0}


# --- the file --------------------------------------------------------------------


def test_what_is_written_is_read_again(results, tmp_path):
    write_json(results, tmp_path / "new" / "results.json")
    assert load(tmp_path / "new" / "results.json") == results


def test_keys_are_sorted_and_each_value_has_its_line(results):
    text = to_json(results).decode()
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def test_non_finite_numbers_survive(tmp_path):
    case = a_case(samples=(math.inf, 1.0), interval=(-math.inf, math.nan))
    path = tmp_path / "results.json"
    write_json(Results(claims=(a_claim(cases=(case,)),)), path)
    assert json.loads(path.read_text())["claims"][0]["cases"][0]["interval"] == ["-inf", "nan"]
    (back,) = load(path).claims[0].cases
    assert back.samples == (math.inf, 1.0)
    assert back.interval is not None
    assert math.isnan(back.interval[1])


def test_writing_is_all_or_nothing(results, tmp_path, monkeypatch):
    path = tmp_path / "results.json"
    path.write_text("before")

    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ReportError, match="free some space"):
        write_json(results, path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no results"),
        (b"{", "holds no results"),
        (b"[]", "holds no results"),
        (b'{"name": "package"}', "holds no results"),
        (b"\xff\xfe", "holds no results"),
        (b'{"schema": 2, "other": 1}', "has format 2, this verifier reads up to 1; read it with"),
    ],
)
def test_a_file_that_is_no_results_is_said(tmp_path, content, message):
    path = tmp_path / "results.json"
    path.write_bytes(content)
    with pytest.raises(ResultsError, match=f"results.json: {message}"):
        load(path)


def test_a_log_of_a_later_format_is_said(tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_bytes(b'{"event":"run","schema":9,"news":{}}\n')
    with pytest.raises(ResultsError, match="has format 9"):
        load(path)


@pytest.mark.parametrize("name", ["none.json", "none.jsonl"])
def test_a_file_that_is_missing_is_said(tmp_path, name):
    with pytest.raises(ResultsError, match=f"{name}: cannot be read: no such file"):
        load(tmp_path / name)


# --- the schema ------------------------------------------------------------------


def test_the_committed_schema_is_current():
    text = json.dumps(results_schema(), indent=2, sort_keys=True) + "\n"
    assert SCHEMA.read_text(encoding="utf-8") == text, (
        "write it anew: verifier schema results > verifier/report/results.schema.json"
    )


def test_written_results_are_valid(results):
    validator = jsonschema.Draft202012Validator(results_schema())
    validator.check_schema(results_schema())
    written = json.loads(to_json(results))
    validator.validate(written)
    case = a_case(samples=(math.nan,))
    validator.validate(json.loads(to_json(Results(claims=(a_claim(cases=(case,)),)))))
    written["claims"][0]["verdict"] = "maybe"
    assert not validator.is_valid(written)
    assert not validator.is_valid({})
