"""What the commands take: paths, settings, selections."""

from __future__ import annotations

import argparse
import dataclasses
import os
import re
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from verifier import claimfile
from verifier import settings as settings_module
from verifier.discover import SUFFIXES, claim_files
from verifier.exits import UsageError
from verifier.model import Case, Claim, ClaimFile, Problem
from verifier.settings import Settings, did_you_mean

T = TypeVar("T")


def read_claim_files(paths: Sequence[str]) -> list[ClaimFile]:
    """Read the claim files among `paths` and below its folders.

    A path that does not exist or is no claim file is the user's mistake; a claim
    file with mistakes in it is not, it carries them as problems.
    """
    for path in map(Path, paths):
        _check_path(path)
    files = [claimfile.read(os.path.relpath(path)) for path in claim_files(map(Path, paths))]
    files = _without_duplicates(files)
    unreadable = [file for file in files if file.source is None and not file.claims]
    if files and len(unreadable) == len(files):
        raise UsageError("\n".join(str(problem) for file in files for problem in file.problems))
    return files


def _check_path(path: Path) -> None:
    """Raises UsageError for what can be no claim file and no folder of them."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            next(path.iterdir(), None)
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file or folder") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {(error.strerror or '').lower()}") from error
    if stat.S_ISREG(mode) and path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"{path}: not a claim file; claim files are YAML (*.yaml, *.yml)")
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise UsageError(f"{path}: neither a file nor a folder; give a claim file")


def _without_duplicates(files: list[ClaimFile]) -> list[ClaimFile]:
    """The files, with each claim whose id is taken by an earlier one made a problem."""
    problems = claimfile.duplicate_ids(files)
    taken = {(problem.file, problem.claim) for problem in problems}
    return [
        msgspec.structs.replace(
            file,
            claims=tuple(claim for claim in file.claims if (claim.file, claim.id) not in taken),
            problems=file.problems + tuple(each for each in problems if each.file == file.path),
        )
        for file in files
    ]


def effective_settings(arguments: argparse.Namespace) -> Settings:
    """The project's settings, overlaid by the command line."""
    try:
        settings = settings_module.load(Path.cwd())
    except settings_module.SettingsError as error:
        raise UsageError(str(error)) from error
    settings = dataclasses.replace(
        settings,
        device=_said(arguments, "device", settings_module.devices, settings.device),
        jobs=_said(arguments, "jobs", settings_module.jobs, settings.jobs),
        timeout=_said(arguments, "timeout", settings_module.seconds, settings.timeout),
        fail_on=_said(arguments, "fail_on", settings_module.fail_on, settings.fail_on),
    )
    if getattr(arguments, "no_reports", False):
        return dataclasses.replace(settings, reports=None)
    if folder := getattr(arguments, "reports", None):
        return dataclasses.replace(settings, reports=Path.cwd() / folder)
    return settings


def _said(arguments: argparse.Namespace, name: str, check: Callable[[str], T], default: T) -> T:
    value = getattr(arguments, name, None)
    if value is None:
        return default
    try:
        return check(value)
    except ValueError as error:
        raise UsageError(f"--{name.replace('_', '-')}: {error}") from error


class Selection:
    """Which claims and cases were asked for."""

    def __init__(self, patterns: Sequence[str] | None, devices: Sequence[str]) -> None:
        self.patterns = tuple(patterns or ())
        self.devices = tuple(devices)
        self._matchers = [_glob(pattern) for pattern in self.patterns]

    def cases(self, claim: Claim) -> tuple[Case, ...]:
        """The cases of a claim that are wanted."""
        return tuple(
            case
            for case in claimfile.cases(claim)
            if (not self.devices or case.device in self.devices)
            and (self.name(claim.id) or self.name(f"{claim.id}[{case.id}]"))
        )

    def name(self, name: str) -> bool:
        """Whether the claim or case of this name is wanted."""
        return not self._matchers or any(matcher.fullmatch(name) for matcher in self._matchers)

    def problems(self, files: Sequence[ClaimFile]) -> list[Problem]:
        """The mistakes in claims that are wanted, and those of files as a whole."""
        return [
            problem
            for file in files
            for problem in file.problems
            if not problem.claim or self.name(problem.claim)
        ]

    def explain_nothing(self, files: Sequence[ClaimFile]) -> str:
        """Why nothing is left to run."""
        claims = [claim for file in files for claim in file.claims]
        if not claims:
            return "no claims found"
        if self.patterns:
            ids = {claim.id for claim in claims}
            names = ", ".join(f'"{pattern}"' for pattern in self.patterns)
            return f"no claim matches {names}{did_you_mean(self.patterns[0], ids)}"
        return f"no case runs on {', '.join(self.devices)}"


def _glob(pattern: str) -> re.Pattern[str]:
    """A pattern with * and ?; brackets stand for themselves, as in ids of cases."""
    parts = {"*": ".*", "?": "."}
    return re.compile("".join(parts.get(char, re.escape(char)) for char in pattern))
