"""A fact-checker's own README is checked: its example, its table of entries, its commands."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
import typing
from pathlib import Path

import pytest

from verifier import claimfile, settings
from verifier.cli import main, parser
from verifier.model import AnyCheck
from verifier.pytest_plugin import _MARKS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project that the README has its reader write."""
    (tmp_path / "claims/tutorial").mkdir(parents=True)
    (tmp_path / "claims/tutorial/views.yaml").write_text(blocks("yaml")[0])
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'tutorial'\n")
    (tmp_path / "tutorial.txt").write_text(
        "view() returns a copy.\nA transposed tensor is not contiguous.\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_five_minutes(tutorial: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["check", "claims/tutorial"]) == 1
    assert blocks("text")[0].strip() in capsys.readouterr().out

    path = tutorial / "claims/tutorial/views.yaml"
    correction = re.search(r"`(correction: .*?)`", README)
    assert correction
    text = path.read_text()
    path.write_text(text.replace("    kind: memory\n", f"    kind: memory\n    {correction[1]}\n"))

    assert main(["record", "--yes", "claims/tutorial"]) == 0
    out = capsys.readouterr().out
    assert "+    verdict: refuted" in out
    assert "+    verdict: verified" in out
    assert main(["check", "claims/tutorial"]) == 0
    assert main(["coverage", "claims/tutorial", "--source", "tutorial.txt"]) == 0


def test_the_example_has_no_mistake(tutorial: Path):
    assert claimfile.read("claims/tutorial/views.yaml").problems == ()


def test_every_entry_is_in_the_table():
    told = set(re.findall(r"^\| `(\w+): ", README, re.MULTILINE)) | {"slower"}
    tags = {check.__struct_config__.tag for check in typing.get_args(AnyCheck)}
    assert told == tags - {"expression"}


def test_every_command_is_in_the_table():
    told = set(re.findall(r"^\| `verifier (\w+)", README, re.MULTILINE))
    (action,) = (action for action in parser()._actions if action.dest == "command")
    assert told == set(action.choices or ())


def test_every_setting_is_told(tmp_path: Path):
    block = blocks("toml")[0]
    assert set(tomllib.loads(block)["tool"]["verifier"]) == set(settings._CHECKS)
    (tmp_path / "pyproject.toml").write_text(block)
    settings.load(tmp_path)


def test_marks_that_are_told_exist():
    for expression in re.findall(r'-m "(.*?)"', README):
        words = set(re.findall(r"\w+", expression)) - {"and", "or", "not"}
        assert words <= set(_MARKS)


def test_the_two_commands_are_those_of_the_gate():
    """What is said to pass is what is tested: same install, same pytest."""
    gate = (ROOT / ".ci/run").read_text()
    verify, passing = (shlex.split(block) for block in blocks("sh"))
    for command in (verify, passing):
        assert "torch==2.13.0" in command
        assert "torch==2.13.0" in gate
    assert verify[-2:] == [".venv/bin/pytest", "claims/"]
    assert passing[-1] == ".venv/bin/pytest"
    assert '/pytest" claims/' in gate


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        if "://" not in target:
            assert (ROOT / target).exists(), target


def test_the_plug_in_is_found_by_its_entry_point():
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--markers"], capture_output=True, text=True, cwd=ROOT
    )
    assert "@pytest.mark.timing" in done.stdout
