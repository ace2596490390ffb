"""Events are kept as they come, and a folder that cannot be written is told at the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.model import CaseResult, ClaimResult, Environment, Source, Verdict
from verifier.recorder import Recorder
from verifier.report.errors import ReportError
from verifier.report.events import CaseEvent, ClaimEvent, EnvironmentEvent, SourceEvent
from verifier.report.results import load


def events(index: int = 0):
    claim = ClaimResult(
        id="x",
        source="doc",
        file="f",
        line=1,
        statement="x is one.",
        kind="behaviour",
        severity="major",
        verdict=Verdict.NOT_CHECKED,
        planned=2,
    )
    case = CaseResult(id=str(index), params={}, environment="here", verdict=Verdict.VERIFIED)
    return (
        SourceEvent(source=Source(id="doc")),
        EnvironmentEvent(environment=Environment(id="here")),
        ClaimEvent(claim=claim),
        CaseEvent(claim="x", source="doc", index=index, case=case),
    )


def test_what_cases_share_is_kept_once(tmp_path: Path):
    recorder = Recorder(tmp_path, ["verifier"])
    recorder.add(events(0))
    recorder.add(events(1))
    results = recorder.finish()
    assert [case.id for case in results.claims[0].cases] == ["0", "1"]
    assert len((tmp_path / "results.jsonl").read_text().splitlines()) == 1 + 3 + 2 + 1


def test_a_run_that_is_killed_leaves_what_it_had(tmp_path: Path):
    recorder = Recorder(tmp_path, ["verifier"])
    recorder.add(events(0))
    results = load(tmp_path / "results.jsonl")  # nothing was finished or closed
    assert results.run.interrupted
    assert results.claims[0].verdict is Verdict.VERIFIED
    recorder.finish()


def test_nothing_is_written_without_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    recorder = Recorder(None, ["verifier"])
    recorder.add(events())
    assert recorder.finish().claims
    assert recorder.write(recorder.finish()) == []
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_finds_nothing_leaves_no_file(tmp_path: Path):
    results = Recorder(tmp_path / "reports", ["verifier"]).finish()
    assert results.claims == ()
    assert not (tmp_path / "reports").exists()


def test_a_folder_that_cannot_be_written_keeps_the_results(tmp_path: Path):
    (tmp_path / "reports").write_text("a file in the way")
    recorder = Recorder(tmp_path / "reports", ["verifier"])
    recorder.add(events())
    results = recorder.finish()
    assert results.claims[0].verdict is Verdict.VERIFIED
    with pytest.raises(ReportError, match="could not be written"):
        recorder.write(results)


def test_two_runs_in_one_folder_do_not_mix(tmp_path: Path):
    first, second = (Recorder(tmp_path, command=[name]) for name in ("first", "second"))
    for recorder in (first, second, first):
        recorder.add(events(len(recorder._events)))
    second.finish()
    first.finish()
    assert load(tmp_path / "results.jsonl").run.command == "second"
