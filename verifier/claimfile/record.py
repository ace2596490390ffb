"""Measured verdicts into the claim file: a proposal first, then the file.

Everything but `verdict`, `when` and `reason` stays as it is, to the byte.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import msgspec

from verifier.claimfile import edits
from verifier.claimfile.files import load
from verifier.claimfile.plan import Measured, Plan, plan
from verifier.claimfile.reader import Parsed, read_text
from verifier.model import Claim, Ledger, Problem, Verdict

_BYTE_ORDER_MARK = "\ufeff"


class FileChangedError(Exception):
    """The file is no longer the one that the proposal was made for."""


class Change(msgspec.Struct, frozen=True):
    """What is recorded about a claim, before and after."""

    claim: str
    before: Ledger
    after: Ledger

    def __str__(self) -> str:
        return f"{self.claim}: {_in_words(self.before)} -> {_in_words(self.after)}"


class Skipped(msgspec.Struct, frozen=True):
    """A claim about which nothing is recorded, and why."""

    claim: str
    why: str


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """A new text for a claim file. Nothing is written before `apply`."""

    path: str
    old: str
    new: str
    changes: tuple[Change, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    def diff(self) -> str:
        """The change as a unified diff; empty if there is none."""
        lines = difflib.unified_diff(
            _lines(self.old), _lines(self.new), fromfile=self.path, tofile=self.path
        )
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in lines
        )


def propose(
    path: Path | str,
    measured: Mapping[str, Measured],
    *,
    reason: str = "",
    versions: Mapping[str, str] | None = None,
) -> Proposal:
    """The text of the claim file at `path` with what was `measured`, by claim id.

    Verified and refuted are recorded; inconclusive and error only with a `reason`, which
    is written, too. Cases that were not tried keep their record. `versions` are those of
    the packages in this run: `when` entries for other versions are not touched.
    """
    loaded = load(Path(path))
    if isinstance(loaded, Problem):
        skipped = tuple(Skipped(claim, loaded.message) for claim in measured)
        return Proposal(path=str(path), old="", new="", skipped=skipped)
    parsed = read_text(loaded, str(path))
    claims = {claim.id: claim for claim in parsed.claim_file.claims}
    changes, skipped_claims, all_edits = [], [], []
    for claim_id, result in measured.items():
        claim = claims.get(claim_id)
        if claim is None:
            skipped_claims.append(Skipped(claim_id, _why_missing(claim_id, parsed)))
            continue
        made = plan(claim, result, versions or {}, undecided=bool(reason.strip()))
        if isinstance(made, str):
            skipped_claims.append(Skipped(claim_id, made))
            continue
        new_reason = _new_reason(claim, made, reason)
        after = made.ledger(claim.ledger.reason if new_reason is None else new_reason)
        if after != claim.ledger:
            changes.append(Change(claim_id, claim.ledger, after))
            editor = edits.ClaimEditor(parsed.text, parsed.nodes[claim_id])
            all_edits += editor.edits(made, new_reason)
    new = edits.make(parsed.text.text, all_edits)
    _check(new, changes, parsed)
    mark = _BYTE_ORDER_MARK if loaded.startswith(_BYTE_ORDER_MARK) else ""
    return Proposal(
        path=str(path),
        old=loaded,
        new=mark + new,
        changes=tuple(changes),
        skipped=tuple(skipped_claims),
    )


def apply(proposal: Proposal) -> None:
    """Write the proposal: at once or not at all, with the file's own mode.

    Raises FileChangedError if the file has changed since, OSError if it cannot be written.
    """
    path = Path(proposal.path).resolve()
    if path.read_bytes() != proposal.old.encode("utf-8"):
        raise FileChangedError(f"{proposal.path} has changed meanwhile: run again")
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(proposal.new.encode("utf-8"))
        shutil.copymode(path, temporary)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _new_reason(claim: Claim, made: Plan, reason: str) -> str | None:
    """The reason to write, or None if the claim keeps its own."""
    old = {claim.ledger.verdict, *(entry.verdict for entry in claim.ledger.when)}
    new = {made.verdict, *(entry.exception.verdict for entry in made.entries)}
    undecided = {Verdict.INCONCLUSIVE, Verdict.ERROR} & new
    return reason if reason.strip() and undecided - old else None


def _why_missing(claim_id: str, parsed: Parsed) -> str:
    problems = parsed.claim_file.problems
    for problem in problems:
        if problem.claim in ("", claim_id):
            return f"its file has a problem: {problem}"
    return "it is not in this file"


def _check(new: str, changes: list[Change], parsed: Parsed) -> None:
    """Assert that the new text reads back as planned, before it can reach a file."""
    read = read_text(new, parsed.claim_file.path).claim_file
    ledgers = {claim.id: claim.ledger for claim in read.claims}
    assert len(read.problems) == len(parsed.claim_file.problems)
    for change in changes:
        assert ledgers[change.claim] == change.after, change.claim


def _in_words(ledger: Ledger) -> str:
    words = [str(ledger.verdict or "nothing recorded")]
    for entry in ledger.when:
        where = " ".join(f"{name}={value}" for name, value in entry.conditions.items())
        words.append(f"{entry.verdict} for {where}")
    return ", ".join(words)


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)
