"""The pytest entrance: what each verdict becomes, selection, xdist, reports, exit codes."""

from __future__ import annotations

import json
import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

# pytester forgets the modules that its runs import first, and would load ours twice.
import verifier.pytest_items
import verifier.report.html
import verifier.report.write  # noqa: F401


class Project:
    """A project of sample claim files in which pytest runs."""

    def __init__(self, pytester: pytest.Pytester, samples: Path) -> None:
        self.pytester = pytester
        self.path = pytester.path
        self.samples = samples
        # These claims need no torch, so nothing is loaded into the fork server.
        pytester.makepyprojecttoml("[tool.verifier]\npreload = []\n")

    def use(self, *names: str) -> Project:
        (self.path / "claims").mkdir(exist_ok=True)
        for name in names:
            shutil.copy(self.samples / "plugin" / name, self.path / "claims")
        return self

    def run(self, *arguments: str) -> pytest.RunResult:
        return self.pytester.runpytest("claims/", *arguments)

    def run_apart(self, *arguments: str) -> pytest.RunResult:
        """In a process of its own, as xdist's workers and signals need it."""
        return self.pytester.runpytest_subprocess("claims/", *arguments, timeout=120)

    def results(self, folder: str = "reports") -> dict:
        return json.loads((self.path / folder / "results.json").read_text())

    def verdicts(self) -> dict[str, str]:
        return {claim["id"]: claim["verdict"] for claim in self.results()["claims"]}


@pytest.fixture
def project(pytester: pytest.Pytester, samples: Path) -> Project:
    return Project(pytester, samples)


# --- verdicts and outcomes --------------------------------------------------------


def test_verdicts_as_recorded(project: Project):
    ran = project.use("verdicts.yaml").run()
    # Skipped: no cuda, the precondition, the unverifiable claim.
    ran.assert_outcomes(passed=3, xfailed=1, skipped=3)
    assert ran.ret == 0
    assert project.verdicts() == {
        "true-as-recorded": "verified",
        "true-without-record": "verified",
        "false-as-recorded": "refuted",
        "no-such-device": "verified",
        "precondition-fails": "not-checked",
        "only-advice": "unverifiable",
    }


def test_flips_in_either_direction_fail(project: Project):
    ran = project.use("flips.yaml").run("-rA")
    ran.assert_outcomes(failed=4, errors=2)
    for line in (
        "FAILED claims/flips.yaml::recorded-verified-now-refuted*",
        "FAILED claims/flips.yaml::recorded-refuted-now-verified*",
        "FAILED claims/flips.yaml::new-and-refuted*",
        "FAILED claims/flips.yaml::neither*",
        "ERROR claims/flips.yaml::typo-in-the-probe*",
        "ERROR claims/flips.yaml::control-fails*",
    ):
        ran.stdout.fnmatch_lines([line])
    assert ran.ret == 1


def test_runxfail_shows_what_holds_and_forgets_the_ledger(project: Project):
    ran = project.use("flips.yaml", "verdicts.yaml").run("--runxfail", "-m", "not cuda")
    ran.assert_outcomes(passed=4, failed=4, errors=2, skipped=2)


def test_a_failure_is_told_to_the_author_of_the_tutorial(project: Project):
    ran = project.use("flips.yaml").run("-k", "recorded-verified-now-refuted")
    text = ran.stdout.str()
    assert "Rounding one half gives one." in text
    assert "rounded == 1" in text
    assert "claims/flips.yaml:4" in text
    assert "pytest 'claims/flips.yaml::recorded-verified-now-refuted[cpu]'" in text
    assert "Traceback" not in text
    assert "runtest" not in text


def test_the_line_to_reproduce_a_failure_reproduces_it(project: Project):
    ran = project.use("flips.yaml").run("-k", "recorded-verified-now-refuted")
    found = re.search(r"pytest '(claims/\S+\[cpu\])'", ran.stdout.str())
    assert found
    again = project.pytester.runpytest(found[1])
    again.assert_outcomes(failed=1)


def test_an_error_points_at_the_line_of_the_probe(project: Project):
    ran = project.use("flips.yaml").run("-k", "typo")
    line = 1 + (project.path / "claims/flips.yaml").read_text().split("\n").index(
        "    probe: rounded = ruond(0.5)"
    )
    assert f"claims/flips.yaml:{line}" in ran.stdout.str()
    assert "NameError" in ran.stdout.str()


def test_an_invalid_claim_fails_and_the_others_run(project: Project):
    ran = project.use("broken.yaml").run()
    ran.assert_outcomes(passed=1, errors=1)
    ran.stdout.fnmatch_lines(['claims/broken.yaml:8:5: unknown key "expct"*"expect"?)'])
    assert ran.ret == 1
    assert project.verdicts() == {"has-mistakes": "error", "is-good": "verified"}


def test_an_id_used_in_two_files_of_a_source_is_an_error(project: Project):
    project.use("verdicts.yaml")
    shutil.copy(project.path / "claims/verdicts.yaml", project.path / "claims/zz-copy.yaml")
    ran = project.run("-k", "true-as-recorded")
    ran.assert_outcomes(passed=1, errors=1)
    ran.stdout.fnmatch_lines(["*zz-copy.yaml:6:*true-as-recorded*claims/verdicts.yaml:6*"])


def test_skips_are_placed_at_the_claim(project: Project):
    ran = project.use("verdicts.yaml").run("-rs", "-k", "precondition-fails")
    line = 1 + (project.path / "claims/verdicts.yaml").read_text().split("\n").index(
        "  - id: precondition-fails"
    )
    ran.stdout.fnmatch_lines([f"SKIPPED*claims/verdicts.yaml:{line}: not-checked:*"])


def test_the_summary_counts_claims(project: Project):
    ran = project.use("verdicts.yaml").run()
    ran.stdout.fnmatch_lines(["*6 claims*3 verified*1 refuted as recorded*", "*reports/index.html"])


# --- selection --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["-k", "no-such-device"], ["no-such-device[cpu]", "no-such-device[cuda]"]),
        (["-m", "critical"], ["false-as-recorded[cpu]"]),
        (["-m", "output and cpu"], ["false-as-recorded[cpu]"]),
        (["-m", "cuda"], ["no-such-device[cuda]"]),
        (["-m", "timing"], []),
        (["--verifier-device", "cuda", "-k", "device"], ["no-such-device[cuda]"]),
        (["--deselect", "claims/verdicts.yaml::only-advice", "-k", "advice"], []),
    ],
)
def test_selecting(project: Project, arguments: list[str], names: list[str]):
    ran = project.use("verdicts.yaml").run("--collect-only", "-q", *arguments)
    found = [line.partition("::")[2] for line in ran.outlines if "::" in line]
    assert found == names


def test_an_id_selects_all_cases_of_its_claim(project: Project):
    project.use("verdicts.yaml")
    ran = project.pytester.runpytest("claims/verdicts.yaml::no-such-device", "-v")
    ran.assert_outcomes(passed=1, skipped=1)


def test_collecting_runs_nothing_and_writes_nothing(project: Project):
    ran = project.use("verdicts.yaml").run("--collect-only")
    assert ran.ret == 0
    assert not (project.path / "reports").exists()


def test_last_failed_runs_only_what_failed(project: Project):
    project.use("verdicts.yaml", "flips.yaml").run()
    ran = project.run("--lf")
    ran.assert_outcomes(failed=4, errors=2)


def test_without_the_cache(project: Project):
    ran = project.use("verdicts.yaml").run("-p", "no:cacheprovider")
    assert ran.ret == 0


def test_other_yaml_files_are_left_alone(project: Project):
    project.use("verdicts.yaml")
    (project.path / "claims/other.yaml").write_text("jobs: [{schema: 1}]\n")
    ran = project.run("--collect-only", "-q")
    assert "other.yaml" not in ran.stdout.str()


# --- reports ----------------------------------------------------------------------


def test_junit_has_the_verdict_as_a_property(project: Project):
    project.use("verdicts.yaml", "flips.yaml").run("--junitxml=junit.xml")
    cases = {case.get("name"): case for case in ET.parse("junit.xml").iter("testcase")}

    def verdict(name: str) -> str | None:
        found = cases[name].find("properties/property[@name='verdict']")
        return found.get("value") if found is not None else None

    assert verdict("true-as-recorded[cpu]") == "verified"
    assert verdict("false-as-recorded[cpu]") == "refuted"
    assert cases["typo-in-the-probe[cpu]"].find("error") is not None
    assert cases["new-and-refuted[cpu]"].find("failure") is not None
    assert cases["only-advice"].find("skipped") is not None


def test_reports_go_where_they_are_wanted(project: Project):
    ran = project.use("verdicts.yaml").run("--verifier-reports", "out")
    assert ran.ret == 0
    assert {path.name for path in (project.path / "out").iterdir()} == {
        "index.html",
        "results.json",
        "results.jsonl",
    }
    assert not (project.path / "reports").exists()


def test_reports_can_be_switched_off(project: Project):
    ran = project.use("verdicts.yaml").run("--no-verifier-reports")
    assert ran.ret == 0
    assert not (project.path / "reports").exists()
    ran.stdout.fnmatch_lines(["*6 claims*"])


def test_a_report_that_cannot_be_written_changes_the_exit_code_not_the_verdicts(project: Project):
    (project.path / "reports").write_text("a file in the way")
    ran = project.use("verdicts.yaml").run()
    ran.assert_outcomes(passed=3, xfailed=1, skipped=3)
    ran.stdout.fnmatch_lines(["*reports*could not be written*"])
    assert ran.ret == 3


def test_a_run_without_claims_has_no_section_and_no_reports(pytester: pytest.Pytester):
    pytester.makepyfile("def test_nothing(): pass")
    ran = pytester.runpytest()
    assert "= claims =" not in ran.stdout.str()
    assert not (pytester.path / "reports").exists()


# --- settings and usage -----------------------------------------------------------


def test_a_mistake_in_the_settings_is_a_usage_error(project: Project):
    project.pytester.makepyprojecttoml("[tool.verifier]\njob = 2\n")
    ran = project.use("verdicts.yaml").run()
    assert ran.ret == 4
    assert 'unknown setting "job" (did you mean "jobs"?)' in ran.stdout.str() + ran.stderr.str()
    assert "Traceback" not in ran.stdout.str() + ran.stderr.str()


def test_an_unknown_device_is_a_usage_error(project: Project):
    ran = project.use("verdicts.yaml").run("--verifier-device", "gpu")
    assert ran.ret == 4
    assert 'unknown device "gpu"' in ran.stdout.str() + ran.stderr.str()


# --- xdist ------------------------------------------------------------------------


def without_what_varies(results: dict) -> dict:
    """Results less what may differ between equal runs."""
    for name in ("run", "environments"):
        del results[name]
    for claim in results["claims"]:
        for case in claim["cases"]:
            for name in ("durations", "samples", "interval"):
                del case[name]
    return results


def test_two_workers_give_the_same_results(project: Project):
    project.use("verdicts.yaml", "flips.yaml", "broken.yaml")
    alone = project.run_apart("-n", "0", "--verifier-reports", "alone")
    shared = project.run_apart("-n", "2", "--verifier-reports", "shared")
    assert alone.parseoutcomes() == shared.parseoutcomes()
    assert alone.ret == shared.ret == 1
    assert without_what_varies(project.results("alone")) == without_what_varies(
        project.results("shared")
    )


def test_the_plugin_imports_nothing_of_ours_without_a_claim_file(pytester: pytest.Pytester):
    pytester.makepyfile(
        """
        import sys

        def test_modules():
            ours = {name for name in sys.modules if name.split(".")[0] == "verifier"}
            assert ours <= {"verifier", "verifier.pytest_plugin", "verifier.discover"}
            assert not {"torch", "numpy", "msgspec", "yaml", "jinja2"} & set(sys.modules)
        """
    )
    (pytester.path / "other.yaml").write_text("a: 1\n")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_the_parent_never_imports_torch(project: Project):
    project.use("verdicts.yaml")
    project.pytester.makeconftest(
        """
        import sys

        def pytest_unconfigure():
            print("loaded:", sorted({"torch", "numpy"} & set(sys.modules)))
        """
    )
    ran = project.run_apart("-s")
    ran.stdout.fnmatch_lines(["loaded: []"])
