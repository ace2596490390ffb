"""Exit codes, the same in both entrances."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier.model import Results

#: The remark of a case that is equal in value but printed differently.
DRIFT = "representation-drift"


class Exit(enum.IntEnum):
    """How a run ended, with pytest's numbers."""

    OK = 0
    FAILED = 1
    INTERRUPTED = 2
    INTERNAL = 3
    USAGE = 4
    NOTHING_FOUND = 5


class UsageError(Exception):
    """A mistake in the arguments or settings; the message says what to do."""


#: Of several reasons to end the first in this order gives the code.
_PRECEDENCE = (
    Exit.INTERRUPTED,
    Exit.USAGE,
    Exit.INTERNAL,
    Exit.FAILED,
    Exit.NOTHING_FOUND,
    Exit.OK,
)


def combine(codes: Iterable[int]) -> Exit:
    """The exit code of a run that ended for all these reasons."""
    seen = set(codes)
    return next((code for code in _PRECEDENCE if code in seen), Exit.OK)


def is_unreadable(results: Results) -> bool:
    """Whether files were given, but not even the source of one of them could be read."""
    return bool(results.claims) and not results.documents


def of_results(results: Results, fail_on: Sequence[str] = ()) -> Exit:
    """What the verdicts alone amount to; `fail_on` adds to the ledger's differences."""
    if not results.claims:
        return Exit.NOTHING_FOUND
    failed = any(
        not claim.agrees
        or claim.verdict in fail_on
        or ("drift" in fail_on and any(DRIFT in case.remarks for case in claim.cases))
        for claim in results.claims
    )
    return Exit.FAILED if failed else Exit.OK
