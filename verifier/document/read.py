"""Read a document from a file. Each format has a module of its own that finds the blocks."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

from verifier.document import plaintext
from verifier.document.blocks import Block, Document

#: Bytes that a document may have. Tutorials are far smaller; a file of this size is data.
LARGEST = 10_000_000

_READERS: dict[str, Callable[[str], tuple[Block, ...]]] = {
    ".txt": plaintext.blocks,
}
#: Formats whose lines are not what a reader sees, so that they cannot pass for plain text.
_NOT_READ = {".htm": "HTML", ".html": "HTML", ".xhtml": "HTML", ".ipynb": "a notebook"}
_READ = "documents are read as plain text in UTF-8 (.txt, or any other text file)"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class DocumentError(Exception):
    """A document that cannot be read: what is wrong, where, and what to do."""

    def __init__(self, path: str, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(f"{path}:{line}:{column}: {message}")
        self.path = path
        self.message = message
        self.line = line
        self.column = column


def read(path: str | os.PathLike[str]) -> Document:
    """Read a document; its suffix chooses the format, any other text is plain text.

    Raises DocumentError where it cannot be read.
    """
    name = os.fspath(path)
    suffix = Path(path).suffix.lower()
    if suffix in _NOT_READ:
        raise DocumentError(name, f"is {_NOT_READ[suffix]}; save its text: {_READ}")
    content = _bytes(Path(path), name)
    text = _text(content, name)
    return Document(
        path=name,
        text=text,
        digest=hashlib.sha256(content).hexdigest(),
        blocks=_READERS.get(suffix, plaintext.blocks)(text),
    )


def _bytes(path: Path, name: str) -> bytes:
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise DocumentError(name, "is a folder; name one of the documents in it")
        if not stat.S_ISREG(status.st_mode):
            raise DocumentError(name, "is a device or a pipe; save what it gives as a file")
        if status.st_size > LARGEST:
            raise DocumentError(
                name, f"is larger than {LARGEST // 1_000_000} MB; name a part of it or a text file"
            )
        return path.read_bytes()
    except FileNotFoundError as error:
        raise DocumentError(name, "no such file; check the path") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DocumentError(
            name, f"cannot be read: {reason}; check the path and its rights"
        ) from error


def _text(content: bytes, name: str) -> str:
    if content.startswith(_UTF16):
        raise DocumentError(name, "is in UTF-16; save it as UTF-8")
    if (position := content.find(b"\0")) >= 0:
        line, column = _place(content, position)
        raise DocumentError(name, f"is a binary file; {_READ}", line, column)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The codec counts from behind a byte order mark.
        mark = 3 if content.startswith(b"\xef\xbb\xbf") else 0
        line, column = _place(content, mark + error.start)
        byte = content[mark + error.start]
        raise DocumentError(
            name, f"byte 0x{byte:02x} is not UTF-8; save it as UTF-8", line, column
        ) from error
    if not text.strip():
        raise DocumentError(name, "is empty; name a document with text in it")
    return text


def _place(content: bytes, position: int) -> tuple[int, int]:
    """Line and column, in characters, of a byte; what is before it is valid or replaced."""
    before = content[:position].decode("utf-8-sig", errors="replace")
    before = before.replace("\r\n", "\n").replace("\r", "\n")
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
