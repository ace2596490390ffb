"""What a child measures of two pieces of code. No assertion depends on exact times."""

import gc
import os
import random
import statistics
import traceback

import msgspec
import pytest

from verifier.model import Timing
from verifier.probe.timing import _Stopwatch, measure

FILE = "claims/timed.yaml"


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


def compiled(text, line=1):
    return text and compile("\n" * (line - 1) + text, FILE, "exec")


def timed(first, second, *, probe="", setups=("", ""), line=1, given=None, rebuilt=None, **options):
    """Measure two pieces of code as the child does it."""

    def rebuild():
        names = dict(given or {})
        exec(probe, names)
        if rebuilt is not None:
            rebuilt.append(names)
        return names

    arguments = {"threads": 1, "seconds": 60.0, "epochs": 2, "device": "cpu"} | options
    data = measure(
        compiled(first, line),
        compiled(second, line),
        first_setup=compiled(setups[0]),
        second_setup=compiled(setups[1]),
        first_text=first,
        second_text=second,
        rebuild=rebuild,
        namespace=rebuild(),
        rng=random.Random(7),
        **arguments,
    )
    return msgspec.convert(data, Timing)


def test_more_work_takes_more_time():
    timing = timed("sum(range(5000))", "sum(range(100))", epochs=6)
    assert statistics.median(timing.wall) > 0
    assert statistics.median(timing.cpu) > 0
    assert timing.first_seconds > timing.second_seconds > 0
    assert timing.quads >= 6
    assert statistics.median(timed("sum(range(100))", "sum(range(5000))").wall) < 0


def test_the_same_code_is_not_timed():
    timing = timed("sum(items)  # once", "sum( items )", probe="items = [1, 2]")
    assert timing == Timing(identical="both sides are the same code")


def test_the_same_code_on_other_objects_is_timed():
    timing = timed(
        "sum(y)", "sum(y)", probe="x = [1, 2]", setups=("y = x", "y = list(x)"), epochs=1
    )
    assert timing.identical == ""
    assert len(timing.wall) == 1
    assert timing.same_values is True


@pytest.mark.parametrize(("seconds", "epochs", "count"), [(60.0, 3, 3), (0.0, 3, 1)])
def test_epochs_end_with_their_number_or_their_time(seconds, epochs, count):
    rebuilt = []
    timing = timed("1 + 1", "2 + 2", seconds=seconds, epochs=epochs, rebuilt=rebuilt)
    assert len(timing.wall) == count
    assert len(rebuilt) == count + 1  # each epoch has inputs of its own


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [("1 + 1", "4 - 2", True), ("1 + 1", "4 - 3", False), ("x = 1", "2", None), ("[]", "{}", None)],
)
def test_values_of_expressions_are_compared(first, second, same):
    assert timed(first, second, epochs=1).same_values is same


def test_set_ups_may_bind_the_same_name_and_run_in_random_order():
    order = []
    sides = ("y = 1; order.append('first')", "y = 2; order.append('second')")
    timed("assert y == 1", "assert y == 2", setups=sides, given={"order": order}, epochs=20)
    pairs = set(zip(order[::2], order[1::2], strict=True))
    assert pairs == {("first", "second"), ("second", "first")}


def test_what_the_code_assigns_stays_global():
    seen = []
    first = "n = n + 1; import os; seen.append(n)"
    second = "def f(): return n\nm = [n for n in range(f())]"
    timed(first, second, probe="n = 0", given={"seen": seen}, epochs=1)
    assert len(seen) > 3
    assert seen[-1] > seen[-2] > seen[-3]


def test_what_the_code_raises_comes_out_with_its_place():
    with pytest.raises(ZeroDivisionError) as caught:
        timed("x = 1\n1 / 0", "2", line=7)
    assert frame(caught)[:2] == (FILE, 8)
    assert gc.isenabled()


def test_an_exception_of_a_later_call_has_its_place_too():
    with pytest.raises(IndexError) as caught:
        timed("# one by one\nitems.pop()", "2", probe="items = [1, 2, 3]", line=7)
    assert frame(caught)[:2] == (FILE, 8)


def frame(caught):
    last = traceback.extract_tb(caught.tb)[-1]
    return last.filename, last.lineno, last.name


def test_the_cpu_clock_is_not_believed_of_code_that_waits():
    timing = timed("sleep(0.003)", "sleep(0.0001)", probe="from time import sleep", epochs=1)
    assert timing.cpu == ()
    assert len(timing.wall) == 1
    assert timing.wall[0] > 0


def test_the_number_of_threads_is_told():
    assert timed("1 + 1", "2 + 2", epochs=1, threads=3).threads == 3
    default = timed("1 + 1", "2 + 2", epochs=1, threads="default").threads
    assert default == len(os.sched_getaffinity(0))


def test_quads_are_in_either_order_and_every_block_is_primed():
    calls = []

    def loop(side):
        def run(times):
            count = sum(1 for _ in times)
            calls.append((side, count))

        return run

    watch = _Stopwatch(random.Random(3), "cpu")
    loops = loop("A"), loop("B")
    watch.epoch(loops)
    calls.clear()
    for _ in range(20):
        watch._quad(loops, (5, 6))
    quads = ["".join(side for side, _ in calls[start : start + 8]) for start in range(0, 160, 8)]
    assert set(quads) == {"AABBBBAA", "BBAAAABB"}
    assert {count for _, count in calls[::2]} == {1}
    assert set(calls[1::2]) == {("A", 5), ("B", 6)}


def test_threads_of_torch_are_set_while_timing_and_put_back(torch):
    before = torch.get_num_threads()
    probe = "import torch; seen = []"
    rebuilt = []
    timed(
        "seen.append(torch.get_num_threads())", "None", probe=probe, rebuilt=rebuilt, epochs=1,
        threads=before + 1,
    )  # fmt: skip
    assert set(rebuilt[-1]["seen"]) == {before + 1}
    assert torch.get_num_threads() == before


def test_the_default_device_is_set_for_inputs_and_unset_for_the_clock(torch):
    # The meta device stands for any that is not the CPU.
    probe = "import torch; x = torch.empty(2); seen = set()"
    rebuilt = []
    torch.set_default_device("meta")
    try:
        timing = timed(
            "seen.add(('timed', str(torch.empty(2).device)))",
            "None",
            probe=probe,
            setups=("seen.add(('set up', str(torch.empty(2).device)))", ""),
            rebuilt=rebuilt,
            epochs=1,
            device="meta",
        )
        assert str(torch.empty(2).device) == "meta"
    finally:
        torch.set_default_device(None)
    assert str(rebuilt[-1]["x"].device) == "meta"
    assert rebuilt[-1]["seen"] == {("set up", "meta"), ("timed", "cpu")}
    assert timing.cpu == ()  # another device's work is not on this clock
