"""Time two pieces of code against each other, in the child. No judgement.

The unit is an epoch: fresh inputs at fresh addresses, both sides warmed, then
quads of blocks in the order ABBA or BAAB by the flip of a coin. A block is about
100 microseconds of calls, short enough to fit between two preemptions, and comes
after an untimed call of the same side, so that no block pays for the caches that
the other side left behind. An epoch's value is the median over its quads of
log(time of first / time of second), so that one disturbed quad does not count.

Structure goes before the clock: sides that are the same code on the same memory
are not timed at all.

On CUDA a block is timed on the wall clock between two synchronisations. It thus
includes what launching costs, which for kernels of some microseconds is most of
it; timing by CUDA events is not done here.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import itertools
import math
import os
import random
import statistics
import symtable
import sys
import time
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from verifier.probe.sameness import identity, same_values

Namespace = dict[str, Any]
Loop = Callable[[Iterator[None]], None]

_MICROSECOND = 1000  # all times below are nanoseconds
_BLOCK = 100 * _MICROSECOND
_EPOCH = 6000 * _MICROSECOND
#: A call that waits uses no CPU; its epochs end by the wall clock.
_LONGEST_EPOCH = 5 * _EPOCH
#: A new child is slow at first: it copies pages as it touches them.
_FIRST_WARM_UP = 3000 * _MICROSECOND
_WARM_UP = 500 * _MICROSECOND
#: Code that got less of its best block's time from the CPU waits or uses other threads.
_LEAST_CPU_SHARE = 0.9
_LARGEST_PADDING = 1 << 16
_MOST_PADDINGS = 8


def measure(
    first: CodeType,
    second: CodeType,
    *,
    first_setup: CodeType | None,
    second_setup: CodeType | None,
    first_text: str,
    second_text: str,
    rebuild: Callable[[], Namespace],
    namespace: Namespace,
    threads: int | str,
    seconds: float,
    epochs: int,
    rng: random.Random,
    device: str,
) -> dict[str, Any]:
    """Compare two pieces of code; a `verifier.model.Timing` as data.

    `rebuild` runs the probe anew and returns its names, as `namespace` holds them
    now. Each side and its set-up work on a copy of these names, so that the two
    set-ups may bind the same name. At most `epochs` are timed, and none begins
    after `seconds`; the first always ends. Where the CPU clock does not see all of
    the work (CUDA, waiting, other threads) `cpu` stays empty.

    The default device is `device` unless that is the CPU: so it is while names
    are bound, and unset while anything is timed, as it makes every call slower.
    What the code raises comes out of this function.
    """
    sides = (_Side(first, first_text, first_setup), _Side(second, second_text, second_setup))
    with _threads(threads) as count, _without_default_device(device), _without_collector():
        names = [side.prepare(dict(namespace), device) for side in sides]
        trees = [side.tree for side in sides]
        result: dict[str, Any] = {"threads": count, "identical": identity(trees, names)}
        if result["identical"]:
            return result
        values = [side.value(each) for side, each in zip(sides, names, strict=True)]
        both = all(side.expression for side in sides)
        result["same_values"] = same_values(*values) if both else None
        del values, names
        watch = _Stopwatch(rng, device)
        paddings: list[object] = []
        deadline = time.perf_counter() + seconds
        while len(watch.wall) < epochs and (not watch.wall or time.perf_counter() < deadline):
            paddings += _padding(rng, device)
            watch.epoch(_fresh_loops(sides, rebuild, rng, device))
        return result | watch.result()


class _Side:
    """One of the two pieces of code."""

    def __init__(self, code: CodeType, text: str, setup: CodeType | None) -> None:
        self.code = code
        self.setup = setup
        self.tree = ast.parse(text.strip())
        self.assigned = sorted(
            symbol.get_name()
            for symbol in symtable.symtable(text.strip(), code.co_filename, "exec").get_symbols()
            if symbol.is_assigned() or symbol.is_imported()
        )
        first_line = min((line for *_, line in code.co_lines() if line), default=1)
        if self.tree.body:
            ast.increment_lineno(self.tree, first_line - self.tree.body[0].lineno)

    @functools.cached_property
    def expression(self) -> CodeType | None:
        """The code as one expression, if it is one."""
        match self.tree.body:
            case [ast.Expr(value=value)]:
                return compile(ast.Expression(value), self.code.co_filename, "eval")
        return None

    def prepare(self, namespace: Namespace, device: str) -> Namespace:
        """Run the set-up of this side in a namespace of its own."""
        if self.setup is not None:
            with _allocating_on(device):
                exec(self.setup, namespace)  # noqa: S102 - the purpose
        return namespace

    def value(self, namespace: Namespace) -> object:
        """Run the code once; its value if it is an expression."""
        return eval(self.expression or self.code, namespace)  # noqa: S307 - the purpose

    def loop(self, namespace: Namespace) -> Loop:
        """A function that runs the code once for each item of its argument.

        As `timeit` does it, but what the code assigns stays global.
        """
        function = ast.parse("def loop(times):\n    for _ in times: ...").body[0]
        assert isinstance(function, ast.FunctionDef)
        repeat = function.body[0]
        assert isinstance(repeat, ast.For)
        # No identifiers, so that no code can use or hide them.
        function.name = "@loop"
        function.args.args[0].arg = "@times"
        repeat.iter = ast.Name("@times", ast.Load())
        repeat.target = ast.Name("@each", ast.Store())
        repeat.body = self.tree.body or [ast.Pass()]
        if self.assigned:
            function.body.insert(0, ast.Global(self.assigned))
        tree = ast.fix_missing_locations(ast.Module([function], []))
        exec(compile(tree, self.code.co_filename, "exec"), namespace)  # noqa: S102 - the purpose
        loop: Loop = namespace.pop("@loop")
        return loop


class _Stopwatch:
    """Times epochs of two loops and keeps their medians."""

    def __init__(self, rng: random.Random, device: str) -> None:
        self.cpu: list[float] = []
        self.wall: list[float] = []
        self.quads = 0
        self._rng = rng
        self._on_cpu = device == "cpu"
        self._synchronize = _synchronizer(device)
        self._calls: tuple[int, int] | None = None
        #: Per side: (CPU, wall) time of one call, for every block.
        self._blocks: tuple[list[tuple[float, float]], ...] = ([], [])

    def epoch(self, loops: tuple[Loop, Loop]) -> None:
        """Warm up, then time quads until the epoch is full; at least one."""
        for side in self._rng.sample((0, 1), 2):
            self._warm_up(loops[side], _WARM_UP if self._calls else _FIRST_WARM_UP)
        if self._calls is None:
            self._calls = (self._calls_per_block(loops[0]), self._calls_per_block(loops[1]))
        ratios: list[tuple[float, float]] = []
        begun = time.thread_time_ns(), time.perf_counter_ns()
        while not ratios or (
            time.thread_time_ns() - begun[0] < _EPOCH
            and time.perf_counter_ns() - begun[1] < _LONGEST_EPOCH
        ):
            ratios.append(self._quad(loops, self._calls))
        self.quads += len(ratios)
        self.cpu.append(statistics.median(cpu for cpu, _ in ratios))
        self.wall.append(statistics.median(wall for _, wall in ratios))

    def result(self) -> dict[str, Any]:
        """The epochs, and the seconds of one call by the clock that sees the work."""
        sees_all = self._on_cpu and all(map(_is_cpu_bound, self._blocks))
        clock = 0 if sees_all else 1
        seconds = [statistics.median(block[clock] for block in side) / 1e9 for side in self._blocks]
        return {
            "cpu": self.cpu if sees_all else [],
            "wall": self.wall,
            "quads": self.quads,
            "first_seconds": seconds[0],
            "second_seconds": seconds[1],
        }

    def _quad(self, loops: tuple[Loop, Loop], calls: tuple[int, int]) -> tuple[float, float]:
        """Log ratios of CPU and wall time, from two blocks of each side."""
        cpu = wall = 0.0
        for side in (0, 1, 1, 0) if self._rng.random() < 0.5 else (1, 0, 0, 1):
            block = self._block(loops[side], calls[side])
            self._blocks[side].append(block)
            sign = 0.5 if side == 0 else -0.5
            cpu += sign * math.log(block[0])
            wall += sign * math.log(block[1])
        return cpu, wall

    def _block(self, loop: Loop, calls: int) -> tuple[float, float]:
        """CPU and wall time of one call, in a block of them after one that is not timed."""
        prime, times = itertools.repeat(None, 1), itertools.repeat(None, calls)
        loop(prime)
        self._synchronize()
        wall, cpu = time.perf_counter_ns(), time.thread_time_ns()
        loop(times)
        self._synchronize()
        cpu, wall = time.thread_time_ns() - cpu, time.perf_counter_ns() - wall
        return max(cpu, 1) / calls, max(wall, 1) / calls

    def _warm_up(self, loop: Loop, duration: int) -> None:
        end = time.perf_counter_ns() + duration
        while True:
            loop(itertools.repeat(None, 1))
            self._synchronize()
            if time.perf_counter_ns() >= end:
                return

    def _calls_per_block(self, loop: Loop) -> int:
        calls = 1
        while True:
            wall = calls * min(self._block(loop, calls)[1] for _ in range(3))
            if wall >= _BLOCK / 2:
                return max(1, round(calls * _BLOCK / wall))
            calls *= 2


def _is_cpu_bound(blocks: list[tuple[float, float]]) -> bool:
    # A preempted block says nothing; the best one was hardly disturbed.
    return max(cpu / wall for cpu, wall in blocks) >= _LEAST_CPU_SHARE


def _fresh_loops(
    sides: tuple[_Side, _Side], rebuild: Callable[[], Namespace], rng: random.Random, device: str
) -> tuple[Loop, Loop]:
    """Both loops on new inputs, the two set-ups in random order."""
    with _allocating_on(device):
        namespace = rebuild()
    loops: dict[int, Loop] = {}
    for index in rng.sample((0, 1), 2):
        loops[index] = sides[index].loop(sides[index].prepare(dict(namespace), device))
    return loops[0], loops[1]


def _padding(rng: random.Random, device: str) -> list[object]:
    """Memory of random size, so that what is allocated next lies elsewhere."""
    torch = sys.modules.get("torch")
    sizes = [rng.randint(1, _LARGEST_PADDING) for _ in range(rng.randint(1, _MOST_PADDINGS))]
    if torch is None:
        return [bytearray(size) for size in sizes]
    return [torch.empty(size, dtype=torch.uint8, device=device) for size in sizes]


@contextlib.contextmanager
def _threads(threads: int | str) -> Iterator[int]:
    """Let PyTorch use this many threads; ``default`` is one for each core it may use."""
    count = len(os.sched_getaffinity(0)) if threads == "default" else int(threads)
    torch = sys.modules.get("torch")
    if torch is None:
        yield count
        return
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield count
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def _without_default_device(device: str) -> Iterator[None]:
    torch = sys.modules.get("torch")
    if device == "cpu" or torch is None:
        yield
        return
    torch.set_default_device(None)
    try:
        yield
    finally:
        torch.set_default_device(device)


def _allocating_on(device: str) -> contextlib.AbstractContextManager[Any]:
    torch = sys.modules.get("torch")
    if device == "cpu" or torch is None:
        return contextlib.nullcontext()
    manager: contextlib.AbstractContextManager[Any] = torch.device(device)
    return manager


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """No garbage collection, which would strike one side at random."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _synchronizer(device: str) -> Callable[[], None]:
    torch = sys.modules.get("torch")
    if torch is None or not device.startswith("cuda"):
        return lambda: None
    return functools.partial(torch.cuda.synchronize, device)
