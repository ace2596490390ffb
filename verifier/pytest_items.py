"""Claim files, cases and invalid claims as pytest sees them.

Items are flat below their file, ``claim-id[case]``, and have no `callspec`:
editors' test explorers lose names otherwise. Their ids come from the file alone,
never from the hardware, so that every xdist worker collects the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from verifier import claimfile
from verifier.judge import outcome
from verifier.model import Case, CaseResult, Claim, ClaimFile, Problem, Source, Verdict
from verifier.pytest_session import SESSION, ignores_ledger
from verifier.report import terminal
from verifier.report.events import AnyEvent
from verifier.run import Checked, by_claim, claim_events, claim_result, ledger_of, problem_events


class Refuted(AssertionError):  # noqa: N818 - the verdict's own name, as pytest shows it
    """The statement of a claim is refuted."""


class LedgerMismatch(AssertionError):  # noqa: N818 - what it is, as pytest shows it
    """The verdict is not the one that the claim file records."""


class ClaimError(Exception):
    """The claim could not be judged: its probe's fault or ours, never the statement's."""


class ClaimFileCollector(pytest.File):
    """A claim file."""

    def collect(self) -> Iterable[pytest.Item]:
        """One item per case; one failing item per claim that is invalid."""
        file = self.config.stash[SESSION].read(self.path)
        items = [*self._problems(file), *self._claims(file.claims)]
        return sorted(items, key=lambda item: item.line)

    def _claims(self, claims: Iterable[Claim]) -> Iterator[ClaimItem]:
        wanted = self.config.stash[SESSION].devices
        for claim in claims:
            if claim.probe is None:
                yield ClaimItem.from_parent(self, name=claim.id, claim=claim)
            for case in claimfile.cases(claim):
                if not wanted or case.device in wanted:
                    name = f"{claim.id}[{case.id}]"
                    # From a name alone pytest takes the brackets for a part of the
                    # name, but reads them back from its cache (--lf) as parameters.
                    nodeid = f"{self.nodeid}::{name}"
                    yield ClaimItem.from_parent(
                        self, name=name, nodeid=nodeid, claim=claim, case=case
                    )

    def _problems(self, file: ClaimFile) -> Iterator[InvalidClaim]:
        for claim_id, group in by_claim(file.problems).items():
            yield InvalidClaim.from_parent(
                self, name=claim_id or "invalid-file", problems=group, source=file.source
            )


class _Item(pytest.Item):
    """What claims and invalid claims have in common: a place in the file, plain text."""

    line: int
    #: What the results have to know of the item, once it has run.
    events: tuple[AnyEvent, ...] = ()

    def results_events(self) -> tuple[AnyEvent, ...]:
        """What the results have to know of the item, also where it could not run."""
        return self.events

    def reportinfo(self) -> tuple[Path, int, str]:
        """The claim's place; pytest counts lines from 0."""
        return self.path, self.line - 1, self.name

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        """Our own text for our own exceptions, so that no frame of ours is shown."""
        if isinstance(excinfo.value, Refuted | LedgerMismatch | ClaimError):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo, style))


class InvalidClaim(_Item):
    """A claim, or a whole file, with mistakes: it fails, the others still run."""

    def __init__(
        self, *, problems: Sequence[Problem], source: Source | None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.problems = problems
        self.events = problem_events(problems, source)
        self.line = problems[0].line

    def setup(self) -> None:
        """A mistake in a claim file is an error, not a failure of the statement."""
        raise ClaimError("\n".join(map(str, self.problems)))

    def runtest(self) -> None:
        """Never reached: `setup` raises."""


class ClaimItem(_Item):
    """One case of a claim, or an unverifiable claim as a whole."""

    def __init__(self, *, claim: Claim, case: Case | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.claim = claim
        self.case = case
        self.line = claim.line
        self.duplicate: Problem | None = None
        self.checked: Checked | None = None
        self.extra_keyword_matches.update(claim.tags)
        for name in (claim.kind, claim.severity):
            self.add_marker(name)
        if case is not None:
            self.add_marker(case.device.partition(":")[0])
            if claim.is_timed:
                self.add_marker("timing")
            if ledger_of(case) is Verdict.REFUTED:
                self.add_marker(
                    pytest.mark.xfail(raises=Refuted, strict=True, reason="refuted as recorded")
                )

    def setup(self) -> None:
        """Run and judge the case here: pytest calls what fails in setup an error."""
        if self.duplicate is not None:
            self.events = problem_events([self.duplicate], self.claim.source)
            raise ClaimError(str(self.duplicate))
        if self.case is None:
            self.events = claim_events(self.claim)
            return
        self.checked = self.config.stash[SESSION].check(self.case)
        self.events = self.checked.events()
        result = self.checked.result
        self.user_properties += self._properties(result)
        if result.verdict is Verdict.ERROR:
            raise ClaimError(self._text(result))

    def runtest(self) -> None:
        """Compare the verdict with the ledger, in pytest's own terms."""
        if self.checked is None:
            pytest.skip(f"unverifiable: {self.claim.reason}")
        case = self.checked.result
        # With --runxfail pytest shows what holds, whatever the ledger says.
        recorded = None if ignores_ledger(self.config) else case.ledger
        match outcome(recorded, case.verdict, case.reason):
            case "skipped":
                pytest.skip(f"{case.verdict}: {case.detail or case.reason}")
            case "xfailed":
                raise Refuted(self._text(case))
            case "failed" if case.verdict is Verdict.REFUTED:
                raise Refuted(self._text(case))
            case "failed":
                raise LedgerMismatch(self._text(case))

    def results_events(self) -> tuple[AnyEvent, ...]:
        """Without events of its own it never ran, for another plug-in's sake: not checked."""
        return self.events or claim_events(self.claim, len(claimfile.cases(self.claim)))

    def _text(self, case: CaseResult) -> str:
        return terminal.failure_text(claim_result(self.claim, planned=0), case)

    def _properties(self, case: CaseResult) -> list[tuple[str, object]]:
        """For ``--junitxml``, which wants strings."""
        return [
            ("claim", self.claim.id),
            ("source", self.claim.source.id),
            ("severity", self.claim.severity),
            ("verdict", str(case.verdict)),
            *([("reason", case.reason)] if case.reason else []),
        ]
