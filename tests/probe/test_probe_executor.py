"""The executor when things go wrong around the cases."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from verifier.model import Code, Comparison, Faster, Observation
from verifier.probe import LocalExecutor, processes
from verifier.probe.client import ServerProcess

KILL_SERVER = "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n"


@pytest.fixture
def executor():
    with LocalExecutor(preload=()) as executor:
        yield executor


def server_of(executor: LocalExecutor) -> ServerProcess:
    assert executor._server is not None
    return executor._server


def test_server_starts_with_the_first_case(executor, make_case) -> None:
    assert executor._server is None
    executor.submit(make_case())
    assert server_of(executor).is_alive


def test_server_killed_between_cases_is_started_again(executor, make_case) -> None:
    executor.submit(make_case())
    first = server_of(executor).pid
    os.kill(first, signal.SIGKILL)
    os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
    assert executor.submit(make_case()).outcome == "done"
    assert server_of(executor).pid != first


def test_server_killed_under_a_case_once_is_no_harm(executor, make_case, tmp_path) -> None:
    marker = tmp_path / "was-here"
    probe = (
        f"import os, signal, time\nif not os.path.exists({str(marker)!r}):\n"
        f"    open({str(marker)!r}, 'w').close()\n"
        "    os.kill(os.getppid(), signal.SIGKILL)\n    time.sleep(60)\n"
    )
    observed = executor.submit(make_case(probe))
    assert (observed.outcome, observed.attempts) == ("done", 2)


def test_server_killed_twice_under_a_case(executor, make_case) -> None:
    observed = executor.submit(make_case(KILL_SERVER))
    assert (observed.outcome, observed.attempts) == ("server-died", 2)
    assert executor.submit(make_case()).outcome == "done"


def test_nothing_is_left_of_a_killed_server(executor, make_case) -> None:
    executor.submit(make_case())
    mark, root = server_of(executor)._mark, server_of(executor)._root
    probe = (
        "import os, time\n"
        "if os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\n"
        "time.sleep(0.05)\n" + KILL_SERVER
    )
    executor.submit(make_case(probe))
    assert processes.marked(mark) == []
    assert not root.exists()


def test_silent_server_is_killed_with_its_children(executor, make_case, monkeypatch) -> None:
    monkeypatch.setattr("verifier.probe.executor._PATIENCE", 0.2)
    executor.submit(make_case())
    probe = "import os, signal, time\nos.kill(os.getppid(), signal.SIGSTOP)\ntime.sleep(60)\n"
    observed = executor.submit(make_case(probe, timeout=0.2))
    assert observed.outcome == "server-died"
    assert executor.submit(make_case()).outcome == "done"


def test_close_leaves_nothing(make_case) -> None:
    executor = LocalExecutor(preload=())
    executor.submit(make_case())
    server = server_of(executor)
    assert server._root.exists()
    executor.close()
    executor.close()
    assert not server.is_alive
    assert not server._root.exists()


def test_closed_executor_stays_closed(executor, make_case) -> None:
    executor.submit(make_case())
    executor.close()
    seen = executor.submit(make_case())
    assert (seen.outcome, seen.detail) == ("unavailable", "the run has ended")


def test_closing_ends_a_case_of_another_thread(make_case) -> None:
    executor = LocalExecutor(preload=())
    executor.submit(make_case())
    server = server_of(executor)
    seen: list[Observation] = []
    case = make_case("import time; time.sleep(600)", timeout=600.0)
    thread = threading.Thread(target=lambda: seen.append(executor.submit(case)))
    thread.start()
    while not processes.descendants(server.pid):
        time.sleep(0.01)
    executor.close()
    thread.join(60)
    assert not thread.is_alive()
    assert seen[0].outcome == "unavailable"
    assert not server.is_alive


@pytest.mark.parametrize("python", ["/nowhere/python", "/bin/false"])
def test_broken_interpreter_is_tried_twice_and_no_more(python, make_case, monkeypatch) -> None:
    starts = []
    start = ServerProcess._start
    monkeypatch.setattr(ServerProcess, "_start", lambda *given: starts.append(1) or start(*given))
    with LocalExecutor(preload=(), python=python) as executor:
        observed = [executor.submit(make_case()) for _ in range(3)]
        assert executor.environment("cpu") is None
    assert {each.outcome for each in observed} == {"unavailable"}
    assert python in observed[0].detail
    assert "Python 3.11" in observed[0].detail
    assert len(starts) == 2


def test_missing_preload_is_not_fatal(make_case) -> None:
    with LocalExecutor(preload=("nothing_of_this_name", "json")) as executor:
        observed = executor.submit(make_case("import sys", "'json' in sys.modules"))
        missing = server_of(executor).hello["missing"]
    assert observed.checks[0].truth is True
    assert list(missing) == ["nothing_of_this_name"]


def test_preload_that_starts_a_thread_is_refused(make_case, tmp_path, monkeypatch) -> None:
    python = tmp_path / "python"
    (tmp_path / "threaded.py").write_text(
        "import threading, time\n"
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
    )
    python.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    with LocalExecutor(preload=("threaded",), python=str(python)) as executor:
        observed = executor.submit(make_case())
    assert observed.outcome == "unavailable"
    assert "after importing threaded there are 2 threads" in observed.detail


def test_device_that_does_not_exist(with_torch, make_case) -> None:
    observed = with_torch.submit(make_case("1 / 0", params={"device": "no-such-device"}))
    assert observed.outcome == "no-device"
    assert "no-such-device" in observed.detail


def test_device_that_needs_a_library_not_preloaded(executor, make_case) -> None:
    observed = executor.submit(make_case(params={"device": "no-such-device"}))
    assert observed.outcome == "no-device"
    assert "no-such-device" in observed.detail


def test_cases_survive_the_thread_that_started_the_server(executor, make_case) -> None:
    seen: list[Observation] = []
    thread = threading.Thread(target=lambda: seen.append(executor.submit(make_case())))
    thread.start()
    thread.join()
    pid = server_of(executor).pid
    assert executor.submit(make_case()).outcome == "done"
    assert (seen[0].outcome, server_of(executor).pid) == ("done", pid)


def test_executors_work_in_parallel(make_case) -> None:
    found: list[str] = []

    def work() -> None:
        with LocalExecutor(preload=()) as executor:
            found.extend(executor.submit(make_case()).outcome for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["done"] * 15


def test_timing_case_waits_until_it_is_alone(executor, make_case) -> None:
    from verifier.probe.lock import CaseLock

    code = Code(text="pass", line=20)
    timed = make_case("1 / 0", Faster(first=code, second=code))
    assert isinstance(timed.claim.expect[0], Comparison)
    executor.submit(make_case())
    other = CaseLock()
    seen: list[Observation] = []
    thread = threading.Thread(target=lambda: seen.append(executor.submit(timed)))
    with other.shared():
        thread.start()
        time.sleep(0.1)
        assert seen == []
    thread.join()
    other.close()
    assert seen[0].durations.queue > 0
    assert seen[0].durations.total >= 0


def test_lock_folder_of_somebody_else(executor, make_case, monkeypatch, tmp_path) -> None:
    folder = tmp_path / "lock"
    folder.symlink_to(tmp_path)
    monkeypatch.setattr("verifier.probe.lock.default_folder", lambda: folder)
    observed = executor.submit(make_case())
    assert observed.outcome == "unavailable"
    assert "TMPDIR" in observed.detail


def run_parent(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a parent of its own, with a case at hand."""
    prelude = """
        import sys
        from verifier.model import Case, Claim, Code, Source
        from verifier.probe import LocalExecutor
        def make(probe):
            claim = Claim(id="c", statement="s", kind="behaviour", source=Source(id="s"),
                          file="f.yaml", line=1, probe=Code(text=probe, line=1))
            return Case(claim=claim, id="cpu", params={})
        executor = LocalExecutor(preload=())
        executor.submit(make(""))
        print(executor._server._mark, flush=True)
    """
    script = textwrap.dedent(prelude) + textwrap.dedent(code)
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )


def is_gone(mark: str) -> bool:
    """Whether nothing with the mark runs any more, soon."""
    deadline = time.monotonic() + 10
    while processes.marked(mark):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def test_ctrl_c_in_the_parent_leaves_nothing() -> None:
    result = run_parent("""
        import os, signal, threading
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            executor.submit(make("import time; time.sleep(600)"))
        except KeyboardInterrupt:
            print("interrupted")
        executor.close()
    """)
    mark, *rest = result.stdout.splitlines()
    assert rest == ["interrupted"], result.stderr
    assert is_gone(mark)


def test_killed_parent_leaves_nothing() -> None:
    result = run_parent("""
        import os, signal, threading
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGKILL)).start()
        executor.submit(make("import os, time; os.fork(); time.sleep(600)"))
    """)
    assert result.returncode == -signal.SIGKILL
    assert is_gone(result.stdout.splitlines()[0])


def test_parent_that_forgets_to_close_leaves_nothing() -> None:
    result = run_parent("print(executor._server._root)")
    mark, root = result.stdout.splitlines()
    assert is_gone(mark)
    assert not Path(root).exists()


def test_parent_never_imports_the_libraries() -> None:
    result = run_parent("""
        with LocalExecutor() as full:
            print(full.submit(make("import torch, numpy")).outcome)
        print(sorted({"torch", "numpy"} & set(sys.modules)))
    """)
    assert result.stdout.splitlines()[1:] == ["done", "[]"]


def test_bare_fork_takes_some_time(executor) -> None:
    assert executor.bare_fork() > 0
