"""Exceptions and warnings of foreign code, as data."""

from __future__ import annotations

import linecache
import sys
import traceback
import warnings
from types import FrameType
from typing import Any

from verifier.probe.describe import shorten

_MOST_FRAMES = 20
_MOST_WARNINGS = 100
_LONGEST_MESSAGE = 8000
_LONGEST_WARNING = 1000


def describe_exception(error: BaseException, file: str) -> dict[str, Any]:
    """An exception with its types and the frames that lie in the claim file."""
    return {
        "types": type_names(type(error)),
        "message": shorten(_message(error), _LONGEST_MESSAGE),
        "frames": _frames(error, file),
    }


def type_names(cls: type) -> list[str]:
    """The method resolution order as qualified names, without `object` and ``builtins.``."""
    # By way of `type`: a metaclass may have an `__mro__` of its own.
    return [_qualified(each) for each in type.mro(cls) if each is not object]


def _qualified(cls: type) -> str:
    module = str(getattr(cls, "__module__", ""))
    name = str(cls.__qualname__)
    return name if module in ("builtins", "") else f"{module}.{name}"


def _message(error: BaseException) -> str:
    # The place of a syntax error is in the frames.
    return _text(error.msg if isinstance(error, SyntaxError) else error)


def _text(value: object) -> str:
    try:
        return str(value)
    except BaseException as error:  # noqa: BLE001 - a foreign __str__ may do anything
        return f"<its message cannot be read: str() raised {type(error).__name__}>"


def _frames(error: BaseException, file: str) -> list[dict[str, Any]]:
    frames = [
        _frame(file, line, frame.f_code.co_name)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename == file
    ]
    if isinstance(error, SyntaxError) and error.filename == file and error.lineno:
        frames.append(_frame(file, error.lineno, "<module>"))
    if len(frames) > _MOST_FRAMES:  # endless recursion: where it began, where it ended
        half = _MOST_FRAMES // 2
        frames = frames[:half] + frames[-half:]
    return frames


def _frame(file: str, line: int, name: str) -> dict[str, Any]:
    text = shorten(linecache.getline(file, line).strip(), 200)
    return {"file": file, "line": line, "name": name, "text": text}


class WarningLog:
    """Every warning from now on, with the line of the claim file that caused it."""

    def __init__(self, file: str) -> None:
        self.warnings: list[dict[str, Any]] = []
        self._file = file

    def install(self) -> None:
        """Record every warning that Python's filters let through."""
        warnings.showwarning = self._record

    def since(self, count: int) -> list[dict[str, Any]]:
        """The warnings after the first `count`."""
        return self.warnings[count:]

    def _record(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: object = None,  # noqa: ARG002 - as `warnings` calls it
        line: str | None = None,  # noqa: ARG002
    ) -> None:
        if len(self.warnings) >= _MOST_WARNINGS:
            return
        place = lineno if filename == self._file else self._innermost_line()
        text = shorten(_text(message), _LONGEST_WARNING)
        self.warnings.append({"types": type_names(category), "message": text, "line": place})

    def _innermost_line(self) -> int:
        """The line of the claim file being run, for a warning placed elsewhere."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self._file:
            frame = frame.f_back
        return frame.f_lineno if frame is not None else 0
