"""The text of a claim file, or why it has none."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from verifier.model import Problem

MAX_BYTES: Final = 8 * 1024 * 1024
_BYTE_ORDER_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")


def load(path: Path) -> str | Problem:
    """The text of `path` with line endings as they are, or the reason why there is none.

    A UTF-8 byte order mark is kept.
    """
    if (shown := _shown(path)) != str(path):
        return Problem(file=shown, message="its name is not UTF-8: rename the file or its folder")
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except IsADirectoryError:
        return Problem(file=str(path), message="is a directory, not a claim file")
    except FileNotFoundError:
        return Problem(file=str(path), message="no such file")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        return Problem(file=str(path), message=f"cannot be read: {reason}")
    if len(data) > MAX_BYTES:
        message = f"more than {MAX_BYTES // 1024**2} MiB: split it by section of the document"
        return Problem(file=str(path), message=message)
    return _decode(data, str(path))


def _shown(path: Path) -> str:
    """The path as text that can be printed and written into results."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def _decode(data: bytes, path: str) -> str | Problem:
    if data.startswith(_BYTE_ORDER_MARKS):
        return Problem(file=path, message="is UTF-16: save it as UTF-8")
    if (nul := data.find(b"\0")) >= 0:
        message = f"is no text: a NUL byte at byte {nul + 1}"
        return Problem(file=path, message=message, line=_line(data, nul))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = data[error.start]
        message = f"is not UTF-8: byte {error.start + 1} is 0x{byte:02x}; save it as UTF-8"
        return Problem(file=path, message=message, line=_line(data, error.start))


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1
