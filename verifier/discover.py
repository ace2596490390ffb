"""Which files are claim files.

Imports nothing of ours, so that a pytest user without claim files pays only for
looking at the head of their YAML files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

SUFFIXES = (".yaml", ".yml")

#: A claim file is known by its root keys; other YAML is left alone. The number
#: keeps the many files apart that have a `schema:` of another sort.
_ROOT_KEY = re.compile(
    rb"""^(?:\xef\xbb\xbf)?["']?
         (?: claims["']?[ \t]*: | schema["']?[ \t]*:[ \t]*\d+[ \t]*(?:\#.*)?\r?$ )""",
    re.MULTILINE | re.VERBOSE,
)
_HEAD = 64 * 1024


def looks_like_claim_file(path: Path) -> bool:
    """Whether `path` is a claim file by its name and the keys in its head.

    A file with mistakes is still recognised, so that they get reported; so is one
    that may not be read, for a claim that nobody checks must not look checked.
    """
    if path.suffix.lower() not in SUFFIXES:
        return False
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except PermissionError:
        return True
    except OSError:
        return False
    return _ROOT_KEY.search(head) is not None


def claim_files(paths: Iterable[Path]) -> Iterator[Path]:
    """The claim files among `paths` and below its folders, each once, in order.

    A file that is named outright is always given, whatever it holds: its reader
    says what is wrong with it. Hidden folders are left out.
    """
    seen: set[Path] = set()
    for path in paths:
        for found in _below(path) if path.is_dir() else (path,):
            if (resolved := found.resolve()) not in seen:
                seen.add(resolved)
                yield found


def _below(folder: Path) -> list[Path]:
    found: list[Path] = []

    def keep_unreadable(error: OSError) -> None:
        found.append(Path(error.filename))  # its reader says so

    for place, folders, names in os.walk(folder, onerror=keep_unreadable):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = [Path(place, name) for name in names if not name.startswith(".")]
        found += [path for path in paths if path.is_file() and looks_like_claim_file(path)]
    return sorted(found)
