"""Settings from ``[tool.verifier]`` in pyproject.toml, below what the command line says."""

from __future__ import annotations

import dataclasses
import difflib
import os
import re
import tomllib
from pathlib import Path
from typing import Any

FAIL_ON = ("ledger", "refuted", "inconclusive", "not-checked", "drift")
#: A petabyte: the kernel cannot count to any number.
_MOST_MEGABYTES = 1 << 30
_DEVICE = re.compile(r"(?:cpu|cuda|mps|xpu|meta)(?::\d+)?")


class SettingsError(ValueError):
    """A setting that cannot be used; the message has place and remedy."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings:
    """What a project may set once for all its runs.

    `reports` is a folder relative to the project's root, or None to write
    nothing. `timeout` is in seconds, `memory` in megabytes per process.
    """

    root: Path
    reports: Path | None = Path("reports")
    jobs: int = 1
    device: tuple[str, ...] = ()
    fail_on: tuple[str, ...] = ()
    preload: tuple[str, ...] = ("torch", "numpy")
    timeout: float | None = None
    memory: int | None = None


def load(start: Path) -> Settings:
    """The settings of the project that `start` belongs to; defaults where it has none.

    Raises SettingsError for a file that cannot be read, an unknown key or a wrong value.
    """
    folder = start.resolve()
    for root in (folder, *folder.parents):
        if (path := root / "pyproject.toml").is_file():
            return _read(path)
    return Settings(root=folder)


def _read(path: Path) -> Settings:
    name = os.path.relpath(path)
    try:
        text = path.read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{name}: cannot be read: {error}") from error
    tools = document.get("tool", {})
    table = tools.get("verifier", {}) if isinstance(tools, dict) else {}
    if not isinstance(table, dict):
        raise SettingsError(f"{name}: [tool.verifier] must be a table of settings")
    values: dict[str, Any] = {}
    for key, value in table.items():
        where = f"{name}:{_line_of(key, text)}"
        # Settings of documents have a table of their own, which their reader checks.
        if key == "documents":
            continue
        if key not in _CHECKS:
            raise SettingsError(f'{where}: unknown setting "{key}"{did_you_mean(key, _CHECKS)}')
        try:
            values[key.replace("-", "_")] = _CHECKS[key](value)
        except ValueError as error:
            raise SettingsError(f"{where}: {key}: {error}") from error
    return Settings(root=path.parent, **values)


def did_you_mean(word: str, words: Any) -> str:
    """A hint for a misspelt word, or nothing."""
    near = difflib.get_close_matches(word, list(words), n=1)
    return f' (did you mean "{near[0]}"?)' if near else ""


def devices(value: Any) -> tuple[str, ...]:
    """Device names, checked against the kinds that torch knows."""
    names = _words(value)
    for name in names:
        if not _DEVICE.fullmatch(name):
            raise ValueError(
                f'unknown device "{name}"; write cpu, cuda, cuda:1, mps, xpu or meta'
                + did_you_mean(name, ("cpu", "cuda", "mps", "xpu", "meta"))
            )
    return names


def fail_on(value: Any) -> tuple[str, ...]:
    """What makes a run fail beside a difference from the ledger."""
    names = _words(value)
    for name in names:
        if name not in FAIL_ON:
            raise ValueError(
                f'unknown word "{name}"; write {", ".join(FAIL_ON)}{did_you_mean(name, FAIL_ON)}'
            )
    return names


def jobs(value: Any) -> int:
    """How many cases run at a time; ``auto`` is one per core."""
    if value == "auto":
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    number = int(value) if isinstance(value, str) and value.isdecimal() else value
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise ValueError(f'must be a number from 1, or "auto", not {value!r}')
    return number


def seconds(value: Any) -> float:
    """A time limit in seconds."""
    return _positive(value, "seconds")


def megabytes(value: Any) -> int:
    """A memory limit in megabytes."""
    number = _positive(value, "megabytes")
    if number > _MOST_MEGABYTES:
        raise ValueError(f"must be at most {_MOST_MEGABYTES} megabytes, not {value!r}")
    return int(number)


def _positive(value: Any, unit: str) -> float:
    try:
        number = 0.0 if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = 0.0
    if not 0 < number < float("inf"):
        raise ValueError(f"must be a number of {unit} above 0, not {value!r}")
    return number


def _reports(value: Any) -> Path | None:
    if value is False:
        return None
    if isinstance(value, str) and value and "\0" not in value:
        return Path(value)
    raise ValueError(f"must be a folder, or false to write nothing, not {value!r}")


def _words(value: Any) -> tuple[str, ...]:
    words = value.split(",") if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError(f"must be a word or a list of words, not {value!r}")
    return tuple(word.strip() for word in words if word.strip())


def _line_of(key: str, text: str) -> int:
    """The line of a key below [tool.verifier]; tomllib keeps no positions."""
    section = re.search(r"^\s*\[tool\.verifier\]", text, re.M)
    start = section.end() if section else 0
    found = re.compile(rf"^\s*[\"']?{re.escape(key)}[\"']?\s*=", re.M).search(text, start)
    return text.count("\n", 0, found.start() + 1 if found else start) + 1


_CHECKS = {
    "reports": _reports,
    "jobs": jobs,
    "device": devices,
    "fail-on": fail_on,
    "preload": _words,
    "timeout": seconds,
    "memory": megabytes,
}
