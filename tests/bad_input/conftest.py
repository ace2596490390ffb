"""A project with bad input, and both entrances to run in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

# pytester forgets the modules that its runs import first, and would load ours twice.
import verifier.pytest_items
import verifier.report.html
import verifier.report.write
from verifier.cli import main

ENTRANCES = {
    "pytest": [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"],
    "check": [sys.executable, "-m", "verifier", "check"],
}


class Project:
    """A project with a good claim, in which either entrance runs."""

    def __init__(self, pytester: pytest.Pytester, samples: Path) -> None:
        self.pytester = pytester
        self.path = pytester.path
        self.samples = samples / "bad_input"
        # These claims need no torch, so nothing is loaded into the fork server.
        pytester.makepyprojecttoml("[tool.verifier]\npreload = []\n")
        (self.path / "claims").mkdir()

    def use(self, *names: str) -> Project:
        for name in names:
            shutil.copy(self.samples / f"{name}.yaml", self.path / "claims")
        return self

    def write(self, name: str, content: bytes) -> Path:
        path = self.path / "claims" / name
        path.write_bytes(content)
        return path

    def start(self, entrance: str, *arguments: str, **options: object) -> subprocess.Popen[str]:
        """In a process and a group of its own, with a folder for temporary files of its own."""
        temporary = self.path / "tmp"
        temporary.mkdir(exist_ok=True)
        root = str(Path(verifier.__file__).parents[1])
        environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": root}
        environment.update(options.pop("env", {}))  # type: ignore[call-overload]
        return subprocess.Popen(
            [*ENTRANCES[entrance], *arguments],
            cwd=self.path,
            env=environment,
            text=True,
            start_new_session=True,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **options},  # type: ignore[call-overload]
        )

    @staticmethod
    def said(text: str) -> str:
        """The text without the line breaks of wrapping. No user may see a traceback."""
        assert "Traceback (most recent call last)" not in text
        return " ".join(text.split())

    def results(self) -> dict:
        return json.loads((self.path / "reports/results.json").read_text())

    def verdicts(self) -> dict[str, str]:
        return {claim["id"]: claim["verdict"] for claim in self.results()["claims"]}


@pytest.fixture
def project(pytester: pytest.Pytester, samples: Path) -> Project:
    return Project(pytester, samples)


Run = Callable[..., tuple[int, str]]


@pytest.fixture(params=ENTRANCES)
def run(
    request: pytest.FixtureRequest, project: Project, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Run one entrance in this process; its exit code and all that it said."""

    def by_pytest(*arguments: str) -> tuple[int, str]:
        ran = project.pytester.runpytest_inprocess("-p", "no:cacheprovider", *arguments)
        return int(ran.ret), ran.stdout.str() + ran.stderr.str()

    def by_check(*arguments: str) -> tuple[int, str]:
        code = main(["check", *arguments])
        said = capsys.readouterr()
        return code, said.out + said.err

    runs: dict[str, Run] = {"pytest": by_pytest, "check": by_check}
    return runs[request.param]
