"""The events of a run, one line of JSON each, written while it goes.

A run that is killed keeps every event up to its last: :func:`read` forgives the
one line that a kill can cut, the last.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from verifier.model import CaseResult, ClaimResult, Environment, RunInfo, Source
from verifier.report.errors import ReportError, ResultsError

#: The version of the results' format, in `results.json` and in the run's first event.
FORMAT = 1


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    """Something that happened in a run."""


class RunEvent(Event, frozen=True, kw_only=True, tag="run"):
    """The run starts."""

    schema: int = FORMAT
    run: RunInfo


class SourceEvent(Event, frozen=True, kw_only=True, tag="source"):
    """A document that claims are about."""

    source: Source


class EnvironmentEvent(Event, frozen=True, kw_only=True, tag="environment"):
    """An environment in which cases run."""

    environment: Environment


class ClaimEvent(Event, frozen=True, kw_only=True, tag="claim"):
    """A claim whose cases come in events of their own.

    Its verdict stands only for a claim without cases.
    """

    claim: ClaimResult


class CaseEvent(Event, frozen=True, kw_only=True, tag="case"):
    """A case of a claim, `index` in the order of the claim's matrix."""

    claim: str
    source: str
    index: int
    case: CaseResult


class FinishedEvent(Event, frozen=True, kw_only=True, tag="finished"):
    """The run ended in good order; `run` is complete now."""

    run: RunInfo


AnyEvent = RunEvent | SourceEvent | EnvironmentEvent | ClaimEvent | CaseEvent | FinishedEvent


def jsonable(value: Any) -> Any:
    """`value` as builtins, with non-finite floats as "nan", "inf" and "-inf"."""
    return _finite(msgspec.to_builtins(value))


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if abs(value) < float("inf") else str(value)
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


class EventLog:
    """Writes the events of one run to a new file, each flushed as it happens.

    One process writes; workers send it what they have. Raises ReportError where
    the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("wb")
        except OSError as error:
            raise ReportError.of(error, path) from error

    def __enter__(self) -> EventLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file; a log may be closed twice."""
        # Every event is flushed already: what the disk refused was said then, and
        # closing would only try the same bytes again.
        with contextlib.suppress(OSError):
            self._file.close()

    def run(self, run: RunInfo) -> None:
        """The run starts; to be written first."""
        self.write(RunEvent(run=run))

    def source(self, source: Source) -> None:
        """A document that claims are about."""
        self.write(SourceEvent(source=source))

    def environment(self, environment: Environment) -> None:
        """An environment in which cases run."""
        self.write(EnvironmentEvent(environment=environment))

    def claim(self, claim: ClaimResult) -> None:
        """A claim, before its cases. Cases it holds already are written too."""
        self.write(ClaimEvent(claim=msgspec.structs.replace(claim, cases=())))
        for index, case in enumerate(claim.cases):
            self.case(claim.source, claim.id, index, case)

    def case(self, source: str, claim: str, index: int, case: CaseResult) -> None:
        """Case number `index` of a claim. Of two with one number the later counts."""
        self.write(CaseEvent(claim=claim, source=source, index=index, case=case))

    def finished(self, run: RunInfo) -> None:
        """The run ended, by itself or by an interrupt that was handled."""
        self.write(FinishedEvent(run=run))

    def write(self, event: AnyEvent) -> None:
        """Append an event, flushed."""
        line = msgspec.json.encode(jsonable(event), order="sorted") + b"\n"
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise ReportError.of(error, self.path) from error


class _Header(msgspec.Struct):
    """As much of a run's first event as every version of the format has."""

    schema: int = FORMAT


def read(path: Path) -> list[AnyEvent]:
    """The events of a run that may have been killed: a cut last line is left out.

    Raises ResultsError for a file that is not such a log.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ResultsError(f"{path}: cannot be read: {(error.strerror or '').lower()}") from error
    events = list(_decode(data, path))
    if not events:
        raise ResultsError(f"{path}: holds no results: the run ended before it began; run it again")
    return events


def _decode(data: bytes, path: Path) -> Iterator[AnyEvent]:
    *lines, cut = data.split(b"\n")
    decoder = msgspec.json.Decoder(AnyEvent, strict=False)
    for number, line in enumerate(lines, 1):
        if number == 1:
            check_format(line, path)
        try:
            yield decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise ResultsError(
                f"{path}:{number}: is not an event of a run: {error}; run the claims again"
            ) from error
    # A log ends with a line break; what follows the last one was being written.
    if cut:
        with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError):
            yield decoder.decode(cut)


def check_format(data: bytes, path: Path) -> None:
    """Raises ResultsError where `data` says that it has a later format than ours."""
    try:
        version = msgspec.json.decode(data, type=_Header).schema
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return  # not JSON, or no results: whoever decodes it says what is wrong
    if version > FORMAT:
        raise ResultsError(
            f"{path}: has format {version}, this verifier reads up to {FORMAT}; "
            "read it with a newer verifier"
        )
