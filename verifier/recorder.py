"""Gathers the events of a run, on disk as they come, and writes the reports at its end."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from verifier import __version__
from verifier.model import Results, RunInfo
from verifier.report.errors import ReportError
from verifier.report.events import (
    AnyEvent,
    ClaimEvent,
    EnvironmentEvent,
    EventLog,
    FinishedEvent,
    RunEvent,
    SourceEvent,
)
from verifier.report.results import assemble


class Recorder:
    """The events of one run. With `folder` None they are kept in memory alone.

    A folder that cannot be written does not stop the run: `trouble` tells of it
    and :meth:`write` raises it.
    """

    def __init__(self, folder: Path | None, command: Sequence[str]) -> None:
        self.folder = folder
        self.trouble: ReportError | None = None
        self._started = _now()
        self._run = RunInfo(
            version=__version__, command=" ".join(command), started=self._started.isoformat()
        )
        self._events: list[AnyEvent] = []
        self._seen: set[bytes] = set()
        self._log: EventLog | None = None

    def add(self, events: Iterable[AnyEvent]) -> None:
        """Take events; of what is the same for many cases, only the first one."""
        for event in events:
            if isinstance(event, SourceEvent | EnvironmentEvent | ClaimEvent):
                key = msgspec.json.encode(event)
                if key in self._seen:
                    continue
                self._seen.add(key)
            self._keep(event)

    def finish(self, *, interrupted: bool = False) -> Results:
        """The results of the run, which ends here."""
        finished = _now()
        run = msgspec.structs.replace(
            self._run,
            finished=finished.isoformat(),
            duration=(finished - self._started).total_seconds(),
            interrupted=interrupted,
        )
        if not self._events:
            return Results(run=run)
        self._keep(FinishedEvent(run=run))
        if self._log:
            self._log.close()
        return assemble(self._events)

    def write(self, results: Results) -> list[Path]:
        """Write the reports and say where; raises ReportError where that is not possible."""
        if self.folder is None:
            return []
        if self.trouble:
            raise self.trouble
        from verifier.report.write import write_reports

        return write_reports(results, self.folder)

    def _keep(self, event: AnyEvent) -> None:
        if not self._events and not isinstance(event, RunEvent):
            self._keep(RunEvent(run=self._run))
        self._events.append(event)
        if self.folder is None or self.trouble:
            return
        try:
            # Opened with the first event: a run that finds nothing leaves no file.
            self._log = self._log or self._new_log(self.folder / "results.jsonl")
            self._log.write(event)
        except ReportError as error:
            self.trouble = error

    @staticmethod
    def _new_log(path: Path) -> EventLog:
        # A new file: another run may be writing into the one that is there.
        with contextlib.suppress(OSError):  # what is wrong is said on opening
            path.unlink()
        return EventLog(path)


def _now() -> datetime.datetime:
    return datetime.datetime.now().astimezone().replace(microsecond=0)
