"""Runs that end before their end: what they leave, and that no process stays behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import verifier

ENTRANCES = {
    "pytest": ["pytest", "-p", "no:cacheprovider", "claims"],
    "pytest -n 2": ["pytest", "-p", "no:cacheprovider", "-n", "2", "claims"],
    "check": ["verifier", "check", "claims"],
    "check --jobs 2": ["verifier", "check", "--jobs", "2", "claims"],
}
#: Seconds for what takes a moment on an idle machine.
PATIENCE = 60


class Run:
    """One run over slow claims, in a process group and with temporary files of its own."""

    def __init__(self, folder: Path, samples: Path, entrance: str) -> None:
        self.folder = folder
        (folder / "pyproject.toml").write_text("[tool.verifier]\npreload = []\n")
        shutil.copytree(samples / "bad_input", folder / "claims", ignore=_all_but_slow)
        (folder / "tmp").mkdir()
        root = str(Path(verifier.__file__).parents[1])
        self.process = subprocess.Popen(
            [sys.executable, "-m", *ENTRANCES[entrance]],
            cwd=folder,
            env={**os.environ, "TMPDIR": str(folder / "tmp"), "PYTHONPATH": root},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def signal(self, number: int) -> str:
        """Send a signal to the whole group once two cases are done; what was printed."""
        log = self.folder / "reports/results.jsonl"
        wait_until(lambda: log.exists() and log.read_bytes().count(b'"event":"case"') >= 2)
        os.killpg(self.process.pid, number)
        out, _ = self.process.communicate(timeout=PATIENCE)
        return out

    def left(self) -> list[str]:
        """The commands of processes that still know of this run's folder."""
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                command = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
                place = str((path.parent / "cwd").readlink())
            except OSError:
                continue  # it has ended by now
            if str(self.folder) in command + place:
                found.append(command)
        return found

    def results(self) -> dict:
        return json.loads((self.folder / "reports/results.json").read_text())


def _all_but_slow(_folder: str, names: list[str]) -> set[str]:
    return set(names) - {"slow.yaml"}


def wait_until(holds) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_ctrl_c_keeps_what_was_done(tmp_path: Path, samples: Path, entrance: str):
    run = Run(tmp_path, samples, entrance)
    out = run.signal(signal.SIGINT)
    assert run.process.returncode == 2
    assert "Traceback (most recent call last)" not in out
    results = run.results()
    assert results["run"]["interrupted"] is True
    verdicts = [case["verdict"] for claim in results["claims"] for case in claim["cases"]]
    assert 2 <= len(verdicts) < 12
    assert set(verdicts) == {"verified"}
    wait_until(lambda: run.left() == [])
    assert list((tmp_path / "tmp").glob("verifier-*/server.log")) == []


@pytest.mark.parametrize("entrance", ["pytest -n 2", "check"])
def test_a_kill_leaves_a_log_to_report_from(tmp_path: Path, samples: Path, entrance: str):
    run = Run(tmp_path, samples, entrance)
    run.signal(signal.SIGKILL)
    assert run.process.returncode == -signal.SIGKILL
    assert not (tmp_path / "reports/results.json").exists()
    command = [sys.executable, "-m", "verifier", "report", "reports/results.jsonl"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=PATIENCE, capture_output=True)
    results = run.results()
    assert results["run"]["interrupted"] is True
    assert sum(len(claim["cases"]) for claim in results["claims"]) >= 2
    wait_until(lambda: run.left() == [])
    assert list((tmp_path / "tmp").glob("verifier-*/server.log")) == []
