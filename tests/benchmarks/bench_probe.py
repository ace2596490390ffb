"""What a case costs, against a bare fork and against a fresh interpreter.

    python tests/benchmarks/bench_probe.py [--rounds 100]

All kinds take turns in one run, so that other load on the machine meets them
alike; the ratios are what counts. Times are medians.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from verifier.model import Case, Claim, Code, Expression, Source
from verifier.probe import LocalExecutor

CHECKS = (
    "x.is_contiguous() and x.stride() == (4, 1)",
    "x.t().is_contiguous() == False",
    "x.t().shape == (4, 3)",
    "torch.equal(x, x.t().t())",
)


def case(probe: str, checks: Sequence[str] = (), setup: str = "") -> Case:
    claim = Claim(
        id="bench",
        statement="A statement.",
        kind="behaviour",
        source=Source(id="bench"),
        file="bench.yaml",
        line=1,
        setup=Code(text=setup, line=2) if setup else None,
        probe=Code(text=probe, line=5),
        expect=tuple(Expression(code=Code(text=text, line=10)) for text in checks),
    )
    return Case(claim=claim, id="cpu", params={})


def submit(executor: LocalExecutor, what: Case) -> Callable[[], float]:
    def run() -> float:
        begun = time.perf_counter()
        observed = executor.submit(what)
        seconds = time.perf_counter() - begun
        assert observed.outcome == "done", observed
        return seconds

    return run


def fresh_interpreter() -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import torch"], check=True)
    return time.perf_counter() - begun


def measure(kinds: dict[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """Median seconds of each kind; one round runs each once."""
    for run in kinds.values():
        run()  # starts servers, fills caches
    samples: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(rounds):
        for name, run in kinds.items():
            samples[name].append(run())
    return {name: statistics.median(values) for name, values in samples.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=100)
    rounds = parser.parse_args().rounds
    real = case("x = torch.randn(3, 4)", CHECKS, setup="import torch")
    with LocalExecutor() as executor, LocalExecutor(huge_pages=False) as small_pages:
        kinds = {
            "bare fork": executor.bare_fork,
            "bare fork, no huge pages": small_pages.bare_fork,
            "empty probe": submit(executor, case("")),
            "randn and four expressions": submit(executor, real),
        }
        seconds = measure(kinds, rounds)
    seconds |= measure({"fresh interpreter": fresh_interpreter}, max(3, rounds // 30))
    for name, value in seconds.items():
        print(f"{name:28} {value * 1e3:9.2f} ms")
    empty, real_case = seconds["empty probe"], seconds["randn and four expressions"]
    ratios = (
        ("empty probe / bare fork", empty / seconds["bare fork"], "at most 2"),
        ("fresh interpreter / empty probe", seconds["fresh interpreter"] / empty, "at least 60"),
        (
            "expressions / bare fork, no huge pages",
            real_case / seconds["bare fork, no huge pages"],
            "at most 2",
        ),
        ("expressions / bare fork", real_case / seconds["bare fork"], ""),
    )
    for name, ratio, target in ratios:
        print(f"{name:40} {ratio:7.2f}  {target}")


if __name__ == "__main__":
    main()
