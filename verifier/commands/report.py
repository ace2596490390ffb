"""``verifier report``: write the reports of an earlier run, finished or killed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from verifier.exits import Exit, UsageError
from verifier.report.errors import ReportError, ResultsError
from verifier.report.results import load
from verifier.report.write import write_reports


def run(arguments: argparse.Namespace) -> Exit:
    """Read results, write results.json and the HTML report, and say where."""
    path = Path(arguments.results)
    try:
        results = load(path)
    except ResultsError as error:
        raise UsageError(str(error)) from error
    folder = Path(arguments.output) if arguments.output else path.parent
    try:
        written = write_reports(results, folder)
    except ReportError as error:
        print(f"verifier: {error}", file=sys.stderr)
        return Exit.INTERNAL
    for file in written:
        print(file)
    return Exit.OK
