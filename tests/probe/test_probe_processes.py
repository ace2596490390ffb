"""What /proc tells, and the end of processes that would rather go on."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from verifier.probe import processes

TREE = (
    "import os, time\n"
    "if os.fork() == 0:\n    os.setsid()\n    os.fork()\n"
    "print(os.getpid(), flush=True)\ntime.sleep(600)"
)
MARK = "VERIFIER_TEST_MARK=of-this-test"


@pytest.fixture
def tree() -> Iterator[subprocess.Popen[str]]:
    """A process with a child and a grandchild, which is in a session of its own."""
    name, _, value = MARK.partition("=")
    with subprocess.Popen(
        [sys.executable, "-c", TREE],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {name: value},
    ) as process:
        assert process.stdout is not None
        for _ in range(3):
            process.stdout.readline()
        yield process
        processes.end_marked(MARK)


def test_descendants(tree) -> None:
    below = processes.descendants(tree.pid)
    assert len(below) == 2
    assert processes.children(tree.pid) == below[:1]
    assert processes.children(below[0]) == below[1:]


def test_marked_processes_end(tree) -> None:
    assert len(processes.marked(MARK)) == 3
    assert processes.end_marked(MARK)
    assert processes.marked(MARK) == []
    assert tree.wait(10) == -9


def test_what_cannot_be_ended_is_told(monkeypatch) -> None:
    monkeypatch.setattr(processes, "marked", lambda _mark: [os.getpid()])
    monkeypatch.setattr(processes, "kill", lambda _find, _deadline: time.sleep(0.01))
    assert not processes.end_marked(MARK, seconds=0.0)


def test_memory(tree) -> None:
    own = os.getpid()
    assert processes.resident(own) >= processes.proportional(own) > 1 << 20
    assert processes.exceeds([own], 1 << 20)
    assert not processes.exceeds([own], 1 << 50)
    # What a fork shares with its parent counts once between them.
    pids = [tree.pid, *processes.descendants(tree.pid)]
    shared, counted = (sum(map(f, pids)) for f in (processes.resident, processes.proportional))
    assert counted < shared
    assert not processes.exceeds(pids, (counted + shared) // 2)


def test_a_process_that_is_gone(tree) -> None:
    processes.end_marked(MARK)
    tree.wait(10)
    assert processes.children(tree.pid) == []
    assert processes.resident(tree.pid) == 0
    assert processes.proportional(tree.pid) == 0
    assert processes.thread_count(tree.pid) == 0
    assert processes.thread_count() >= 1


def test_processes_of_a_user() -> None:
    assert os.getpid() in processes.of_user(os.getuid())
    assert os.getpid() not in processes.of_user(os.getuid() + 12345)
