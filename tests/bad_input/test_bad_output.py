"""Output that has nowhere to go, or that must not get there raw, through both entrances."""

from __future__ import annotations

import json
import os
import resource
import shutil
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from verifier.cli import main

TRACEBACK = "Traceback (most recent call last)"
ENTRANCES = ("pytest", "check")
#: What the fixtures of conftest.py give.
Project = Any
Run = Callable[..., tuple[int, str]]

# --- what is printed ---------------------------------------------------------------


def test_no_word_of_a_probe_reaches_the_terminal_raw(project: Project, run: Run):
    project.use("hostile-words")
    code, text = run("claims")
    assert code == 1
    assert not set("\x1b\x00\x9b\u202e") & set(text)
    page = (project.path / "reports/index.html").read_text()
    assert "<script>alert" not in page


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize("entrance", ENTRANCES)
def test_a_terminal_that_knows_few_characters(project: Project, entrance: str, encoding: str):
    text = (project.samples / "good.yaml").read_text().replace("One is one.", "하나는 하나 ✓")
    project.write("korean.yaml", text.replace("x = 1", "x = 3").encode())
    ran = project.start(entrance, "claims", env={"PYTHONIOENCODING": encoding})
    out, _ = ran.communicate(timeout=60)
    assert ran.returncode == 1
    assert TRACEBACK not in out
    assert project.verdicts() == {"good": "refuted"}


# --- where results go --------------------------------------------------------------


@pytest.mark.parametrize("folder", ["a file", "/proc/none"])
def test_a_folder_that_takes_no_reports(project: Project, run: Run, folder: str):
    (project.path / "a file").write_text("in the way")
    project.use("good").pytester.makepyprojecttoml(
        f'[tool.verifier]\npreload = []\nreports = "{folder}"\n'
    )
    code, text = run("claims")
    assert code == 3
    assert f"{folder}: the report could not be written:" in project.said(text)
    assert "1 verified" in text
    assert TRACEBACK not in text


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_a_disk_that_is_full(project: Project, entrance: str):
    """Simulated by a limit on the size of files."""
    project.use("good")
    limit = (8192, 8192)
    ran = project.start(
        entrance, "claims", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    )
    out, _ = ran.communicate(timeout=60)
    assert ran.returncode == 3
    assert "index.html: the report could not be written: file too large" in project.said(out)
    assert TRACEBACK not in out
    assert project.verdicts() == {"good": "verified"}


@pytest.mark.parametrize("arguments", [[], ["--json", "-"]])
def test_an_output_that_takes_no_more(project: Project, arguments: list[str]):
    with Path("/dev/full").open("w") as full:
        ran = project.use("good").start(
            "check", "claims", *arguments, stdout=full, stderr=subprocess.PIPE
        )
        _, told = ran.communicate(timeout=60)
    assert ran.returncode == 3
    assert "the output could not be written: no space left on device" in told
    assert TRACEBACK not in told
    assert project.verdicts() == {"good": "verified"}


def test_no_output_at_all(project: Project):
    ran = project.use("good").start("check", "claims", preexec_fn=lambda: os.closerange(1, 3))
    ran.communicate(timeout=60)
    assert ran.returncode == 0
    assert project.verdicts() == {"good": "verified"}


def test_a_folder_that_is_gone(project: Project):
    gone = project.use("good").path / "gone"
    gone.mkdir()
    script = f"rmdir {gone}; exec {sys.executable} -m verifier check {project.path}/claims"
    ran = subprocess.run(
        ["sh", "-c", script], cwd=gone, capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 4
    assert "verifier: the current folder is not there any more" in ran.stderr


def test_few_descriptors(project: Project):
    few = (64, 64)
    ran = project.use("good").start(
        "check", "claims", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, few)
    )
    out, _ = ran.communicate(timeout=60)
    assert ran.returncode == 0, out


def test_a_reader_that_goes_away_leaves_what_was_done(project: Project):
    ran = project.use("good", "slow").start("check", "claims", env={"PYTHONUNBUFFERED": "1"})
    assert ran.stdout is not None
    assert "good[cpu]" in ran.stdout.readline()
    ran.stdout.close()
    assert ran.wait(60) == 3
    assert project.verdicts()["good"] == "verified"
    assert project.results()["run"]["interrupted"] is True


def test_results_are_written_into_a_pipe_and_do_not_replace_it(project: Project):
    pipe = project.use("good").path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    assert main(["check", "claims", "--json", "pipe"]) == 0
    reader.join(10)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert json.loads(read[0])["claims"][0]["verdict"] == "verified"


def test_a_reports_folder_removed_during_the_run(project: Project):
    ran = project.use("good", "slow").start("check", "claims", "--jobs", "2")
    wait_for_cases(project, 2)
    shutil.rmtree(project.path / "reports")
    ran.communicate(timeout=60)
    assert ran.returncode == 0
    assert len(project.verdicts()) == 13


def wait_for_cases(project: Project, count: int) -> None:
    """Wait until the log tells of `count` cases."""
    log = project.path / "reports/results.jsonl"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if log.exists() and log.read_bytes().count(b'"event":"case"') >= count:
            return
        time.sleep(0.02)
    raise AssertionError("no cases are done")
