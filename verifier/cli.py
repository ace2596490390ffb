"""The command line: arguments, and which command they name.

Nothing but argparse is imported before a command runs, so that ``--help`` costs nothing.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from verifier import __version__
from verifier.exits import Exit, UsageError

_EXITS = """\
exit codes, as pytest's:
  0  every verdict is as recorded       4  wrong usage, or nothing could be read
  1  a claim failed or is in error      5  nothing found to check
  2  interrupted                        3  our own fault, or a report unwritten
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that `argv` names and return its exit code."""
    _make_streams_forgiving()
    arguments = parser().parse_args(argv)
    command = importlib.import_module(f"verifier.commands.{arguments.command}")
    try:
        return _run(command, arguments)
    except UsageError as error:
        print(f"verifier: {error}", file=sys.stderr)
        return Exit.USAGE
    except KeyboardInterrupt:
        print("verifier: interrupted", file=sys.stderr)
        return Exit.INTERRUPTED
    except OSError as error:
        # Python flushes stdout once more at exit, which must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # Nobody is told that the reader has gone: `verifier check … | head` wanted no more.
        if not isinstance(error, BrokenPipeError):
            why = (error.strerror or str(error)).lower()
            place = error.filename or "the output could not be written"
            print(f"verifier: {place}: {why}", file=sys.stderr)
        return Exit.INTERNAL
    except Exception:  # noqa: BLE001 - 1, Python's own code, says that a claim failed
        traceback.print_exc()
        print("verifier: this is a fault of verifier's own: please report it", file=sys.stderr)
        return Exit.INTERNAL


def _run(command: ModuleType, arguments: argparse.Namespace) -> int:
    try:
        Path.cwd()
    except FileNotFoundError:
        raise UsageError("the current folder is not there any more: change to another") from None
    code = int(command.run(arguments))
    sys.stdout.flush()  # at exit it would be too late to say that the disk is full
    return code


def _make_streams_forgiving() -> None:
    """Let no word fail for the stream's sake: it may be closed, or know ASCII only."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


class _Parser(argparse.ArgumentParser):
    """argparse ends wrong usage with 2, which is "interrupted" here as in pytest."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(Exit.USAGE, f"{self.prog}: {message}\n")


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    top = _Parser(
        prog="verifier",
        description="Fact-check technical tutorials: run each statement, see which are false.",
        epilog=_EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"verifier {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    check = commands.add_parser("check", help="run claim files and compare with the ledger")
    _add_paths(check)
    _add_run_options(check)
    check.add_argument("--json", metavar="FILE", help="write the results here too; - for stdout")
    check.add_argument(
        "--reports", metavar="DIR", help="folder of results and report (default: reports)"
    )
    check.add_argument("--no-reports", action="store_true", help="write no reports")
    check.add_argument(
        "--fail-on",
        metavar="WORDS",
        help="fail also on any of: refuted, inconclusive, not-checked (comma-separated)",
    )
    check.add_argument("-q", "--quiet", action="store_true", help="only what needs attention")

    record = commands.add_parser(
        "record", help="write measured verdicts into the claim files, after showing the diff"
    )
    _add_paths(record)
    _add_run_options(record)
    record.add_argument("--results", metavar="FILE", help="take the verdicts of this earlier run")
    record.add_argument(
        "--reason", default="", help="why an inconclusive verdict or an error is recorded"
    )
    record.add_argument("-y", "--yes", action="store_true", help="write without asking")

    report = commands.add_parser("report", help="write the HTML report of an earlier run")
    report.add_argument("results", metavar="RESULTS", help="results.json or results.jsonl")
    report.add_argument(
        "-o", "--output", metavar="DIR", help="folder to write into (default: that of RESULTS)"
    )

    coverage = commands.add_parser("coverage", help="list what of a document has no claim")
    _add_paths(coverage)
    coverage.add_argument(
        "--source", metavar="FILE", required=True, help="the document that the claims are about"
    )

    commands.add_parser("doctor", help="show versions, devices, isolation and what is missing")

    schema = commands.add_parser("schema", help="print a JSON Schema")
    schema.add_argument(
        "format", choices=("claims", "results"), nargs="?", default="claims", help="of which format"
    )
    return top


def _add_paths(command: argparse.ArgumentParser) -> None:
    command.add_argument("paths", nargs="+", metavar="PATH", help="claim files or folders")


def _add_run_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--device", metavar="NAMES", help="only cases on these devices, such as cpu or cpu,cuda"
    )
    command.add_argument(
        "--select",
        action="append",
        metavar="ID",
        help="only this claim or case: claim-id, claim-id[case], * and ? match; repeatable",
    )
    command.add_argument("--jobs", metavar="N", help="cases at a time, or auto (default: 1)")
    command.add_argument("--timeout", metavar="SECONDS", help="time limit of a case (default: 10)")


if __name__ == "__main__":
    sys.exit(main())
