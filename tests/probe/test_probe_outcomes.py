"""Each way in which a probe can end, and that the next one does not notice.

The folders of ``tests/samples/probe`` are named after outcomes; each sample in
them is the code of a probe.
"""

from pathlib import Path

import pytest

import verifier.probe
from verifier.model import Code, Expression
from verifier.probe import LocalExecutor, processes

SAMPLES = Path(__file__).parent.parent / "samples" / "probe"
HOSTILE = sorted(SAMPLES.glob("*/*.py"))


@pytest.mark.parametrize("sample", HOSTILE, ids=[f"{s.parent.name}-{s.stem}" for s in HOSTILE])
def test_outcome(sample: Path, plain: LocalExecutor, make_case) -> None:
    timeout = 0.5 if sample.parent.name == "timeout" else None
    observed = plain.submit(make_case(sample.read_text(), timeout=timeout))

    assert observed.outcome == sample.parent.name, observed
    server = plain._server
    assert server is not None
    assert server.is_alive
    assert processes.descendants(server.pid) == []

    after = plain.submit(make_case("import os\nfound = os.listdir()", "found == []"))
    assert after.outcome == "done", after
    assert after.checks[0].truth is True
    assert plain._server is server


def test_every_outcome_of_a_child_has_a_sample() -> None:
    assert {sample.parent.name for sample in HOSTILE} == {
        "done",
        "exception",
        "timeout",
        "cpu-limit",
        "memory-limit",
        "output-limit",
        "signal",
        "no-result",
        "channel-corrupt",
    }


def submit_sample(name: str, executor: LocalExecutor, make_case, **fields):
    return executor.submit(make_case((SAMPLES / name).read_text(), **fields))


def test_a_forks_output_is_kept_but_not_its_record(plain, make_case) -> None:
    observed = submit_sample("done/fork_runs_off_the_end.py", plain, make_case)
    assert sorted(observed.stdout.split()) == ["fork", "parent"]


def test_exception_points_into_the_claim_file(plain, make_case) -> None:
    probe = "def deeper():\n    return 1 / 0\n\ndeeper()"
    observed = plain.submit(make_case(probe))
    assert observed.stage == "probe"
    assert observed.exception is not None
    assert observed.exception.type == "ZeroDivisionError"
    places = [(f.file, f.line, f.name, f.text) for f in observed.exception.frames]
    assert places == [
        ("claims/sample.yaml", 13, "<module>", "deeper()"),
        ("claims/sample.yaml", 11, "deeper", "return 1 / 0"),
    ]


def test_exception_in_setup_says_so(plain, make_case) -> None:
    observed = plain.submit(make_case("pass", setup="import nothing_of_this_name"))
    assert (observed.outcome, observed.stage) == ("exception", "setup")
    assert observed.exception is not None
    assert observed.exception.types[:2] == ("ModuleNotFoundError", "ImportError")
    assert observed.exception.frames[0].line == 3


def test_syntax_error_has_its_place(plain, make_case) -> None:
    observed = plain.submit(make_case("x = 1\ny = = 2"))
    assert observed.exception is not None
    assert observed.exception.type == "SyntaxError"
    assert observed.exception.frames[-1].line == 11


def test_unreadable_message(plain, make_case) -> None:
    observed = submit_sample("exception/message_that_raises.py", plain, make_case)
    assert observed.exception is not None
    assert observed.exception.types == ("__main__.Unreadable", "BaseException")
    assert "str() raised ValueError" in observed.exception.message


def test_recursion_shows_its_beginning_and_its_end(plain, make_case) -> None:
    observed = submit_sample("exception/endless_recursion.py", plain, make_case)
    assert observed.exception is not None
    assert len(observed.exception.frames) == 20
    assert observed.exception.frames[0].name == "<module>"


def test_timeout_is_tried_twice_and_says_where(plain, make_case) -> None:
    observed = submit_sample("timeout/sleeps.py", plain, make_case, timeout=0.3)
    assert observed.attempts == 2
    assert observed.stage == "probe"
    assert observed.detail == "no end within 0.3 s, in the probe"


def test_timeout_in_a_check_names_the_check(plain, make_case) -> None:
    case = make_case("import time", "True", "time.sleep(600)", timeout=0.3)
    observed = plain.submit(case)
    assert observed.outcome == "timeout"
    assert observed.detail.endswith("in the check at claims/sample.yaml:21")


def test_signal_has_a_name_and_a_traceback(plain, make_case) -> None:
    observed = submit_sample("signal/segmentation_fault.py", plain, make_case)
    assert observed.detail == "killed by SIGSEGV, in the probe"
    assert 'File "claims/sample.yaml", line 12 in <module>' in observed.stderr


def test_output_is_kept_up_to_a_limit(plain, make_case) -> None:
    observed = plain.submit(make_case("print('x' * 300_000)"))
    assert observed.outcome == "done"
    assert len(observed.stdout) == plain.limits.output
    assert observed.dropped == 300_001 - plain.limits.output


def test_output_before_a_kill_is_kept(plain, make_case) -> None:
    observed = plain.submit(make_case("import time\nprint('so far')\ntime.sleep(60)", timeout=0.3))
    assert observed.outcome == "timeout"
    assert observed.stdout == "so far\n"


def test_standard_streams_are_apart(plain, make_case) -> None:
    observed = plain.submit(make_case("import sys\nprint('out')\nprint('err', file=sys.stderr)"))
    assert (observed.stdout, observed.stderr) == ("out\n", "err\n")


def test_missing_module(plain, make_case) -> None:
    observed = plain.submit(make_case("1 / 0", requires=("json", "nothing_here.inner")))
    assert observed.outcome == "missing-module"
    assert observed.detail == "not installed: nothing_here.inner"


def test_present_module_is_not_missing(plain, make_case) -> None:
    assert plain.submit(make_case("pass", requires=("json.decoder",))).outcome == "done"


def test_long_evidence_is_cut_to_fit(plain, make_case) -> None:
    names = [f"n{number}" for number in range(40)]
    probe = "\n".join(f"{name} = '{name}' * 900" for name in names)
    expression = " != ".join(names)
    observed = plain.submit(make_case(probe, expression, expression))
    assert observed.outcome == "done"
    assert observed.detail == "evidence was cut to fit the record"
    assert [check.truth for check in observed.checks] == [True, True]


def test_short_evidence_is_whole(plain, make_case) -> None:
    observed = plain.submit(make_case("x = 'a' * 100", "len(x) == 100"))
    assert observed.detail == ""


def test_warnings_have_types_and_lines(plain, make_case) -> None:
    probe = "import warnings\nfor _ in range(2):\n    warnings.warn('old', DeprecationWarning)"
    observed = plain.submit(make_case(probe))
    shown = [(w.types[:2], w.message, w.line) for w in observed.warnings]
    assert shown == [(("DeprecationWarning", "Warning"), "old", 12)] * 2


def test_durations_are_measured(plain, make_case) -> None:
    observed = plain.submit(make_case("import time; time.sleep(0.02)", "time.sleep(0.01) is None"))
    durations = observed.durations
    assert durations.probe >= 0.02
    assert durations.checks >= 0.01
    assert durations.total > durations.fork + durations.probe + durations.checks
    assert durations.fork > 0


def test_checks_share_one_namespace_and_run_in_order(plain, make_case) -> None:
    observed = plain.submit(make_case("seen = []", "seen.append(1) is None", "seen == [1]"))
    assert [check.truth for check in observed.checks] == [True, True]


def test_one_failing_check_does_not_stop_the_others(plain, make_case) -> None:
    observed = plain.submit(make_case("", "undefined", "exit()", "1 == 1"))
    first, second, third = observed.checks
    assert first.exception is not None
    assert first.exception.type == "NameError"
    assert first.exception.frames[0].line == 20
    assert second.exception is not None
    assert second.exception.type == "SystemExit"
    assert third.truth is True


def test_the_child_does_not_learn_what_is_expected(plain, make_case) -> None:
    from verifier.model import Raises
    from verifier.probe.jobs import encode_case

    check = Raises(code=Code(text="f()", line=20), type="SecretError", match="secret words")
    case = make_case("", check, Expression(code=Code(text="1", line=21)))
    assert b"ecret" not in encode_case(case, 0, plain.limits)


def test_params_are_bound(plain, make_case) -> None:
    params = {"shape": [2, [3, 4]], "flag": True, "name": "x"}
    observed = plain.submit(
        make_case("", "(shape, flag, name) == ((2, (3, 4)), True, 'x')", params=params)
    )
    assert observed.checks[0].truth is True


def test_environment_holds_no_secret(plain, make_case, monkeypatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "do not tell")
    with LocalExecutor(preload=()) as executor:
        checks = (
            "'SECRET_TOKEN' not in os.environ",
            "os.environ['HOME'] == os.environ['TMPDIR'] == os.getcwd()",
            "tempfile.gettempdir() == os.getcwd()",
            "os.environ['PYTHONHASHSEED'] == '0'",
            "'PATH' in os.environ",
            "b'do not tell' not in open('/proc/self/environ', 'rb').read()",
        )
        observed = executor.submit(make_case("import os, tempfile", *checks))
    assert [check.truth for check in observed.checks] == [True] * len(checks)


def test_nothing_but_the_standard_streams_and_one_pipe_is_open(plain, make_case) -> None:
    probe = "import os\nfds = sorted(map(int, os.listdir('/proc/self/fd')))"
    # The listing itself opens one descriptor.
    observed = plain.submit(
        make_case(
            probe,
            "fds[:4] == [0, 1, 2, 3] and len(fds) == 5",
            "fds[4] >= 700",
            "os.read(0, 1) == b''",
        )
    )
    assert [check.truth for check in observed.checks] == [True, True, True]


def test_a_probe_does_not_find_what_lies_beside_the_server(plain, make_case) -> None:
    room = str(Path(verifier.probe.__file__).parent)
    checks = (f"{room!r} not in sys.path", "'' not in sys.path")
    observed = plain.submit(make_case("import sys", *checks))
    assert [check.truth for check in observed.checks] == [True, True]
