"""What can go wrong with results and reports, said for people."""

from __future__ import annotations

import errno
from pathlib import Path


class ResultsError(ValueError):
    """A results file that cannot be used; the message says which, what and the remedy."""


class ReportError(OSError):
    """A report that could not be written.

    `why` is the cause in a few words and `remedy` what to do about it.
    """

    def __init__(self, path: Path, why: str, remedy: str) -> None:
        super().__init__(f"{path}: the report could not be written: {why}; {remedy}")
        self.path = path
        self.why = why
        self.remedy = remedy

    def __str__(self) -> str:
        return str(self.args[0])

    @classmethod
    def of(cls, error: OSError, path: Path) -> ReportError:
        """The report error that says what `error` on writing `path` means."""
        why = (error.strerror or str(error)).lower()
        remedy = _REMEDIES.get(error.errno or 0, "choose another folder for the reports")
        return cls(Path(error.filename or path), why, remedy)


_ANOTHER = "choose another folder or change its permissions"
_REMEDIES = {
    errno.EACCES: _ANOTHER,
    errno.EPERM: _ANOTHER,
    errno.EROFS: "the file system is read-only: choose a folder elsewhere",
    errno.ENOSPC: "free some space or choose a folder on another disk",
    errno.EDQUOT: "free some space or choose a folder on another disk",
    errno.ENOTDIR: "a file has the folder's name: move it away or choose another folder",
    errno.EEXIST: "a file has the folder's name: move it away or choose another folder",
    errno.EISDIR: "a folder has the report's name: move it away or choose another folder",
    errno.ENAMETOOLONG: "choose a shorter name",
}
