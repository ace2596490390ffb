"""``verifier check``: run claims and compare the verdicts with the ledger."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path

from verifier.commands.inputs import Selection, effective_settings, read_claim_files
from verifier.commands.progress import Progress
from verifier.exits import Exit, combine, of_results
from verifier.model import Case, ClaimFile, Results
from verifier.probe import Limits, LocalExecutor
from verifier.recorder import Recorder
from verifier.report import terminal
from verifier.report.errors import ReportError
from verifier.report.results import to_json, write_json
from verifier.report.style import Style
from verifier.run import by_claim, check_cases, claim_events, problem_events
from verifier.settings import Settings


def run(arguments: argparse.Namespace) -> Exit:
    """Check, print as it goes, write the reports, sum up."""
    settings = effective_settings(arguments)
    files = read_claim_files(arguments.paths)
    selection = Selection(arguments.select, settings.device)
    # With the results on stdout, what people read goes to stderr.
    stream = sys.stderr if arguments.json == "-" else sys.stdout
    recorder = Recorder(
        settings.root / settings.reports if settings.reports else None,
        command=["verifier", *sys.argv[1:]],
    )
    for problem in selection.problems(files):
        print(problem, file=stream)
    cases = record_what_does_not_run(files, selection, recorder)
    progress = Progress(stream, len(cases), quiet=arguments.quiet)
    try:
        interrupted = run_cases(cases, settings, recorder, progress)
    except Exception:
        # Whatever ended the run (a full disk, a closed pipe): keep what was done.
        with contextlib.suppress(ReportError):
            recorder.write(recorder.finish(interrupted=True))
        raise
    results = recorder.finish(interrupted=interrupted)
    if not results.claims:
        print(f"verifier: {selection.explain_nothing(files)}", file=sys.stderr)
        return Exit.INTERRUPTED if interrupted else Exit.NOTHING_FOUND

    codes = [of_results(results, settings.fail_on)]
    if interrupted:
        codes.append(Exit.INTERRUPTED)
    written: list[Path] = []
    try:
        written = recorder.write(results)
    except ReportError as error:
        codes.append(_told(error))
    try:
        _write_json(results, arguments.json)
    except ReportError as error:
        codes.append(_told(error))
    for line in terminal.summary_lines(results, style=Style(stream), reports=written):
        print(line, file=stream)
    return combine(codes)


def record_what_does_not_run(
    files: Sequence[ClaimFile], selection: Selection, recorder: Recorder
) -> list[Case]:
    """Record unverifiable claims and mistakes in the files; returns the cases to run."""
    cases: list[Case] = []
    for file in files:
        for problems in by_claim(selection.problems([file])).values():
            recorder.add(problem_events(problems, file.source))
        for claim in file.claims:
            if claim.probe is None and selection.name(claim.id):
                recorder.add(claim_events(claim))
            cases += selection.cases(claim)
    return cases


def run_cases(
    cases: Sequence[Case], settings: Settings, recorder: Recorder, progress: Progress
) -> bool:
    """Run the cases and record each; returns whether Ctrl-C ended it early."""

    def new_executor() -> LocalExecutor:
        return LocalExecutor(limits=Limits.of(settings), preload=settings.preload)

    try:
        for checked in check_cases(cases, new_executor, settings.jobs):
            recorder.add(checked.events())
            progress.show(checked)
    except KeyboardInterrupt:
        return True
    finally:
        progress.close()
    return False


def _told(error: ReportError) -> Exit:
    print(f"verifier: {error}", file=sys.stderr)
    return Exit.INTERNAL


def _write_json(results: Results, target: str | None) -> None:
    if target == "-":
        sys.stdout.buffer.write(to_json(results))
    elif target and _is_special(path := Path(target)):
        # A device or a pipe is written to; to replace it would destroy it.
        try:
            with path.open("wb") as file:
                file.write(to_json(results))
        except OSError as error:
            raise ReportError.of(error, path) from error
    elif target:
        write_json(results, Path(target))


def _is_special(path: Path) -> bool:
    try:
        return path.exists() and not path.is_file()
    except OSError:
        return False  # whoever writes it says what is wrong
