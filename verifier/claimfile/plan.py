"""From measured verdicts to the ledger that records them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from verifier.claimfile import matrix
from verifier.claimfile.ledger import applies, look_up
from verifier.model import Case, Claim, Ledger, LedgerException, Verdict

_DECIDED: Final = frozenset({Verdict.VERIFIED, Verdict.REFUTED})
_WITH_REASON: Final = frozenset({Verdict.INCONCLUSIVE, Verdict.ERROR})


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What a run made of a claim: its verdict, and (params, verdict) of each case."""

    verdict: Verdict
    cases: tuple[tuple[dict[str, Any], Verdict], ...] = ()


class Entry(msgspec.Struct, frozen=True):
    """A `when` entry. `origin` is its number in the old ledger, None for a new one."""

    exception: LedgerException
    origin: int | None = None


class Plan(msgspec.Struct, frozen=True):
    """The ledger to write, with where its entries come from."""

    verdict: Verdict | None
    entries: tuple[Entry, ...]

    def ledger(self, reason: str) -> Ledger:
        """The ledger as the reader will read it."""
        return Ledger(
            verdict=self.verdict,
            when=tuple(entry.exception for entry in self.entries),
            reason=reason,
        )


def plan(
    claim: Claim, measured: Measured, versions: Mapping[str, str], *, undecided: bool
) -> Plan | str:
    """The ledger of `claim` after `measured`, or why nothing can be recorded.

    `undecided` says that inconclusive and error may be recorded, too. Cases that were
    not tried keep what is recorded for them, and so do versions other than `versions`.
    """
    if claim.probe is None:
        return "it has no probe: there is nothing to record"
    recordable = _DECIDED | _WITH_REASON if undecided else _DECIDED
    if measured.verdict not in recordable:
        why = ": give a reason to record that" if measured.verdict in _WITH_REASON else ""
        return f"it is {measured.verdict}{why}"
    cases = matrix.cases(claim)
    tried = _tried(cases, measured)
    if isinstance(tried, str):
        return tried
    decided = {case_id: word for case_id, word in tried.items() if word in recordable}
    if not decided:
        return "none of its cases was decided"
    wanted = {
        case.id: decided.get(case.id, look_up(claim.ledger, case.params, versions))
        for case in cases
    }
    return _Planner(claim, cases, decided, wanted, versions).plan(measured.verdict)


def _tried(cases: tuple[Case, ...], measured: Measured) -> dict[str, Verdict] | str:
    by_params = {matrix.key(case.params): case.id for case in cases}
    tried = {}
    for params, verdict in measured.cases:
        case_id = by_params.get(matrix.key(params))
        if case_id is None:
            return f"its matrix has no case {matrix.case_id(matrix.as_written(params))}"
        tried[case_id] = verdict
    return tried


class _Planner:
    """Plans for one claim. `wanted` is what the ledger shall say about each case."""

    def __init__(
        self,
        claim: Claim,
        cases: tuple[Case, ...],
        decided: Mapping[str, Verdict],
        wanted: Mapping[str, Verdict | None],
        versions: Mapping[str, str],
    ) -> None:
        self._claim = claim
        self._cases = cases
        self._decided = decided
        self._wanted = wanted
        self._versions = versions

    def plan(self, verdict: Verdict) -> Plan | str:
        old = self._claim.ledger
        version_bound = any(
            self._is_for_versions(entry) and self._matching(entry) for entry in old.when
        )
        # Where a version's own entry decides, the default speaks of other versions.
        default = old.verdict if version_bound else verdict
        if default is Verdict.REFUTED and not self._claim.correction:
            return 'it is refuted: write a "correction" first, what is true instead?'
        as_it_is = Plan(default, tuple(Entry(entry, n) for n, entry in enumerate(old.when)))
        if default == old.verdict and not self._wrong(as_it_is):
            return as_it_is
        kept = [
            Entry(updated, number)
            for number, entry in enumerate(old.when)
            if (updated := self._kept(entry, default)) is not None
        ]
        first = next(
            (n for n, entry in enumerate(kept) if self._is_for_versions(entry.exception)),
            len(kept),
        )
        new = [Entry(exception) for exception in self._new(default, kept)]
        made = Plan(default, (*kept[:first], *new, *kept[first:]))
        if self._wrong(made) or any(not entry.exception.conditions for entry in new):
            return 'its "when" entries cannot express that: edit them by hand'
        return made

    def _is_for_versions(self, entry: LedgerException) -> bool:
        return any(name not in self._claim.matrix for name in entry.conditions)

    def _matching(self, entry: LedgerException) -> list[Case]:
        return [case for case in self._cases if applies(entry, case.params, self._versions)]

    def _kept(self, entry: LedgerException, default: Verdict | None) -> LedgerException | None:
        """The entry as it stays, or None if this run has overtaken it."""
        matching = self._matching(entry)
        wanted = {self._wanted[case.id] for case in matching}
        all_tried = bool(matching) and all(case.id in self._decided for case in matching)
        if self._is_for_versions(entry):
            if all_tried and len(wanted) == 1:
                return msgspec.structs.replace(entry, verdict=wanted.pop())
            return entry
        if all_tried and (wanted != {entry.verdict} or entry.verdict == default):
            return None
        return entry

    def _new(self, default: Verdict | None, kept: list[Entry]) -> list[LedgerException]:
        """Entries for the cases that differ: by one axis where that says it, else by all."""
        wrong = {case.id for case in self._wrong(Plan(default, tuple(kept)))}
        found = []
        for axis in self._claim.matrix:
            groups: dict[str, list[Case]] = {}
            for case in self._cases:
                groups.setdefault(matrix.key(case.params[axis]), []).append(case)
            for group in groups.values():
                ids = {case.id for case in group}
                words = {self._wanted[case_id] for case_id in ids}
                word = words.pop() if len(words) == 1 else None
                if word is not None and wrong & ids:
                    value = group[0].params[axis]
                    found.append(LedgerException(conditions={axis: value}, verdict=word))
                    wrong -= ids
        for case in self._cases:
            word = self._wanted[case.id]
            if case.id in wrong and word is not None:
                found.append(LedgerException(conditions=dict(case.params), verdict=word))
        return found

    def _wrong(self, made: Plan) -> list[Case]:
        """The cases about which the ledger would not say what is wanted."""
        ledger = made.ledger("")
        return [
            case
            for case in self._cases
            if (word := self._wanted[case.id]) is not None
            and look_up(ledger, case.params, self._versions) != word
        ]
