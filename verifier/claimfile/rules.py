"""What relates the keys of a claim to another.

Runs after `verifier.claimfile.shape`: a key that is missing or `BROKEN` has been
reported there and is passed over in silence, so that one mistake gives one message.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from verifier.claimfile import matrix
from verifier.claimfile.code_rules import CodeRules, Keys
from verifier.claimfile.format import DEVICE, PATTERN_MEANINGS
from verifier.claimfile.ledger import specifier_flaw
from verifier.claimfile.shape import Report, guess
from verifier.claimfile.text import Text
from verifier.claimfile.yaml12 import BROKEN, Node

CHECK_KEYS: Final = ("precondition", "control", "expect", "refuted_by")
UNDECIDED: Final = ("error", "inconclusive", "not-checked")


def plain(node: Node) -> Any:
    """The value of a node without places, lists as tuples."""
    if type(node.value) is list:
        return tuple(map(plain, node.value))
    return node.value


class _Axis(NamedTuple):
    """The values of an axis, and their keys for looking one up."""

    values: tuple[Any, ...]
    keys: frozenset[str]


class ClaimRules:
    """Checks one claim after another and reports what is wrong."""

    def __init__(self, text: Text, report: Report) -> None:
        self.code = CodeRules(text, report)
        self._report = report

    def check(self, claim: Node) -> None:
        """Report everything in `claim` that breaks a rule."""
        keys: Keys = claim.value
        self.code.snippet(keys.get("probe"), "probe", "exec")
        for name in CHECK_KEYS:
            for entry in _items(keys.get(name)):
                self.code.entry(entry, name)
        if "probe" in keys:
            self._probed(claim)
        else:
            self._unverifiable(claim)
        self.place(keys.get("at"))
        self._matrix(claim)
        self._ledger(claim)

    # --- evidence --------------------------------------------------------------------

    def _probed(self, claim: Node) -> None:
        keys: Keys = claim.value
        if "expect" not in keys:
            self._report(claim.start, '"expect" missing: what does the statement predict?')
        if _value(keys, "verdict") == "unverifiable":
            message = "an unverifiable claim has no probe: remove it, or record another verdict"
            self._report(keys["verdict"].start, message)
        runs = _matchers(keys.get("expect"), "runs")
        raises = _matchers(keys.get("refuted_by"), "raises")
        if runs and not raises:
            message = (
                '"runs" needs a "raises" in refuted_by that names the exception: '
                "any other exception is an error of the probe"
            )
            self._report(runs[0].key, message)
        for node in raises:
            if type(node.value) is dict and "code" not in node.value and len(runs) != 1:
                message = '"code" missing: it can be left out only where expect has one "runs"'
                self._report(node.start, message)

    def _unverifiable(self, claim: Node) -> None:
        keys: Keys = claim.value
        present = [name for name in CHECK_KEYS if name in keys]
        if present:
            self._report(claim.start, f'"probe" missing, but there is "{present[0]}"')
            return
        if "reason" not in keys:
            message = 'a claim needs "probe" and "expect", or a "reason" why it cannot be verified'
            self._report(claim.start, message)
        if _value(keys, "verdict") not in (None, "unverifiable"):
            message = f"a claim without a probe cannot be {_value(keys, 'verdict')}"
            self._report(keys["verdict"].start, message)
        if "when" in keys:
            self._report(keys["when"].key, 'a claim without a probe has no cases for "when"')

    # --- place -----------------------------------------------------------------------

    def place(self, node: Node | None) -> None:
        """Report an `at` that is no place."""
        if node is None or node.value is BROKEN:
            return
        if type(node.value) is str:
            self._lines(node)
        elif type(node.value) is dict:
            keys: Keys = node.value
            if ("lines" in keys) == ("exact" in keys):
                self._report(node.start, '"at" needs either "lines" or "exact"')
            for key, other in (("sentence", "lines"), ("prefix", "exact"), ("suffix", "exact")):
                if key in keys and other not in keys:
                    self._report(keys[key].key, f'"{key}" goes with "{other}"')
            if "lines" in keys and type(keys["lines"].value) is str:
                self._lines(keys["lines"])

    def _lines(self, node: Node) -> None:
        first, _, last = node.value.partition("-")
        if last and (len(last), last) < (len(first), first):
            self._report(node.start, f"the last line comes before the first in {node.value}")

    # --- matrix ----------------------------------------------------------------------

    def _matrix(self, claim: Node) -> None:
        keys: Keys = claim.value
        axes = _axes(keys)
        if axes is None:
            return
        for name, axis in axes.items():
            self.code.name(keys["matrix"].value[name].key, name)
            if name == "device":
                self._devices(keys["matrix"].value[name])
            if BROKEN in axis.values:
                return
        exclude = [
            entry
            for entry in _items(keys.get("exclude"))
            if type(entry.value) is dict and entry.value
        ]
        for entry in exclude:
            for axis, node in entry.value.items():
                self._axis_value(axis, node, axes)
        values = {name: axis.values for name, axis in axes.items()}
        if axes and all(values.values()):
            self._cases(keys, values, [_conditions(entry) for entry in exclude])

    def _devices(self, node: Node) -> None:
        for device in _items(node):
            if device.value is not BROKEN and not re.fullmatch(DEVICE, str(device.value)):
                message = f'each entry of "device" {PATTERN_MEANINGS[DEVICE]}, not {device.value}'
                self._report(device.start, message)

    def _axis_value(self, axis: str, node: Node, axes: dict[str, _Axis]) -> None:
        if axis not in axes:
            message = f'"{axis}" is no axis of the matrix{guess(axis, axes)}'
            self._report(node.key, message)
        elif (
            node.value is not BROKEN
            and axes[axis].values
            and matrix.key(plain(node)) not in axes[axis].keys
        ):
            self._report(
                node.start, f'the axis "{axis}" has no such value: the case is never tried'
            )

    def _cases(
        self, keys: Keys, values: dict[str, tuple[Any, ...]], exclude: list[dict[str, Any]]
    ) -> None:
        start = keys["matrix"].key
        if matrix.size(values) > matrix.MAX_CASES:
            message = f"{matrix.size(values):,} cases, at most {matrix.MAX_CASES:,} are allowed"
            self._report(start, message)
            return
        seen: dict[str, dict[str, Any]] = {}
        for params in matrix.points(values, exclude):
            case_id = matrix.case_id(params)
            if case_id in seen:
                message = f'two cases have the id "{case_id}": make their values differ'
                self._report(start, message)
                return
            seen[case_id] = params
        if not seen:
            self._report(keys["exclude"].key, "no case of the matrix is left")

    # --- ledger ----------------------------------------------------------------------

    def _ledger(self, claim: Node) -> None:
        keys: Keys = claim.value
        verdict = _value(keys, "verdict")
        if verdict == "refuted" and "correction" not in keys:
            message = 'a refuted claim needs a "correction": what is true instead?'
            self._report(keys["verdict"].start, message)
        undecided = [keys["verdict"]] if verdict in UNDECIDED else []
        axes = _axes(keys)
        for entry in _items(keys.get("when")):
            if type(entry.value) is dict:
                undecided += self._exception(entry, axes)
        if undecided and "reason" not in keys:
            message = f'recorded as {undecided[0].value} without a "reason"'
            self._report(undecided[0].start, message)

    def _exception(self, entry: Node, axes: dict[str, _Axis] | None) -> list[Node]:
        """Check one entry of `when`; returns its verdict if that needs a reason."""
        for name, node in entry.value.items():
            if name != "verdict" and node.value is not BROKEN and axes is not None:
                self._condition(name, node, axes)
        verdict = entry.value.get("verdict")
        if verdict is None:
            self._report(entry.start, '"verdict" missing')
        elif verdict.value in UNDECIDED:
            return [verdict]
        elif verdict.value not in ("verified", "refuted", BROKEN):
            words = ", ".join(("verified", "refuted", *UNDECIDED))
            self._report(verdict.start, f'"verdict" must be one of {words}')
        return []

    def _condition(self, name: str, node: Node, axes: dict[str, _Axis]) -> None:
        if name in axes or name == "device":
            self._axis_value(name, node, axes)
            return
        value = node.value
        if type(value) is str and value.strip() and not specifier_flaw(value):
            return
        message = (
            f'"{name}" is no axis of the matrix{guess(name, axes)}, and for a package '
            f'a version such as "<2.4" is needed'
        )
        self._report(node.key, message)


def _items(node: Node | None) -> list[Node]:
    return node.value if node is not None and type(node.value) is list else []


def _value(keys: Keys, name: str) -> Any:
    node = keys.get(name)
    return None if node is None or node.value is BROKEN else node.value


def _matchers(node: Node | None, matcher: str) -> list[Node]:
    return [
        entry.value[matcher]
        for entry in _items(node)
        if type(entry.value) is dict and matcher in entry.value
    ]


def _axes(keys: Keys) -> dict[str, _Axis] | None:
    """The matrix; None if it has been reported. An axis that has been is empty."""
    matrix_node = keys.get("matrix")
    if matrix_node is None:
        return {}
    if type(matrix_node.value) is not dict:
        return None
    axes = {}
    for name, node in matrix_node.value.items():
        values = tuple(map(plain, _items(node)))
        axes[name] = _Axis(values, frozenset(map(matrix.key, values)))
    return axes


def _conditions(entry: Node) -> dict[str, Any]:
    return {name: plain(node) for name, node in entry.value.items()}
