"""Settings from pyproject.toml."""

from pathlib import Path

import pytest

from verifier import settings
from verifier.settings import SettingsError


def write(folder: Path, table: str) -> Path:
    (folder / "pyproject.toml").write_text(table)
    return folder


def test_a_project_without_settings_has_the_defaults(tmp_path: Path):
    loaded = settings.load(write(tmp_path, "[project]\nname = 'x'\n"))
    assert loaded == settings.Settings(root=tmp_path)


def test_settings_are_found_from_a_folder_below(tmp_path: Path):
    write(tmp_path, "[tool.verifier]\njobs = 2\nfail-on = ['refuted']\nreports = 'out'\n")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    loaded = settings.load(below)
    assert loaded.root == tmp_path
    assert (loaded.jobs, loaded.fail_on, loaded.reports) == (2, ("refuted",), Path("out"))


def test_reports_can_be_switched_off(tmp_path: Path):
    assert settings.load(write(tmp_path, "[tool.verifier]\nreports = false\n")).reports is None


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("\n[tool.verifier]\njob = 2\n", '3: unknown setting "job" (did you mean "jobs"?)'),
        ("[tool.verifier]\njobs = 0\n", "2: jobs: must be a number from 1"),
        ("[tool.verifier]\njobs = true\n", "2: jobs: must be a number from 1"),
        ("[tool.verifier]\ndevice = 'cudaa'\n", '2: device: unknown device "cudaa"'),
        ("[tool.verifier]\nfail-on = 'refutd'\n", '(did you mean "refuted"?)'),
        ("[tool.verifier]\ntimeout = -1\n", "2: timeout: must be a number of seconds"),
        ("[tool.verifier]\ntimeout = true\n", "2: timeout: must be a number of seconds"),
        ("[tool.verifier]\nmemory = 'much'\n", "2: memory: must be a number of megabytes"),
        ("[tool.verifier]\nreports = true\n", "2: reports: must be a folder"),
        ("[tool.verifier]\npreload = 3\n", "2: preload: must be a word"),
        ("[tool]\nverifier = 3\n", "must be a table"),
        ("[tool.verifier\n", "cannot be read"),
    ],
)
def test_mistakes_are_told_with_their_place(tmp_path: Path, table: str, message: str):
    with pytest.raises(SettingsError) as caught:
        settings.load(write(tmp_path, table))
    assert message in str(caught.value)
    assert "pyproject.toml" in str(caught.value)


@pytest.mark.parametrize("name", ["cpu", "cuda", "cuda:1", "mps", "xpu", "meta"])
def test_devices_that_torch_knows_are_taken(name: str):
    assert settings.devices(name) == (name,)


@pytest.mark.parametrize("name", ["gpu", "cuda:x", "cpu ,tpu", "CPU"])
def test_other_devices_are_not(name: str):
    with pytest.raises(ValueError, match="unknown device"):
        settings.devices(name)


def test_auto_is_a_number_of_jobs():
    assert settings.jobs("auto") >= 1
    assert settings.jobs("3") == 3
