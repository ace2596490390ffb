"""``verifier coverage``: what of a document has no claim."""

from __future__ import annotations

import argparse
from pathlib import Path

from verifier import document
from verifier.commands.inputs import read_claim_files
from verifier.exits import Exit, UsageError


def run(arguments: argparse.Namespace) -> Exit:
    """List each sentence and each line of code that no claim names; 1 when there is one."""
    files = read_claim_files(arguments.paths)
    try:
        source = document.read(Path(arguments.source))
    except document.DocumentError as error:
        raise UsageError(str(error)) from error
    coverage = document.coverage(source, files)
    problems = [problem for file in files for problem in file.problems]
    for problem in problems:
        print(problem)
    for line in document.text_lines(coverage):
        print(line)
    return Exit.FAILED if problems or coverage.stale or coverage.uncovered else Exit.OK
