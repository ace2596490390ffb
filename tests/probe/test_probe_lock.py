"""The lock between executors: who may hold it together, who waits, whom it trusts."""

import contextlib
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from verifier.probe.lock import CaseLock, LockFolderError, default_folder


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "lock"


@pytest.fixture
def new_lock(folder):
    with contextlib.ExitStack() as stack:

        def new() -> CaseLock:
            lock = CaseLock(folder)
            stack.callback(lock.close)
            return lock

        yield new


class Holder(threading.Thread):
    """Takes a lock in a thread, says so, and holds it until told."""

    def __init__(self, context) -> None:
        super().__init__(daemon=True)
        self.context = context
        self.has_it = threading.Event()
        self.may_go = threading.Event()
        self.start()

    def run(self) -> None:
        with self.context:
            self.has_it.set()
            self.may_go.wait(10)

    def release(self) -> None:
        self.may_go.set()
        self.join()


def test_many_may_share(new_lock) -> None:
    with new_lock().shared(), new_lock().shared() as waited:
        assert waited >= 0


@pytest.mark.parametrize(
    ("first", "second"),
    [("shared", "exclusive"), ("exclusive", "shared"), ("exclusive", "exclusive")],
)
def test_one_who_wants_to_be_alone_is(new_lock, first: str, second: str) -> None:
    with getattr(new_lock(), first)():
        waiting = Holder(getattr(new_lock(), second)())
        assert not waiting.has_it.wait(0.05)
    assert waiting.has_it.wait(10)
    waiting.release()


def test_one_who_wants_to_be_alone_does_not_starve(new_lock) -> None:
    with new_lock().shared():
        alone = Holder(new_lock().exclusive())
        assert not alone.has_it.wait(0.05)
        late = Holder(new_lock().shared())
        assert not late.has_it.wait(0.05)  # although the lock is only shared
    assert alone.has_it.wait(10)
    assert not late.has_it.is_set()
    alone.release()
    assert late.has_it.wait(10)
    late.release()


def test_waiting_time_is_told(new_lock) -> None:
    holder = Holder(new_lock().exclusive())
    assert holder.has_it.wait(10)
    threading.Timer(0.05, holder.release).start()
    with new_lock().shared() as waited:
        assert waited > 0.01


def test_a_dead_holder_holds_nothing(folder, new_lock) -> None:
    code = (
        "import os, sys; from pathlib import Path; from verifier.probe.lock import CaseLock\n"
        "with CaseLock(Path(sys.argv[1])).exclusive(): os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(folder)], check=False, timeout=60)
    with new_lock().exclusive():
        pass


def test_an_exception_releases(new_lock) -> None:
    with contextlib.suppress(KeyError), new_lock().exclusive():
        raise KeyError
    with new_lock().exclusive():
        pass


def test_folder_is_private(folder, new_lock) -> None:
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    new_lock()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_symbolic_link_is_refused(folder, tmp_path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder.symlink_to(elsewhere)
    with pytest.raises(LockFolderError, match="remove it, or set TMPDIR"):
        CaseLock(folder)
    assert list(elsewhere.iterdir()) == []


def test_link_in_place_of_a_file_is_refused(folder, tmp_path) -> None:
    folder.mkdir(mode=0o700)
    (folder / "cases").symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match="cases"):
        CaseLock(folder)
    assert not (tmp_path / "target").exists()


def test_folder_of_another_user_is_refused(folder, monkeypatch) -> None:
    folder.mkdir()
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    with pytest.raises(LockFolderError):
        CaseLock(folder)


def test_default_folder_is_one_per_user() -> None:
    assert default_folder().name == f"verifier-{os.getuid()}"


@pytest.mark.parametrize("kind", ["shared", "exclusive"])
def test_closing_a_lock_that_is_held_is_an_error_of_the_system(tmp_path: Path, kind: str) -> None:
    """Closed from another thread: its holder is told as of any file that is gone."""
    lock = CaseLock(tmp_path)
    with pytest.raises(OSError, match="closed"), getattr(lock, kind)():
        lock.close()
    with pytest.raises(OSError, match="closed"), getattr(lock, kind)():
        raise AssertionError
