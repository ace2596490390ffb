"""The pytest entrance: options, collection and the end of the run.

pytest loads this module in every project where verifier is installed, so it
imports nothing of ours before it meets a claim file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from verifier.pytest_items import ClaimFileCollector
    from verifier.pytest_session import ClaimReporter

_MARKS = {
    "behaviour": "claims on what code does",
    "output": "claims on what code prints or evaluates to",
    "error": "claims on what raises and what runs",
    "performance": "claims on speed",
    "memory": "claims on copying and memory",
    "existence": "claims on what there is",
    "critical": "claims of critical severity",
    "major": "claims of major severity",
    "minor": "claims of minor severity",
    "info": "claims that only inform",
    "cpu": "cases on the CPU",
    "cuda": "cases on a CUDA device",
    "mps": "cases on an Apple GPU",
    "xpu": "cases on an Intel GPU",
    "meta": "cases on the meta device",
    "timing": "cases that need a clock and run alone",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Our few options, in a group of their own."""
    group = parser.getgroup("verifier", "verifier: fact-check claim files")
    group.addoption(
        "--verifier-reports",
        metavar="DIR",
        help="write results and report here (default: reports/, or [tool.verifier] reports)",
    )
    group.addoption(
        "--no-verifier-reports", action="store_true", help="write neither results nor report"
    )
    group.addoption(
        "--verifier-device",
        metavar="NAMES",
        help="run only the cases on these devices, such as cpu or cpu,cuda",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marks known, for ``--strict-markers`` and ``pytest --markers``."""
    for name, meaning in _MARKS.items():
        config.addinivalue_line("markers", f"{name}: {meaning} (verifier)")
    if config.getoption("verifier_device") is not None or _has_settings(config.rootpath):
        from verifier.pytest_session import check_configuration

        check_configuration(config)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Controller(config), "verifier-controller")


def _has_settings(folder: Path) -> bool:
    """Whether the project's pyproject.toml names us; cheaper than reading it."""
    for parent in (folder, *folder.parents):
        path = parent / "pyproject.toml"
        if path.is_file():
            return b"verifier" in path.read_bytes()
    return False


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ClaimFileCollector | None:
    """Collect claim files, and whatever YAML file was named outright."""
    if file_path.suffix.lower() not in (".yaml", ".yml"):
        return None
    from verifier.discover import looks_like_claim_file

    if not looks_like_claim_file(file_path) and not parent.session.isinitpath(file_path):
        return None
    from verifier.pytest_items import ClaimFileCollector
    from verifier.pytest_session import ClaimSession

    session = ClaimSession.of(parent.config)
    if not session.is_first_name(file_path) and not parent.session.isinitpath(file_path):
        return None
    return ClaimFileCollector.from_parent(parent, path=file_path)


class _Controller:
    """Hands the events of the items' reports to a reporter that the first of them makes."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.reporter: ClaimReporter | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the events, if the report is that of a claim's item."""
        if (events := getattr(report, "verifier_events", None)) is None:
            return
        if self.reporter is None:
            from verifier.pytest_session import ClaimReporter

            self.reporter = ClaimReporter(self.config)
            self.config.pluginmanager.register(self.reporter, "verifier-reporter")
        self.reporter.add(events)
