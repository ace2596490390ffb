"""What the parent tells the child about a case, and no more.

The child gets code, axes and a seed. It does not get what is expected, which
check plays which part, or what the ledger says.
"""

from __future__ import annotations

from typing import Any

import msgspec

from verifier.model import Case
from verifier.probe.limits import Limits

#: The fields of a check that say what to run; all others say what to expect.
_TO_RUN = frozenset(
    ("check", "code", "of", "first", "second", "first_setup", "second_setup", "threads")
)


def encode_case(case: Case, seed: int, limits: Limits) -> bytes:
    """A case as the fork server reads it."""
    claim = case.claim
    checks = [
        {key: value for key, value in msgspec.to_builtins(check).items() if key in _TO_RUN}
        for check in claim.checks
    ]
    job: dict[str, Any] = {
        "file": claim.file,
        "setup": claim.setup,
        "probe": claim.probe,
        "checks": checks,
        "params": case.params,
        "device": case.device,
        "requires": claim.requires,
        "seed": seed,
        "limits": limits,
    }
    return msgspec.json.encode(job)


def limits_for(case: Case, limits: Limits) -> Limits:
    """The limits of a case: a claim may set its own time."""
    return limits if case.claim.timeout is None else limits.within(case.claim.timeout)


def encode_device(device: str, limits: Limits) -> bytes:
    """A question about a device as the fork server reads it."""
    return msgspec.json.encode({"device": device, "limits": limits})
