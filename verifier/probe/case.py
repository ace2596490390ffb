"""Run one case in the child: set-up, probe, then each check once. No judgement."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

from verifier.probe import matchers
from verifier.probe.describe import shorten
from verifier.probe.limits import Limits
from verifier.probe.raised import describe_exception
from verifier.probe.surroundings import Surroundings
from verifier.probe.wire import RecordWriter

Job = dict[str, Any]
Record = dict[str, Any]
Progress = Callable[..., None]

#: A probe that replaces `json.dumps` must not change what we report of it.
_json = json.JSONEncoder().encode

CUT = "evidence was cut to fit the record"


def run_case(job: Job, limits: Limits, writer: RecordWriter, fork: float) -> None:
    """Observe a case and report it, with a small record as each part begins."""

    def progress(**part: Any) -> None:
        writer.write(_json(part).encode())

    record = observe(job, limits, progress)
    record.setdefault("durations", {})["fork"] = fork
    writer.finish(_encode(record, writer))


def observe(job: Job, limits: Limits, progress: Progress) -> Record:
    """What happened, as a `verifier.model.Observation` in plain data."""
    missing = [name for name in job["requires"] if not _is_installed(name)]
    if missing:
        names = ", ".join(missing)
        return {"outcome": "missing-module", "detail": f"not installed: {names}"}
    case = Surroundings(job, limits)
    record: Record = {"outcome": "done", "durations": {}}
    stages: tuple[tuple[str, Callable[[], None]], ...] = (
        ("setup", lambda: case.prepare(job["params"])),
        ("probe", case.probe),
    )
    for stage, run in stages:
        progress(stage=stage)
        try:
            with _timed(record, stage):
                run()
        except BaseException as error:  # noqa: BLE001 - foreign code may raise anything
            exception = describe_exception(error, case.file)
            record |= {"outcome": "exception", "stage": stage, "exception": exception}
            break
    else:
        with _timed(record, "checks"):
            record["checks"] = []
            for number, check in enumerate(job["checks"]):
                progress(stage="checks", check=number)
                record["checks"].append(matchers.observe(check, case))
    record["warnings"] = case.warnings.warnings
    return record


@contextlib.contextmanager
def _timed(record: Record, stage: str) -> Iterator[None]:
    begun = time.perf_counter()
    try:
        yield
    finally:
        record["durations"][stage] = time.perf_counter() - begun


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # the package that it would be in
        return False


def _encode(record: Record, writer: RecordWriter) -> bytes:
    """The record as JSON, with less evidence where it would be too long."""
    payload = _json(record).encode()
    for longest, operands in ((500, 40), (100, 10), (40, 0)):
        if writer.fits(payload):
            break
        _shorten(record, longest, operands)
        record["detail"] = CUT
        payload = _json(record).encode()
    return payload


def _shorten(record: Record, longest: int, operands: int) -> None:
    record["warnings"] = record["warnings"][:operands]
    for observed in record.get("checks", ()):
        observed["operands"] = observed.get("operands", [])[:operands]
        for operand in observed["operands"]:
            operand["value"] = shorten(operand["value"], longest)
        observed["warnings"] = observed.get("warnings", [])[:operands]
        if "value" in observed:
            observed["value"] = shorten(observed["value"], longest)
        if "output" in observed:
            observed["output"] = shorten(observed["output"], 10 * longest)
        if "exception" in observed:
            exception = observed["exception"]
            exception["message"] = shorten(exception["message"], longest)
            exception["frames"] = exception["frames"][-1:]
