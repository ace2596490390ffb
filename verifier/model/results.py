"""Results: what the parent makes of observations, and all that a report shows."""

from __future__ import annotations

from typing import Any

from verifier.model.base import Noun, Verdict
from verifier.model.claims import Kind, Place, Quantifier, Role, Severity, Source
from verifier.model.observations import Durations, Operand, Raised, Warned


class Evidence(Noun, frozen=True, kw_only=True):
    """One check with what it showed. `holds` is None where it could not be decided."""

    role: Role
    code: str
    holds: bool | None
    detail: str = ""
    line: int = 0
    operands: tuple[Operand, ...] = ()


class Judgement(Noun, frozen=True, kw_only=True):
    """The verdict on one case.

    `reason` is a code from the table in :mod:`verifier.judge.rules` (empty where
    the verdict needs none), `detail` a sentence for people. `expected` and
    `observed` are the decisive check in words.
    """

    verdict: Verdict
    reason: str = ""
    detail: str = ""
    expected: str = ""
    observed: str = ""
    remarks: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    samples: tuple[float, ...] = ()
    interval: tuple[float, float] | None = None


class Environment(Noun, frozen=True, kw_only=True):
    """Where cases ran."""

    id: str
    device: str = "cpu"
    device_name: str = ""
    driver: str = ""
    torch: str = ""
    numpy: str = ""
    cuda: str = ""
    python: str = ""
    platform: str = ""
    threads: int = 1
    isolation: str = ""


class CaseResult(Noun, frozen=True, kw_only=True):
    """A case with its verdict and everything a report shows of it."""

    id: str
    params: dict[str, Any]
    environment: str
    verdict: Verdict
    reason: str = ""
    detail: str = ""
    ledger: Verdict | None = None
    agrees: bool = True
    expected: str = ""
    observed: str = ""
    remarks: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    exception: Raised | None = None
    stdout: str = ""
    stderr: str = ""
    warnings: tuple[Warned, ...] = ()
    durations: Durations = Durations()
    samples: tuple[float, ...] = ()
    interval: tuple[float, float] | None = None
    seed: int = 0
    attempts: int = 1
    reproduce: str = ""


class ClaimResult(Noun, frozen=True, kw_only=True):
    """A claim with the verdicts of its cases, and the one word they roll up to."""

    id: str
    source: str
    file: str
    line: int
    statement: str
    kind: Kind
    severity: Severity
    verdict: Verdict
    quantifier: Quantifier = "every"
    at: Place | None = None
    title: str = ""
    reason: str = ""
    count: str = ""  # "k of n, m not tried"
    ledger: Verdict | None = None
    agrees: bool = True
    explanation: str = ""
    correction: str = ""
    references: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    probe: str = ""
    probe_line: int = 0
    setup: str = ""
    planned: int = 0  # cases of the whole matrix, run or not
    cases: tuple[CaseResult, ...] = ()


class RunInfo(Noun, frozen=True, kw_only=True):
    """One execution of many cases."""

    tool: str = "verifier"
    version: str = ""
    command: str = ""
    started: str = ""  # RFC 3339
    finished: str = ""
    duration: float = 0.0
    interrupted: bool = False


class Summary(Noun, frozen=True, kw_only=True):
    """Counts over claims and cases, and the ids of claims that differ from the ledger."""

    claims: dict[str, int] = {}
    cases: dict[str, int] = {}
    refuted_as_recorded: int = 0
    changed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


class Results(Noun, frozen=True, kw_only=True):
    """One run, the only thing that reports read. ``schema`` is the format's version."""

    schema: int = 1
    run: RunInfo = RunInfo()
    environments: dict[str, Environment] = {}
    documents: tuple[Source, ...] = ()
    claims: tuple[ClaimResult, ...] = ()
    summary: Summary = Summary()
