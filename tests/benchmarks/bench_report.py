"""How large the report of 1,000 claims is and how long it takes, beside its own JSON.

Run as ``python tests/benchmarks/bench_report.py [claims]``.
"""

from __future__ import annotations

import runpy
import sys
import time
from pathlib import Path

import msgspec

from verifier.model import ClaimResult, Results
from verifier.report.html import render
from verifier.report.results import summarise, to_json

SAMPLE = Path(__file__).parents[1] / "samples" / "report" / "tensors_tutorial.py"
CASES = 4


def many(number: int) -> Results:
    """The sample's claims again and again, each with four cases and a probe of its own."""
    sample: Results = runpy.run_path(str(SAMPLE))["results"]()
    claims = [_numbered(sample.claims[i % len(sample.claims)], i) for i in range(number)]
    return msgspec.structs.replace(sample, claims=tuple(claims), summary=summarise(claims))


def _numbered(claim: ClaimResult, number: int) -> ClaimResult:
    replace = msgspec.structs.replace
    cases = claim.cases[:1] * CASES
    return replace(
        claim,
        id=f"{claim.id}-{number}",
        statement=f"{number}: {claim.statement}",
        probe=f"n = {number}\n{claim.probe}",
        cases=tuple(replace(case, id=f"{case.id}-{i}") for i, case in enumerate(cases)),
    )


def main() -> None:
    """Prints sizes and times."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    results = many(number)
    started = time.perf_counter()
    data = to_json(results)
    json_seconds = time.perf_counter() - started
    started = time.perf_counter()
    page = render(results).encode()
    html_seconds = time.perf_counter() - started
    print(f"{number} claims, {CASES} cases each")
    print(f"results.json  {len(data) / 1e6:6.2f} MB  {json_seconds:6.2f} s")
    print(f"index.html    {len(page) / 1e6:6.2f} MB  {html_seconds:6.2f} s")
    print(f"html / json   {html_seconds / json_seconds:6.1f} times as long")


if __name__ == "__main__":
    main()
