"""Whether pieces of Python and regular expressions compile, and where they do not."""

from __future__ import annotations

import functools
import re
import warnings
from typing import Literal

import msgspec

Mode = Literal["exec", "eval"]


class Flaw(msgspec.Struct, frozen=True):
    """What is wrong; `line` and `column` count from 1 within the text, 0 is unknown."""

    message: str
    line: int
    column: int


@functools.lru_cache(maxsize=4096)
def python_flaw(code: str, mode: Mode) -> Flaw | None:
    """The first reason why `code` does not compile as statements or as one expression."""
    error = _compile(code, mode)
    if error is None:
        return None
    message = error.msg if isinstance(error, SyntaxError) else str(error) or "too deeply nested"
    if mode == "eval" and _compile(code, "exec") is None:
        message = (
            "a statement where an expression is needed (compare with ==, put statements into probe)"
        )
    if isinstance(error, SyntaxError):
        return Flaw(message, error.lineno or 0, error.offset or 0)
    return Flaw(message, 0, 0)


@functools.lru_cache(maxsize=4096)
def pattern_flaw(pattern: str) -> Flaw | None:
    """The reason why `pattern` is no regular expression."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            re.compile(pattern)
        except re.error as error:
            return Flaw(error.msg, error.lineno, error.colno)
        except (RecursionError, OverflowError) as error:
            return Flaw(str(error), 0, 0)
    return None


def _compile(code: str, mode: Mode) -> Exception | None:
    """The exception of compiling. Warnings of the compiler are the probe's business."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(code, "<claim>", mode, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return error
    return None
