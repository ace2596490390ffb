"""What the claim file records about a case."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from verifier.claimfile import matrix
from verifier.model import Claim, Ledger, LedgerException, Verdict

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet


def recorded(
    claim: Claim, params: Mapping[str, Any], versions: Mapping[str, str]
) -> Verdict | None:
    """The recorded verdict of the case at `params` under these package `versions`.

    It is the claim's, unless a `when` entry matches; of several the last counts. None
    means that nothing is recorded.
    """
    return look_up(claim.ledger, params, versions)


def look_up(
    ledger: Ledger, params: Mapping[str, Any], versions: Mapping[str, str]
) -> Verdict | None:
    """As `recorded`, for a ledger by itself."""
    verdict = ledger.verdict
    for entry in ledger.when:
        if applies(entry, params, versions):
            verdict = entry.verdict
    return verdict


def applies(entry: LedgerException, params: Mapping[str, Any], versions: Mapping[str, str]) -> bool:
    """Whether every condition of `entry` holds: axes by value, packages by version."""
    return all(
        matrix.same(wanted, params[name])
        if name in params
        else name in versions and version_matches(wanted, versions[name])
        for name, wanted in entry.conditions.items()
    )


def version_matches(specifier: str, version: str) -> bool:
    """Whether `version` (pre-releases included) satisfies `specifier`, such as ``<2.4``."""
    return _specifier_set(specifier).contains(version, prereleases=True)


def specifier_flaw(specifier: str) -> str:
    """Why `specifier` cannot be read, or an empty string."""
    from packaging.specifiers import InvalidSpecifier

    try:
        _specifier_set(specifier)
    except InvalidSpecifier as error:
        return str(error)
    return ""


@functools.lru_cache(maxsize=256)
def _specifier_set(specifier: str) -> SpecifierSet:
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(specifier)
