"""The command line: what each command prints, writes and returns."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from verifier import __version__
from verifier.cli import main


@pytest.fixture
def project(tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with claim files that need no torch, which is the current folder."""
    (tmp_path / "pyproject.toml").write_text("[tool.verifier]\npreload = []\n")
    shutil.copytree(samples / "plugin", tmp_path / "claims")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def results(project: Path) -> dict:
    return json.loads((project / "reports/results.json").read_text())


# --- check ------------------------------------------------------------------------


def test_check_as_recorded(project: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["check", "claims/verdicts.yaml"]) == 0
    out = capsys.readouterr().out
    assert "6 claims" in out
    assert "1 refuted as recorded" in out
    assert "\x1b" not in out
    assert (project / "reports/index.html").exists()


def test_check_tells_each_case_in_a_pipe(project: Path, capsys: pytest.CaptureFixture[str]):
    main(["check", "claims/verdicts.yaml"])
    lines = capsys.readouterr().out.split("\n")
    for name in ("true-as-recorded[cpu]", "no-such-device[cuda]", "false-as-recorded[cpu]"):
        assert any(name in line for line in lines), name


def test_quiet_leaves_only_what_needs_attention(project: Path, capsys: pytest.CaptureFixture[str]):
    main(["check", "-q", "claims/verdicts.yaml", "claims/flips.yaml"])
    out = capsys.readouterr().out
    assert "true-as-recorded[cpu]" not in out
    assert "recorded-verified-now-refuted" in out


def test_check_fails_on_flips(project: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["check", "claims/flips.yaml"]) == 1
    out = capsys.readouterr().out
    assert "claims/flips.yaml:4" in out
    assert "Traceback" not in out


def test_an_invalid_claim_beside_others(project: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["check", "claims/broken.yaml"]) == 1
    verdicts = {claim["id"]: claim["verdict"] for claim in results(project)["claims"]}
    assert verdicts == {"has-mistakes": "error", "is-good": "verified"}
    assert 'unknown key "expct"' in capsys.readouterr().out


def test_an_id_used_twice_is_an_error(project: Path, capsys: pytest.CaptureFixture[str]):
    shutil.copy("claims/verdicts.yaml", "claims/zz-copy.yaml")
    assert main(["check", "claims/verdicts.yaml", "claims/zz-copy.yaml"]) == 1
    assert "claims/zz-copy.yaml:6" in capsys.readouterr().out


def test_jobs_change_nothing_but_durations(project: Path):
    def run(jobs: str) -> dict:
        main(["check", "claims", "--jobs", jobs])
        found = results(project)
        del found["run"], found["environments"]
        for claim in found["claims"]:
            for case in claim["cases"]:
                del case["durations"], case["samples"], case["interval"]
        return found

    assert run("1") == run("2")


def test_results_on_stdout_are_json_alone(project: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["check", "claims/verdicts.yaml", "--json", "-", "--no-reports"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["summary"]["claims"]["verified"] == 3
    assert "6 claims" in captured.err
    assert not (project / "reports").exists()


def test_results_can_be_written_anywhere(project: Path):
    assert main(["check", "claims/verdicts.yaml", "--json", "deep/er/out.json"]) == 0
    assert json.loads(Path("deep/er/out.json").read_text())["schema"] == 1


@pytest.mark.parametrize(
    ("words", "code"), [("refuted", 1), ("not-checked", 1), ("inconclusive", 0)]
)
def test_fail_on(project: Path, words: str, code: int):
    assert main(["check", "claims/verdicts.yaml", "--fail-on", words]) == code


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        (["only-advice"], {"only-advice": 0}),
        (["no-such-device"], {"no-such-device": 2}),
        (["no-such-device[cuda]"], {"no-such-device": 1}),
        (["*-as-recorded"], {"true-as-recorded": 1, "false-as-recorded": 1}),
        (
            ["true*", "false*[cpu]"],
            {"true-as-recorded": 1, "true-without-record": 1, "false-as-recorded": 1},
        ),
    ],
)
def test_select(project: Path, patterns: list[str], found: dict[str, int]):
    options = [word for pattern in patterns for word in ("--select", pattern)]
    assert main(["check", "claims/verdicts.yaml", *options]) == 0
    assert {claim["id"]: len(claim["cases"]) for claim in results(project)["claims"]} == found


def test_device(project: Path):
    assert main(["check", "claims/verdicts.yaml", "--device", "cuda"]) == 0
    found = {claim["id"]: claim["verdict"] for claim in results(project)["claims"]}
    assert found == {"no-such-device": "not-checked", "only-advice": "unverifiable"}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["check", "missing"], 4, "missing: no such file or folder"),
        (["check", "pyproject.toml"], 4, "pyproject.toml: not a claim file"),
        (["check", "claims", "--device", "gpu"], 4, '--device: unknown device "gpu"'),
        (["check", "claims", "--jobs", "none"], 4, "--jobs: must be a number"),
        (["check", "claims", "--timeout", "0"], 4, "--timeout: must be a number of seconds"),
        (["check", "claims", "--fail-on", "refutd"], 4, '(did you mean "refuted"?)'),
        (["check", "empty"], 5, "no claims found"),
        (["check", "claims/verdicts.yaml", "--select", "true-as-recorde"], 5, "(did you mean"),
        (["record", "claims", "--results", "missing.json"], 4, "missing.json"),
        (["report", "missing.json"], 4, "missing.json"),
        (["report", "pyproject.toml"], 4, "pyproject.toml"),
        (["coverage", "claims", "--source", "missing.txt"], 4, "missing.txt"),
    ],
)
def test_mistakes_get_a_message_and_a_code(
    project: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str
):
    (project / "empty").mkdir()
    assert main(arguments) == code
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.out + captured.err


def test_an_unwritable_report_changes_the_code_alone(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    (project / "reports").write_text("a file in the way")
    assert main(["check", "claims/verdicts.yaml"]) == 3
    captured = capsys.readouterr()
    assert "could not be written" in captured.err
    assert "1 refuted as recorded" in captured.out


# --- record -----------------------------------------------------------------------


def test_record_shows_the_diff_and_asks(project: Path, capsys: pytest.CaptureFixture[str]):
    before = Path("claims/verdicts.yaml").read_text()
    assert main(["record", "claims/verdicts.yaml"]) == 0
    captured = capsys.readouterr()
    assert "+    verdict: verified" in captured.out
    assert "--yes" in captured.err
    assert Path("claims/verdicts.yaml").read_text() == before


def test_record_writes_what_was_measured(project: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["record", "--yes", "claims/verdicts.yaml"]) == 0
    assert main(["check", "claims/verdicts.yaml"]) == 0
    recorded = {claim["id"]: claim["ledger"] for claim in results(project)["claims"]}
    assert recorded["true-without-record"] == "verified"
    assert recorded["precondition-fails"] is None
    capsys.readouterr()
    assert main(["record", "--yes", "claims/verdicts.yaml"]) == 0
    assert "Nothing to record" in capsys.readouterr().out


def test_record_heals_flips_and_says_what_it_left(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["record", "--yes", "claims/flips.yaml"]) == 0
    out = capsys.readouterr().out
    # Refuted needs a correction, which only a person can write.
    assert "recorded-verified-now-refuted: not recorded" in out
    assert "typo-in-the-probe: not recorded" in out
    main(["check", "claims/flips.yaml"])
    recorded = {claim["id"]: claim["ledger"] for claim in results(project)["claims"]}
    assert recorded["recorded-refuted-now-verified"] == "verified"


def test_record_takes_an_earlier_run(project: Path):
    main(["check", "claims/verdicts.yaml"])
    options = ["--yes", "--results", "reports/results.json"]
    assert main(["record", *options, "claims/verdicts.yaml"]) == 0
    assert "verdict: verified" in Path("claims/verdicts.yaml").read_text()


def test_record_leaves_a_claim_whose_probe_has_changed(project: Path):
    main(["check", "claims/verdicts.yaml"])
    path = Path("claims/verdicts.yaml")
    changed = path.read_text().replace("total = 3 + 3", "total = 2 + 4")
    path.write_text(changed)
    assert main(["record", "--yes", "--results", "reports/results.json", str(path)]) == 0
    assert path.read_text() == changed


# --- the other commands -----------------------------------------------------------


def test_report_from_a_killed_run(project: Path, capsys: pytest.CaptureFixture[str]):
    main(["check", "claims/verdicts.yaml"])
    log = project / "reports/results.jsonl"
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[: len(lines) // 2]) + lines[-1][:20])
    assert main(["report", "reports/results.jsonl", "-o", "again"]) == 0
    assert "again/index.html" in capsys.readouterr().out
    assert json.loads(Path("again/results.json").read_text())["run"]["interrupted"] is True


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """What a command shows on a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "verifier", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=os.environ | {"TERM": "xterm"} | environment,
    ):
        os.close(theirs)
        shown = b""
        # A terminal whose other side is closed gives an error instead of an end.
        with contextlib.suppress(OSError):
            while chunk := os.read(ours, 65536):
                shown += chunk
        os.close(ours)
    return shown.decode()


def test_a_terminal_shows_progress_in_colour(project: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = on_a_terminal("check", "claims/verdicts.yaml")
    assert "[6/6] precondition-fails[cpu]" in shown
    assert "\x1b[32m3 verified" in shown
    assert "\n✓" not in shown  # what holds leaves no line
    shown = on_a_terminal("check", "claims/verdicts.yaml", NO_COLOR="1")
    assert "[6/6]" in shown
    assert "\x1b[32m" not in shown


@pytest.mark.parametrize(("answer", "verdicts"), [("y", 1), ("n", 0), ("", 0)])
def test_record_asks_on_a_terminal(
    project: Path, monkeypatch: pytest.MonkeyPatch, answer: str, verdicts: int
):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda prompt: answer)
    before = Path("claims/verdicts.yaml").read_text().count("verdict: verified")
    assert main(["record", "claims/verdicts.yaml"]) == 0
    after = Path("claims/verdicts.yaml").read_text().count("verdict: verified")
    assert after - before == verdicts


@pytest.mark.parametrize("name", ["claims", "results"])
def test_schema(name: str, capsys: pytest.CaptureFixture[str]):
    assert main(["schema", name]) == 0
    assert json.loads(capsys.readouterr().out)["$schema"].startswith("http")


def test_doctor(project: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    for word in ("Python", "torch", "fork server", "isolation", "cuda"):
        assert word in out


def test_coverage(project: Path, capsys: pytest.CaptureFixture[str]):
    claimed = "".join(f"This is sentence number {n}.\n" for n in range(1, 7))
    Path("tutorial.txt").write_text(claimed)
    assert main(["coverage", "claims/verdicts.yaml", "--source", "tutorial.txt"]) == 0
    Path("tutorial.txt").write_text(claimed + "Nobody claims this.\n")
    capsys.readouterr()
    assert main(["coverage", "claims/verdicts.yaml", "--source", "tutorial.txt"]) == 1
    out = capsys.readouterr().out
    assert "tutorial.txt:7" in out
    assert "tutorial.txt:6:" not in out


# --- starting ---------------------------------------------------------------------


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "verifier", *arguments], capture_output=True, text=True
    )


def test_version():
    assert run("--version").stdout == f"verifier {__version__}\n"


def test_wrong_usage_has_the_code_of_wrong_usage():
    done = run("chekc")
    assert done.returncode == 4
    assert "invalid choice" in done.stderr


def test_help_imports_nothing_heavy():
    code = (
        "import sys\n"
        "from verifier.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'torch', 'numpy', 'yaml', 'msgspec', 'pytest', 'jinja2'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


@pytest.mark.parametrize("command", ["check", "coverage", "schema", "report"])
def test_no_command_imports_torch(project: Path, command: str):
    arguments = {
        "check": ["check", "claims/verdicts.yaml"],
        "coverage": ["coverage", "claims", "--source", "pyproject.toml"],
        "schema": ["schema"],
        "report": ["report", "reports/results.jsonl"],
    }[command]
    if command == "report":
        main(["check", "claims/verdicts.yaml"])
    code = (
        "import sys\n"
        "from verifier.cli import main\n"
        f"main({arguments!r})\n"
        "print(sorted({'torch', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


def test_record_says_that_nothing_is_selected(project: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["record", "claims", "--select", "true-as-recordd"]) == 4
    assert 'did you mean "true-as-recorded"?' in capsys.readouterr().err
