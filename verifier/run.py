"""The pipeline: claims -> cases -> observations -> verdicts -> results."""

from __future__ import annotations

import collections
import dataclasses
import importlib.metadata
import queue
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from verifier import claimfile, judge
from verifier.model import (
    Case,
    CaseResult,
    Claim,
    ClaimResult,
    Environment,
    Observation,
    Problem,
    Source,
    Verdict,
)
from verifier.probe import Executor
from verifier.report import events

#: Children that a timed case may take until its verdict is "inconclusive". At
#: about half a second each this is the patience of somebody who waits for a report.
MAX_TIMING_CHILDREN = 8


@dataclasses.dataclass(frozen=True)
class Checked:
    """A case with its result and the environment that it ran in, if it ran."""

    case: Case
    result: CaseResult
    environment: Environment | None

    def events(self) -> tuple[events.AnyEvent, ...]:
        """What the results have to know of it."""
        claim = self.case.claim
        ids = [case.id for case in claimfile.cases(claim)]
        environment = (
            (events.EnvironmentEvent(environment=self.environment),) if self.environment else ()
        )
        return (
            *claim_events(claim, planned=len(ids)),
            *environment,
            events.CaseEvent(
                claim=claim.id,
                source=claim.source.id,
                index=ids.index(self.case.id),
                case=self.result,
            ),
        )


def check_case(case: Case, executor: Executor) -> Checked:
    """Run a case, judge what happened, and compare the verdict with the ledger."""
    observations = [_observe(case, executor, seed) for seed in range(case.claim.seeds)]
    judgement = judge.judge(case, observations)
    recorded = ledger_of(case)
    # With several seeds the first that did not simply complete is the one to show.
    shown = next((each for each in observations if each.outcome != "done"), observations[0])
    environment = executor.environment(case.device)
    result = CaseResult(
        id=case.id,
        params=case.params,
        environment=environment.id if environment else "",
        verdict=judgement.verdict,
        reason=judgement.reason,
        detail=judgement.detail,
        ledger=recorded,
        agrees=judge.agrees(recorded, judgement.verdict, judgement.reason),
        expected=judgement.expected,
        observed=judgement.observed,
        remarks=judgement.remarks,
        evidence=judgement.evidence,
        exception=shown.exception,
        stdout=shown.stdout,
        stderr=shown.stderr,
        warnings=shown.warnings,
        durations=shown.durations,
        samples=judgement.samples,
        interval=judgement.interval,
        attempts=shown.attempts,
        reproduce=_reproduce(case),
    )
    return Checked(case, result, environment)


def _reproduce(case: Case) -> str:
    """A line that runs this case alone. pytest cannot be given every name of a file."""
    file, name = case.claim.file, f"{case.claim.id}[{case.id}]"
    if file.startswith("-"):
        file = f"./{file}"
    if "::" in file or "[" in file:
        return f"verifier check {shlex.quote(file)} --select {shlex.quote(name)}"
    return "pytest " + shlex.quote(f"{file}::{name}")


def check_cases(
    cases: Sequence[Case], new_executor: Callable[[], Executor], jobs: int = 1
) -> Iterator[Checked]:
    """Check cases, `jobs` at a time, each with an executor of its own; results in order.

    On an exception (Ctrl-C among them) what has not begun is given up and every
    executor is closed, which ends its processes.
    """
    executors = [new_executor() for _ in range(min(jobs, len(cases)) or 1)]
    free: queue.SimpleQueue[Executor] = queue.SimpleQueue()
    for executor in executors:
        free.put(executor)

    def check(case: Case) -> Checked:
        executor = free.get()
        try:
            return check_case(case, executor)
        finally:
            free.put(executor)

    pool = ThreadPoolExecutor(len(executors), thread_name_prefix="case")
    waiting: collections.deque[Future[Checked]] = collections.deque()
    try:
        waiting.extend(pool.submit(check, case) for case in cases)
        while waiting:
            try:
                checked = waiting[0].result()
            except KeyboardInterrupt:
                # What was done out of turn is done.
                yield from [each.result() for each in waiting if each.done()]
                raise
            waiting.popleft()
            yield checked
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for executor in executors:
            executor.close()


def claim_events(claim: Claim, planned: int = 0) -> tuple[events.AnyEvent, ...]:
    """A claim and its source as events, before its cases."""
    return (
        events.SourceEvent(source=claim.source),
        events.ClaimEvent(claim=claim_result(claim, planned)),
    )


def claim_result(claim: Claim, planned: int) -> ClaimResult:
    """A claim as the results show it, before any of its `planned` cases has run."""
    unverifiable = claim.probe is None
    return ClaimResult(
        id=claim.id,
        source=claim.source.id,
        file=claim.file,
        line=claim.line,
        statement=claim.statement,
        kind=claim.kind,
        severity=claim.severity,
        verdict=Verdict.UNVERIFIABLE if unverifiable else Verdict.NOT_CHECKED,
        quantifier=claim.quantifier,
        at=claim.at,
        title=claim.title,
        reason=claim.reason if unverifiable else "",
        ledger=claim.ledger.verdict,
        explanation=claim.explanation,
        correction=claim.correction,
        references=claim.references,
        tags=claim.tags,
        probe=claim.probe.text if claim.probe else "",
        probe_line=claim.probe.line if claim.probe else 0,
        setup=claim.setup.text if claim.setup else "",
        planned=planned,
    )


def by_claim(problems: Sequence[Problem]) -> dict[str, list[Problem]]:
    """Problems by the claim that they are in; those of the file as a whole under ""."""
    groups: dict[str, list[Problem]] = {}
    for problem in problems:
        groups.setdefault(problem.claim, []).append(problem)
    return groups


def problem_events(
    problems: Sequence[Problem], source: Source | None
) -> tuple[events.AnyEvent, ...]:
    """Problems of one claim, or of a file as a whole, and the file's source if it has one."""
    return (
        *((events.SourceEvent(source=source),) if source else ()),
        events.ClaimEvent(claim=invalid_claim(problems)),
    )


def invalid_claim(problems: Sequence[Problem]) -> ClaimResult:
    """What cannot be read takes part in the results as a claim in error."""
    first = problems[0]
    return ClaimResult(
        id=first.claim or "invalid-file",
        source=first.file,
        file=first.file,
        line=first.line,
        statement="\n".join(map(str, problems)),
        kind="existence",
        severity="major",
        verdict=Verdict.ERROR,
        reason="invalid-claim",
        agrees=False,
    )


def ledger_of(case: Case) -> Verdict | None:
    """The recorded verdict of a case, on the versions that are installed."""
    return claimfile.recorded(case.claim, case.params, INSTALLED)


class _Installed(Mapping[str, str]):
    """Versions of installed distributions, read from their metadata: nothing is imported."""

    def __init__(self) -> None:
        self._versions: dict[str, str | None] = {}

    def __getitem__(self, name: str) -> str:
        if name not in self._versions:
            try:
                self._versions[name] = importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                self._versions[name] = None
        version = self._versions[name]
        if version is None:
            raise KeyError(name)
        return version

    def __iter__(self) -> Iterator[str]:
        return (name for name, version in self._versions.items() if version is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


INSTALLED = _Installed()


def _observe(case: Case, executor: Executor, seed: int) -> Observation:
    """One observation; that of a timed case grows until it decides or patience ends."""
    observation = executor.submit(case, seed=seed)
    if case.claim.is_timed:
        for child in range(1, MAX_TIMING_CHILDREN):
            if judge.is_decided(case, observation):
                break
            # Each child draws its own order of blocks and padding.
            more = executor.submit(case, seed=seed + child)
            observation = judge.merge(observation, more)
    return observation
