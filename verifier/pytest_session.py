"""One pytest run over claim files: its executor, its results, its end.

In a process that runs cases (each worker under xdist) a `ClaimSession` owns the
executor. In the process that people look at (the controller) a `ClaimReporter`
gathers what the items' reports bring, and writes the reports at the end.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import msgspec
import pytest

from verifier import claimfile
from verifier import settings as settings_module
from verifier.exits import Exit, combine, is_unreadable, of_results
from verifier.model import Case, ClaimFile, Results
from verifier.probe import Executor, Limits, LocalExecutor
from verifier.recorder import Recorder
from verifier.report import terminal
from verifier.report.errors import ReportError
from verifier.report.events import AnyEvent
from verifier.report.style import Style
from verifier.run import Checked, check_case
from verifier.settings import Settings, SettingsError

SESSION = pytest.StashKey["ClaimSession"]()
#: The attribute of a report that carries events, as JSON: xdist sends simple types only.
EVENTS = "verifier_events"

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(tuple[AnyEvent, ...])


def wanted_devices(config: pytest.Config, settings: Settings) -> tuple[str, ...]:
    """The devices whose cases are collected; none means all."""
    said = config.getoption("verifier_device")
    return settings.device if said is None else settings_module.devices(said)


def ignores_ledger(config: pytest.Config) -> bool:
    """Whether plain passed and failed are wanted; without xfail there is nothing else."""
    return bool(config.getoption("runxfail", True))


def check_configuration(config: pytest.Config) -> None:
    """Raises pytest.UsageError for a setting or an option that cannot be used."""
    try:
        wanted_devices(config, settings_module.load(config.rootpath))
    except SettingsError as error:
        raise pytest.UsageError(f"verifier: {error}") from error
    except ValueError as error:
        raise pytest.UsageError(f"--verifier-device: {error}") from error


class ClaimSession:
    """What the items of one process share."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.settings = settings_module.load(config.rootpath)
        self.devices = wanted_devices(config, self.settings)
        self.files: dict[str, ClaimFile] = {}
        self._names: dict[Path, Path] = {}
        self._executor: Executor | None = None

    @classmethod
    def of(cls, config: pytest.Config) -> ClaimSession:
        """The session of this process, made with the first claim file."""
        if SESSION not in config.stash:
            session = config.stash[SESSION] = cls(config)
            config.pluginmanager.register(session, "verifier-session")
        return config.stash[SESSION]

    def is_first_name(self, path: Path) -> bool:
        """Whether this is the name by which the file was met first: links lead to it again."""
        return self._names.setdefault(path.resolve(), path) == path

    def read(self, path: Path) -> ClaimFile:
        """Read a claim file, named as a person would name it where pytest was started."""
        name = os.path.relpath(path, self.config.invocation_params.dir)
        file = self.files[name] = claimfile.read(name)
        return file

    def check(self, case: Case) -> Checked:
        """Run and judge one case."""
        if self._executor is None:
            self._executor = LocalExecutor(
                limits=Limits.of(self.settings), preload=self.settings.preload
            )
        return check_case(case, self._executor)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Let claims whose id an earlier file of their source has end in an error."""
        problems = {
            (problem.file, problem.claim): problem
            for problem in claimfile.duplicate_ids(self.files.values())
        }
        for item in items:
            if claim := getattr(item, "claim", None):
                item.duplicate = problems.get((claim.file, claim.id))  # type: ignore[attr-defined]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Let the report carry our events, and place a skip at the claim's own line."""
        report = yield
        if (line := getattr(item, "line", None)) is not None:
            if call.when == "setup":
                events = item.results_events()  # type: ignore[attr-defined]
                setattr(report, EVENTS, _ENCODER.encode(events).decode())
            if isinstance(report.longrepr, tuple):
                report.longrepr = (str(item.path), line, report.longrepr[2])
            elif call.excinfo and call.when == "setup":
                # pytest asks an item for its text on failures only, not on errors.
                report.longrepr = item.repr_failure(call.excinfo)
        return report

    def pytest_unconfigure(self) -> None:
        """End the executor's processes."""
        if self._executor is not None:
            self._executor.close()


class ClaimReporter:
    """Gathers events in the controller and ends the run with reports and a summary."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.settings = settings_module.load(config.rootpath)
        self.recorder = Recorder(self._folder(), command=["pytest", *config.invocation_params.args])
        self.results: Results | None = None
        self.written: list[Path] = []
        self.trouble: ReportError | None = None

    def _folder(self) -> Path | None:
        if self.config.getoption("no_verifier_reports"):
            return None
        said: str | None = self.config.getoption("verifier_reports")
        if said:
            return self.config.invocation_params.dir / said
        return self.settings.root / self.settings.reports if self.settings.reports else None

    def add(self, events: str) -> None:
        """Take the events that a report brought."""
        self.recorder.add(_DECODER.decode(events))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the reports, whatever ended the run, and find the exit code."""
        interrupted = exitstatus == Exit.INTERRUPTED
        self.results = self.recorder.finish(interrupted=interrupted)
        codes = [int(exitstatus)]
        # With --runxfail the items alone decide: the ledger is not asked.
        if not ignores_ledger(self.config):
            codes.append(of_results(self.results, self.settings.fail_on))
        # Beside other tests something was read, whatever the claim files are.
        if is_unreadable(self.results) and session.testscollected == len(self.results.claims):
            codes.append(Exit.USAGE)
        try:
            self.written = self.recorder.write(self.results)
        except ReportError as error:
            self.trouble = error
            codes.append(Exit.INTERNAL)
        session.exitstatus = combine(codes)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what the run found, in our words below pytest's."""
        if self.results is None:
            return
        terminalreporter.section("claims")
        style = Style()
        style.colour = terminalreporter.hasmarkup
        for line in terminal.summary_lines(self.results, style=style, reports=self.written):
            terminalreporter.write_line(line)
        if self.trouble:
            terminalreporter.write_line(f"verifier: {self.trouble}", red=True)
