"""The cases of a claim: its matrix multiplied out."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from verifier.model import Case, Claim

#: More cases than this in one claim are a mistake, not a matrix.
MAX_CASES: Final = 10_000

_UNSAFE = re.compile(r"[^A-Za-z0-9._+-]")


def cases(claim: Claim) -> tuple[Case, ...]:
    """The cases in the order of the matrix as written, without those excluded.

    A claim without a probe has none, one without a matrix has the one case ``cpu``.
    """
    if claim.probe is None:
        return ()
    return tuple(
        Case(claim=claim, id=case_id(params), params=params)
        for params in points(claim.matrix, claim.exclude)
    )


def points(
    matrix: Mapping[str, Sequence[Any]], exclude: Sequence[Mapping[str, Any]] = ()
) -> Iterator[dict[str, Any]]:
    """The combinations of `matrix` that no entry of `exclude` matches."""
    for values in itertools.product(*matrix.values()):
        params = dict(zip(matrix, values, strict=True))
        if not any(matches(entry, params) for entry in exclude):
            yield params


def size(matrix: Mapping[str, Sequence[Any]]) -> int:
    """The number of combinations before any is excluded."""
    return math.prod(len(values) for values in matrix.values())


def matches(conditions: Mapping[str, Any], params: Mapping[str, Any]) -> bool:
    """Whether `params` has every value that `conditions` names."""
    return all(axis in params and same(value, params[axis]) for axis, value in conditions.items())


def same(one: Any, other: Any) -> bool:
    """Equality of axis values as written: ``1``, ``1.0`` and ``true`` are three values."""
    return repr(as_written(one)) == repr(as_written(other))


def as_written(value: Any) -> Any:
    """`value` with lists as tuples, as the reader gives them; results have lists."""
    match value:
        case list() | tuple():
            return tuple(map(as_written, value))
        case dict():
            return {key: as_written(item) for key, item in value.items()}
        case _:
            return value


def case_id(params: Mapping[str, Any]) -> str:
    """The values joined by "-": letters, digits and ``._+`` only, so safe in file names."""
    return "-".join(map(_name, params.values())) or "cpu"


def _name(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return str(value).lower()
        case "":
            return "empty"
        case tuple() if not value:
            return "0d"
        case tuple():
            nested = any(isinstance(item, tuple) for item in value)
            return ("_" if nested else "x").join(map(_name, value))
        case _:
            return _UNSAFE.sub("_", str(value))
