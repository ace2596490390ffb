"""``verifier record``: write measured verdicts into the claim files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verifier.claimfile.plan import Measured
from verifier.claimfile.record import FileChangedError, Proposal, apply, propose
from verifier.commands.check import record_what_does_not_run, run_cases
from verifier.commands.inputs import Selection, effective_settings, read_claim_files
from verifier.commands.progress import Progress
from verifier.exits import Exit, UsageError
from verifier.model import ClaimFile, ClaimResult, Results
from verifier.recorder import Recorder
from verifier.report.errors import ResultsError
from verifier.report.results import load
from verifier.run import INSTALLED


def run(arguments: argparse.Namespace) -> Exit:
    """Measure (or take an earlier run), show the diff, and write it if that is wanted."""
    files = read_claim_files(arguments.paths)
    problems = [problem for file in files for problem in file.problems]
    for problem in problems:
        print(problem, file=sys.stderr)
    results = _earlier(arguments.results) if arguments.results else _measure(arguments, files)
    if results is None:
        print("verifier: interrupted; nothing was written", file=sys.stderr)
        return Exit.INTERRUPTED
    proposals = [_propose(file, results, arguments.reason) for file in files]
    changed = [proposal for proposal in proposals if proposal.old != proposal.new]
    for proposal in proposals:
        print(proposal.diff(), end="")
        for skipped in proposal.skipped:
            print(f"{proposal.path}: {skipped.claim}: not recorded: {skipped.why}")
    if not changed:
        print("Nothing to record: every verdict that was measured is in the files.")
        return Exit.FAILED if problems else Exit.OK
    if not arguments.yes and not _confirmed(len(changed)):
        print("Nothing was written.")
        return Exit.OK
    return _write(changed)


def _measure(arguments: argparse.Namespace, files: Sequence[ClaimFile]) -> Results | None:
    """Run the claims; None if Ctrl-C ended that early."""
    settings = effective_settings(arguments)
    selection = Selection(arguments.select, settings.device)
    recorder = Recorder(None, command=["verifier", *sys.argv[1:]])
    cases = record_what_does_not_run(files, selection, recorder)
    if not cases and arguments.select:
        raise UsageError(selection.explain_nothing(files))
    # The diff goes to stdout alone, so that it can be kept.
    progress = Progress(sys.stderr, len(cases), quiet=not sys.stderr.isatty(), failures=False)
    if run_cases(cases, settings, recorder, progress):
        return None
    return recorder.finish()


def _earlier(path: str) -> Results:
    try:
        return load(Path(path))
    except ResultsError as error:
        raise UsageError(str(error)) from error


def _propose(file: ClaimFile, results: Results, reason: str) -> Proposal:
    """What to write into one file; a claim whose probe has changed was not measured."""
    known = {claim.id: claim for claim in file.claims}
    measured = {
        result.id: Measured(verdict=result.verdict, cases=_cases(result))
        for result in results.claims
        if result.cases
        and (claim := known.get(result.id))
        and claim.source.id == result.source
        and claim.probe
        and claim.probe.text == result.probe
    }
    return propose(file.path, measured, reason=reason, versions=INSTALLED)


def _cases(result: ClaimResult) -> tuple[tuple[dict[str, Any], Any], ...]:
    return tuple(
        ({axis: _tuples(value) for axis, value in case.params.items()}, case.verdict)
        for case in result.cases
    )


def _tuples(value: Any) -> Any:
    """JSON has lists where claims have tuples."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _confirmed(files: int) -> bool:
    """Ask on a terminal; elsewhere nobody can answer, and the diff is all there is."""
    if not sys.stdin.isatty():
        print("To write this, run again with --yes.", file=sys.stderr)
        return False
    what = "this file" if files == 1 else f"these {files} files"
    return input(f"Write {what}? [y/N] ").strip().lower() in ("y", "yes")


def _write(proposals: Sequence[Proposal]) -> Exit:
    code = Exit.OK
    for proposal in proposals:
        try:
            apply(proposal)
        except FileChangedError as error:
            print(f"verifier: {error}", file=sys.stderr)
            code = Exit.INTERNAL
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            print(f"verifier: {proposal.path}: cannot be written: {why}", file=sys.stderr)
            code = Exit.INTERNAL
        else:
            print(f"{proposal.path}: {len(proposal.changes)} recorded")
    return code
