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
    excluded = _by_axes(exclude)
    written = [[(value, key(value)) for value in values] for values in matrix.values()]
    for pairs in itertools.product(*written):
        keys = {axis: pair[1] for axis, pair in zip(matrix, pairs, strict=True)}
        if not any(
            tuple(map(keys.get, axes)) in combinations for axes, combinations in excluded.items()
        ):
            yield {axis: pair[0] for axis, pair in zip(matrix, pairs, strict=True)}


def _by_axes(
    exclude: Sequence[Mapping[str, Any]],
) -> dict[tuple[str, ...], set[tuple[str, ...]]]:
    """The excluded combinations by the axes they name, so that many cost no more than few."""
    found: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for entry in exclude:
        axes = tuple(sorted(entry))
        found.setdefault(axes, set()).add(tuple(key(entry[axis]) for axis in axes))
    return found


def size(matrix: Mapping[str, Sequence[Any]]) -> int:
    """The number of combinations before any is excluded."""
    return math.prod(len(values) for values in matrix.values())


def same(one: Any, other: Any) -> bool:
    """Equality of axis values as written: ``1``, ``1.0`` and ``true`` are three values."""
    return key(one) == key(other)


def key(value: Any) -> str:
    """A text that is equal for the values that are the `same`."""
    return repr(as_written(value))


def as_written(value: Any) -> Any:
    """`value` with lists as tuples, as the reader gives them; results have lists."""
    match value:
        case list() | tuple():
            return tuple(map(as_written, value))
        case dict():
            return {name: as_written(item) for name, item in value.items()}
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
