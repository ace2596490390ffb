"""The pipeline, with an executor that gives prepared observations."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable

import pytest

from verifier import run
from verifier.claimfile import cases
from verifier.model import (
    Case,
    Claim,
    Code,
    Environment,
    Expression,
    Faster,
    Ledger,
    LedgerException,
    Observation,
    Observed,
    Problem,
    Source,
    Timing,
    Verdict,
)

TRUE, FALSE = Observed(truth=True, value="True"), Observed(truth=False, value="False")


class PreparedExecutor:
    """Answers each case as told and notes what it was asked."""

    def __init__(self, answer: Callable[[Case, int], Observation]) -> None:
        self.answer = answer
        self.asked: list[tuple[str, int]] = []
        self.closed = False

    def submit(self, case: Case, *, seed: int = 0) -> Observation:
        self.asked.append((case.id, seed))
        return self.answer(case, seed)

    def environment(self, device: str) -> Environment | None:
        return Environment(id="here") if device == "cpu" else None

    def close(self) -> None:
        self.closed = True


def expression(text: str) -> Expression:
    return Expression(code=Code(text=text, line=5))


def claim(**changes: object) -> Claim:
    fields = {
        "id": "x-is-one",
        "statement": "x is one.",
        "kind": "behaviour",
        "source": Source(id="doc"),
        "file": "claims/doc.yaml",
        "line": 3,
        "probe": Code(text="x = 1", line=4),
        "control": (expression("x != 2"),),
        "expect": (expression("x == 1"),),
    }
    return Claim(**(fields | changes))  # type: ignore[arg-type]


def only_case(claim: Claim) -> Case:
    (case,) = cases(claim)
    return case


def test_a_case_is_run_judged_and_compared_with_the_ledger():
    executor = PreparedExecutor(lambda case, seed: Observation(checks=(TRUE, TRUE)))
    checked = run.check_case(only_case(claim(ledger=Ledger(verdict=Verdict.REFUTED))), executor)
    assert checked.result.verdict is Verdict.VERIFIED
    assert checked.result.ledger is Verdict.REFUTED
    assert not checked.result.agrees
    assert checked.result.environment == "here"
    assert checked.result.reproduce == "pytest 'claims/doc.yaml::x-is-one[cpu]'"


def test_the_ledger_of_a_case_may_depend_on_an_installed_version():
    ledger = Ledger(
        verdict=Verdict.VERIFIED,
        when=(
            LedgerException(conditions={"pytest": "<1"}, verdict=Verdict.ERROR),
            LedgerException(conditions={"msgspec": ">=0.1"}, verdict=Verdict.REFUTED),
            LedgerException(conditions={"no-such-package": ">=0"}, verdict=Verdict.ERROR),
        ),
    )
    assert run.ledger_of(only_case(claim(ledger=ledger))) is Verdict.REFUTED


def test_every_seed_is_tried():
    executor = PreparedExecutor(
        lambda case, seed: Observation(checks=(TRUE, FALSE if seed == 2 else TRUE))
    )
    checked = run.check_case(only_case(claim(seeds=3)), executor)
    assert [seed for _, seed in executor.asked] == [0, 1, 2]
    assert checked.result.verdict is Verdict.INCONCLUSIVE
    assert "2 of 3" in checked.result.detail


FASTER = Faster(first=Code(text="f()", line=5), second=Code(text="g()", line=6))


def timing(*epochs: float) -> Observation:
    return Observation(checks=(TRUE, Observed(timing=Timing(cpu=epochs, wall=epochs))))


def test_a_timed_case_goes_on_until_it_is_decided():
    executor = PreparedExecutor(lambda case, seed: timing(0.5, 0.5, 0.5))
    checked = run.check_case(only_case(claim(expect=(FASTER,))), executor)
    assert checked.result.verdict is Verdict.VERIFIED
    assert 1 < len(executor.asked) < run.MAX_TIMING_CHILDREN
    assert len(checked.result.samples) == 3 * len(executor.asked)
    # Each child draws an order of its own.
    assert len(set(executor.asked)) == len(executor.asked)


def test_a_timed_case_that_never_decides_ends_all_the_same():
    executor = PreparedExecutor(lambda case, seed: timing(0.5, -0.5))
    checked = run.check_case(only_case(claim(expect=(FASTER,))), executor)
    assert checked.result.verdict is Verdict.INCONCLUSIVE
    assert len(executor.asked) == run.MAX_TIMING_CHILDREN


def test_a_timed_case_in_trouble_is_not_tried_again():
    executor = PreparedExecutor(lambda case, seed: Observation(outcome="timeout"))
    checked = run.check_case(only_case(claim(expect=(FASTER,))), executor)
    assert checked.result.verdict is Verdict.ERROR
    assert len(executor.asked) == 1


def many_cases(count: int) -> tuple[Case, ...]:
    return cases(claim(matrix={"n": tuple(range(count))}))


def test_results_come_in_the_order_of_the_cases():
    first_may_end = threading.Event()

    def answer(case: Case, seed: int) -> Observation:
        if case.id == "0":
            first_may_end.wait(10)
        else:
            first_may_end.set()
        return Observation(checks=(TRUE, TRUE))

    executors: list[PreparedExecutor] = []

    def new_executor() -> PreparedExecutor:
        executors.append(PreparedExecutor(answer))
        return executors[-1]

    found = [checked.case.id for checked in run.check_cases(many_cases(6), new_executor, jobs=2)]
    assert found == ["0", "1", "2", "3", "4", "5"]
    assert len(executors) == 2
    assert all(executor.closed for executor in executors)


def test_no_more_executors_than_cases():
    made: list[PreparedExecutor] = []

    def new_executor() -> PreparedExecutor:
        made.append(PreparedExecutor(lambda case, seed: Observation(checks=(TRUE, TRUE))))
        return made[-1]

    assert len(list(run.check_cases(many_cases(1), new_executor, jobs=8))) == 1
    assert len(made) == 1


def test_an_interrupt_keeps_what_was_done_out_of_turn():
    others_done, over = threading.Event(), threading.Event()

    def observe(case: Case, _seed: int) -> Observation:
        if case.id == "0":
            others_done.wait(10)
            time.sleep(0.5)  # until they are judged, too
            main_thread = threading.main_thread().ident
            assert main_thread
            signal.pthread_kill(main_thread, signal.SIGINT)
            over.wait(10)
        elif case.id == "2":
            others_done.set()
        return Observation(checks=(TRUE, TRUE))

    done: list[str] = []
    going = run.check_cases(many_cases(3), lambda: PreparedExecutor(observe), jobs=2)
    with pytest.raises(KeyboardInterrupt):
        done.extend(checked.case.id for checked in going)
    over.set()
    assert done == ["1", "2"]


def test_an_interrupt_closes_every_executor():
    made: list[PreparedExecutor] = []

    def new_executor() -> PreparedExecutor:
        made.append(PreparedExecutor(lambda case, seed: Observation(checks=(TRUE, TRUE))))
        return made[-1]

    going = run.check_cases(many_cases(50), new_executor, jobs=2)
    next(going)
    with pytest.raises(KeyboardInterrupt):
        going.throw(KeyboardInterrupt)
    assert all(executor.closed for executor in made)


def test_an_unverifiable_claim_needs_no_case():
    advice = claim(probe=None, expect=(), control=(), reason="advice")
    _, event = run.claim_events(advice)
    assert event.claim.verdict is Verdict.UNVERIFIABLE  # type: ignore[union-attr]
    assert cases(advice) == ()


def test_problems_are_grouped_by_claim_even_where_they_alternate():
    problems = [Problem(file="f", message=str(n), claim=c) for n, c in enumerate("abab")]
    grouped = run.by_claim(problems)
    assert {name: len(group) for name, group in grouped.items()} == {"a": 2, "b": 2}


def test_an_invalid_claim_carries_all_its_problems():
    result = run.invalid_claim(
        [Problem(file="f", message=m, line=n) for n, m in ((3, "a"), (5, "b"))]
    )
    assert result.verdict is Verdict.ERROR
    assert not result.agrees
    assert (result.file, result.line) == ("f", 3)
    assert result.statement == "f:3:1: a\nf:5:1: b"
