"""Bad input through both entrances: message with place and remedy, exit code, the rest kept."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import verifier
from verifier.cli import main

TRACEBACK = "Traceback (most recent call last)"
#: What the fixtures of conftest.py give.
Project = Any
Run = Callable[..., tuple[int, str]]

# --- one bad file beside a good one ------------------------------------------------

DEEP = b"schema: 1\nclaims: " + b"[" * 100_000 + b"]" * 100_000 + b"\n"
#: Files nothing of which can be read -> what is said of them.
UNREADABLE = {
    "empty": (b"", "1:1: is empty: a claim file has the keys"),
    "deep": (DEEP, "2:1008: not valid YAML: nested too deeply"),
    "big": (b"schema: 1\n# " + b"x" * 10_000_000, "1:1: more than 8 MiB: split it"),
    "binary": (bytes(range(256)) * 16, "1:1: is no text: a NUL byte at byte 1"),
    "utf-16": ("schema: 1\n".encode("utf-16"), "1:1: is UTF-16: save it as UTF-8"),
    "latin-1": ("schema: 1\n# é".encode("latin-1"), "2:1: is not UTF-8: byte 13 is 0xe9; save"),
}
#: Samples -> what is said of them.
SAMPLES = {
    "tabs": "tabs.yaml:6:1: not valid YAML: a tab: indent with spaces",
    "aliases": "aliases.yaml:3:8: aliases (*name) are not supported: write the value out",
    "unknown-key": 'unknown-key.yaml:7:5: unknown key "timeuot" (did you mean "timeout"?)',
    "duplicate-id": 'duplicate-id.yaml:11:9: the id "twice" is taken by the claim of line 4',
    "probe-syntax": "probe-syntax.yaml:8:11: the code of \"probe\" does not compile: '('",
    "unknown-device": 'unknown-device.yaml:7:28: each entry of "device" must be a device: cpu',
    "never-ends": "no end within 0.5 s, in the probe",
    "sleeps": "no end within 0.5 s, in the probe",
    "floods": "printed more than 4194304 bytes, in the probe",
    "kills-itself": "killed by SIGKILL, in the probe",
    "crashes": "killed by SIGSEGV, in the probe",
    "exits": "ended with exit status 0 before it could report",
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_unreadable_file_beside_others(project: Project, run: Run, name: str):
    content, message = UNREADABLE[name]
    project.use("good").write("zz.yaml", content)
    code, text = run("claims/good.yaml", "claims/zz.yaml")
    assert code == 1
    assert f"claims/zz.yaml:{message}" in project.said(text)
    assert TRACEBACK not in text
    assert project.verdicts() == {"good": "verified", "invalid-file": "error"}


@pytest.mark.parametrize("name", ["empty", "binary"])
def test_nothing_could_be_read(project: Project, run: Run, name: str):
    content, message = UNREADABLE[name]
    project.write("zz.yaml", content)
    code, text = run("claims/zz.yaml")
    assert code == 4
    assert f"claims/zz.yaml:{message}" in project.said(text)
    assert TRACEBACK not in text


@pytest.mark.parametrize("name", SAMPLES)
def test_a_bad_claim_beside_others(project: Project, run: Run, name: str):
    project.use("good", name)
    code, text = run("claims")
    assert code == 1
    assert SAMPLES[name].lower() in project.said(text).lower()
    assert TRACEBACK not in text
    verdicts = project.verdicts()
    assert verdicts.pop("good") == "verified"
    assert list(verdicts.values()) == ["error"]


def test_a_name_that_is_not_utf8(project: Project, run: Run):
    project.use("good").write("zz\udcff.yaml", (project.samples / "good.yaml").read_bytes())
    code, text = run("claims")
    assert code == 1
    assert r"zz\udcff.yaml:1:1: its name is not UTF-8: rename" in project.said(text)
    assert project.verdicts() == {"good": "verified", "invalid-file": "error"}


def test_a_claim_in_a_readable_file_is_not_nothing(project: Project, run: Run):
    assert run(str(project.use("probe-syntax").path / "claims"))[0] == 1


def test_unreadable_files_beside_python_tests_fail_like_these(project: Project):
    project.write("zz.yaml", b"\0schema: 1\n")
    test = project.pytester.makepyfile("def test_fine(): pass")
    ran = project.pytester.runpytest("claims/zz.yaml", test)
    ran.assert_outcomes(passed=1, errors=1)
    assert ran.ret == 1


def test_a_time_limit_beyond_all_clocks(project: Project, run: Run):
    assert run(str(project.use("long-time-limit").path / "claims"))[0] == 0


# --- paths, devices, settings ------------------------------------------------------


@pytest.mark.parametrize("path", ["claims/none.yaml", "none", f"claims/{'x' * 5000}.yaml"])
def test_a_path_that_is_not_there(project: Project, run: Run, path: str):
    code, text = run(path)
    assert code == 4
    assert path in text
    assert TRACEBACK not in text


def test_an_empty_folder(project: Project, run: Run):
    assert run("claims")[0] == 5


def test_a_named_pipe_is_not_waited_for(project: Project, run: Run):
    os.mkfifo(project.path / "claims/pipe.yaml")
    code, text = run("claims/pipe.yaml")
    assert code == 4
    assert TRACEBACK not in text


def test_a_file_or_folder_that_may_not_be_read(
    project: Project, run: Run, monkeypatch: pytest.MonkeyPatch
):
    """Simulated, since root may read everything."""
    locked = project.use("good").write("zz.yaml", b"schema: 1\n")
    (project.path / "claims/folder").mkdir()
    really_open, really_scan = Path.open, os.scandir

    def no_entry(path: object) -> None:
        if str(path).endswith(("zz.yaml", "claims/folder")):
            raise PermissionError(13, "Permission denied", str(path))

    def refuse(path: Path, *args: object, **kwargs: object) -> object:
        no_entry(path)
        return really_open(path, *args, **kwargs)  # type: ignore[call-overload]

    def scan(path: str = ".") -> object:
        no_entry(path)
        return really_scan(path)

    monkeypatch.setattr(Path, "open", refuse)
    code, text = run("claims")
    assert code == 1
    assert "claims/zz.yaml:1:1: cannot be read: Permission denied" in project.said(text)
    assert project.verdicts() == {"good": "verified", "invalid-file": "error"}
    locked.unlink()
    monkeypatch.setattr(os, "scandir", scan)
    assert main(["check", "claims", "--no-reports"]) == 1


def test_an_unknown_device(project: Project, run: Run):
    project.use("good")
    project.pytester.makepyprojecttoml('[tool."verifier"]\ndevice = ["gpu"]\n')
    code, text = run("claims")
    assert code == 4
    assert "pyproject.toml:" in text
    assert 'unknown device "gpu"; write cpu, cuda' in text
    assert TRACEBACK not in text


@pytest.mark.parametrize(
    "settings",
    [
        "[tool]\nverifier = 3",
        '[tool.verifier]\nreports = "a\\u0000"',
        "[tool.verifier]\nmemory = 1e300",
        "[tool.verifier",
    ],
)
def test_settings_that_make_no_sense(project: Project, run: Run, settings: str):
    project.use("good").pytester.makepyprojecttoml(settings)
    code, told = run("claims")
    assert code == 4
    assert "pyproject.toml" in told
    assert TRACEBACK not in told


# --- names, links, other plug-ins --------------------------------------------------

NAMES = ["a space, quo'te\" & 한글 $(x)", "-dash", "line\nbreak", "a::b", "br[ack]"]


@pytest.mark.parametrize("name", NAMES)
def test_the_line_to_reproduce_reproduces(
    project: Project, name: str, monkeypatch: pytest.MonkeyPatch
):
    text = (project.samples / "good.yaml").read_text().replace("x = 1", "x = 3")
    project.write(f"{name}.yaml", text.encode())
    monkeypatch.chdir(project.path / "claims")
    assert main(["check", "."]) == 1
    (claim,) = project.results()["claims"]
    line = claim["cases"][0]["reproduce"]
    again = subprocess.run(
        ["bash", "-c", line],
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert again.returncode == 1, again.stdout + again.stderr
    assert "x is 3" in again.stdout


def test_links_lead_to_a_file_once(project: Project, run: Run):
    project.use("good")
    (project.path / "claims/loop").symlink_to(".")
    (project.path / "claims/zz.yaml").symlink_to("good.yaml")
    (project.path / "claims/broken.yaml").symlink_to("none.yaml")
    assert run("claims")[0] == 0
    assert run("claims/zz.yaml")[0] == 0
    assert [claim["file"] for claim in project.results()["claims"]] == ["claims/zz.yaml"]


def test_claims_that_a_conftest_keeps_from_running_are_not_checked(project: Project):
    project.use("good", "exits").pytester.makeconftest(
        """
        import pytest

        def pytest_runtest_setup(item):
            raise ValueError("a mistake in conftest.py")
        """
    )
    assert project.pytester.runpytest("claims").ret == 1
    assert project.verdicts() == {"bad": "not-checked", "good": "not-checked"}


@pytest.mark.parametrize(
    "arguments",
    [["-p", "no:skipping"], ["-p", "no:terminal"], ["-p", "no:junitxml"], ["--setup-show", "-s"]],
)
def test_pytest_without_some_of_its_plugins(project: Project, arguments: list[str]):
    ran = project.use("good").pytester.runpytest("claims", *arguments)
    assert ran.ret == 0
    assert "INTERNALERROR" not in ran.stdout.str() + ran.stderr.str()
    assert project.verdicts() == {"good": "verified"}


def test_a_conftest_that_shuffles_and_collects_yaml_itself(project: Project):
    project.use("good", "exits").pytester.makeconftest(
        """
        import pytest

        class Own(pytest.File):
            def collect(self):
                return []

        def pytest_collect_file(file_path, parent):
            if file_path.suffix == ".yaml":
                return Own.from_parent(parent, path=file_path)

        def pytest_collection_modifyitems(items):
            items.reverse()
        """
    )
    assert project.pytester.runpytest("claims").ret == 1
    assert project.verdicts() == {"bad": "error", "good": "verified"}


# --- a machine without PyTorch -----------------------------------------------------


def test_without_torch(project: Project, tmp_path: Path):
    """An interpreter that finds every package of this one but torch and numpy."""
    home = tmp_path / "without"
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(home)], check=True, timeout=60
    )
    packages = home / "packages"
    packages.mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if not path.name.startswith(("torch", "functorch", "numpy")) and path.suffix != ".pth":
            (packages / path.name).symlink_to(path)
    (site,) = home.glob("lib/python*/site-packages")
    (site / "packages.pth").write_text(f"{packages}\n")
    project.use("without-torch").pytester.makepyprojecttoml("")
    for entrance in (["pytest"], ["verifier", "check"]):
        ran = subprocess.run(
            [str(home / "bin/python"), "-m", *entrance, "claims"],
            cwd=project.path,
            env={**os.environ, "PYTHONPATH": str(Path(verifier.__file__).parents[1])},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ran.returncode == 1
        assert TRACEBACK not in ran.stdout + ran.stderr
        assert "not installed: torch" in project.said(ran.stdout).lower()
        assert "No module named 'torch'" in ran.stdout
        assert project.verdicts() == {
            "says-what-it-requires": "not-checked",
            "does-not-say": "error",
        }
