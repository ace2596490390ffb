"""Which files are claim files.

Imports nothing of ours, so that a pytest user without claim files pays only for
looking at the head of their YAML files.
"""

from __future__ import annotations

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

    A file with mistakes is still recognised, so that they get reported. An
    unreadable file is not: whoever names it outright gets the reader's message.
    """
    if path.suffix.lower() not in SUFFIXES:
        return False
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
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


def _below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if not hidden and path.is_file() and looks_like_claim_file(path):
            yield path
