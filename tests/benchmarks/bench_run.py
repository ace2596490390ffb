"""What the entrances cost: collecting, starting, and a whole run beside bare execution.

    python tests/benchmarks/bench_run.py [--repeat N] [--json FILE]

Every figure is a ratio within this run, or CPU time above the bare interpreter;
the smallest of several runs counts, as other work only ever adds.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = ROOT / "claims"

CLAIM = """\
  - id: generated-claim-{number}
    statement: The sum of {number} ones is {number}.
    at: {number}
    kind: behaviour
    matrix: {{device: [cpu, cuda]}}
    probe: |
      x = torch.ones({number}, device=device)
      total = x.sum()
    expect:
      - total == {number}
    refuted_by:
      - total == {number} + 1
    control:
      - (x + 1).sum() != {number}
    verdict: verified
    explanation: Every element of torch.ones is one, so that the sum is their number.
    references: ["https://docs.pytorch.org/docs/stable/generated/torch.ones.html"]
"""
HEAD = """\
schema: 1
source: {{id: generated-{number}, title: Generated, language: en}}
setup: |
  import torch
claims:
"""

#: The same probes and checks in one process, without isolation, evidence or judgement.
BARE = """
import sys
import torch
from verifier import claimfile
from verifier.discover import claim_files
from verifier.model import Copies, Expression, Prints, Raises, Runs, SharesMemory, Warns
from pathlib import Path

ran = 0
for path in claim_files([Path(sys.argv[1])]):
    for claim in claimfile.read(path).claims:
        if claim.is_timed:
            continue
        for case in claimfile.cases(claim):
            if case.device != "cpu":
                continue
            ran += 1
            names = {"device": torch.device("cpu")}
            for axis, value in case.params.items():
                if axis != "device":
                    names[axis] = getattr(torch, value) if axis.endswith("dtype") else value
            if claim.setup:
                exec(claim.setup.text, names)
            exec(claim.probe.text, names)
            for check in claim.checks:
                try:
                    if isinstance(check, Expression | Copies):
                        eval(check.code.text.strip(), names)
                    elif isinstance(check, Runs | Raises | Prints | Warns):
                        exec(check.code.text, names)
                    elif isinstance(check, SharesMemory):
                        eval(check.first.text.strip(), names)
                        eval(check.second.text.strip(), names)
                except Exception:
                    pass
print(ran, file=sys.stderr)
"""


def main() -> None:
    """Measure, print, and write JSON where asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        figures |= starting(Path(folder), arguments.repeat)
        figures |= collecting(Path(folder))
        figures |= whole_run(Path(folder), arguments.repeat)
    figures["load average"] = os.getloadavg()[0]
    for name, value in figures.items():
        print(f"{name:58} {value:10.3f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2))


def starting(folder: Path, repeat: int) -> dict[str, float]:
    """CPU time of --help, and of the plug-in where there is no claim file."""
    (folder / "test_nothing.py").write_text("def test_nothing(): pass\n")
    pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
    least = interleaved(
        {
            "bare": lambda: cpu([sys.executable, "-c", "pass"]),
            "help": lambda: cpu([sys.executable, "-m", "verifier", "--help"]),
            "without": lambda: cpu([sys.executable, *pytest, "-p", "no:verifier"]),
            "with": lambda: cpu([sys.executable, *pytest]),
        },
        rounds=10 * repeat,
    )
    return {
        "verifier --help above the interpreter, ms of CPU": 1000 * (least["help"] - least["bare"]),
        "plug-in without claim files, ms of CPU": 1000 * (least["with"] - least["without"]),
    }


def collecting(folder: Path) -> dict[str, float]:
    """Seconds and memory to read and collect generated claims, and how they grow."""
    seconds, peak = {}, 0.0
    for count in (1000, 3000, 10_000):
        target = folder / f"claims-{count}"
        target.mkdir()
        for start in range(0, count, 500):
            claims = "".join(CLAIM.format(number=n) for n in range(start + 1, start + 501))
            (target / f"{start}.yaml").write_text(HEAD.format(number=start) + claims)
        began = time.perf_counter()
        pytest = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
        peak = peak_megabytes([*pytest, "--collect-only", "-q", str(target)])
        seconds[count] = time.perf_counter() - began
    start = seconds[1000] / 1000
    return {
        "collecting 10,000 claims, s": seconds[10_000],
        "collecting 10,000 claims, s per claim / that of 1,000": seconds[10_000] / 10_000 / start,
        "slope 3,000 to 10,000 / slope 1,000 to 3,000": (
            (seconds[10_000] - seconds[3000]) / 7000 / ((seconds[3000] - seconds[1000]) / 2000)
        ),
        "collecting 10,000 claims, peak MB": peak,
    }


def whole_run(folder: Path, repeat: int) -> dict[str, float]:
    """`pytest claims/` with -n 0 and -n 2 beside the same probes in one bare process."""
    options = ["-q", "-m", "cpu and not timing", "--verifier-reports", str(folder / "reports")]
    base = [sys.executable, "-m", "pytest", str(CLAIMS), *options]
    least = interleaved(
        {
            "bare": lambda: wall([sys.executable, "-c", BARE, str(CLAIMS)]),
            "serial": lambda: wall([*base, "-n", "0"]),
            "parallel": lambda: wall([*base, "-n", "2"]),
        },
        rounds=repeat,
    )
    return {
        "the probes in one bare process, s": least["bare"],
        "pytest claims/ -n 0 / bare": least["serial"] / least["bare"],
        "pytest claims/ -n 2 / bare": least["parallel"] / least["bare"],
    }


def interleaved(measures: dict[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """The smallest of each measure, taken in turns so that all see the same machine."""
    seen: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            seen[name].append(measure())
    return {name: min(values) for name, values in seen.items()}


def wall(command: Sequence[str]) -> float:
    """Seconds that a command takes."""
    began = time.perf_counter()
    run(command)
    return time.perf_counter() - began


def cpu(command: Sequence[str]) -> float:
    """Seconds of CPU that a command and its children take."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def peak_megabytes(command: Sequence[str]) -> float:
    """The largest resident size of a command's own process."""
    code = (
        "import resource, subprocess, sys;"
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss);"
        "sys.exit(done.returncode)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command], capture_output=True, text=True, check=True
    )
    return int(done.stdout) / 1024


def run(command: Sequence[str]) -> None:
    """Run a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")


if __name__ == "__main__":
    main()
