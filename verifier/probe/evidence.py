"""Evaluate an expression once and keep the value of every operand, as pytest does.

The syntax tree is rewritten so that each name, attribute, subscript, call,
comparison and operation passes its value through a recorder. Every part is
still evaluated exactly once and in Python's own order, and what ``and``,
``or`` and chained comparisons skip stays skipped. Bodies of lambdas and
comprehensions, which run many times or later, are left as they are.
"""

from __future__ import annotations

import ast
from types import FunctionType, ModuleType
from typing import Any, TypeVar

from verifier.probe.describe import Addresses, describe, shorten
from verifier.probe.raised import describe_exception
from verifier.probe.source import Snippet, parse_expression

_MOST_OPERANDS = 40
_LONGEST_CODE = 200
#: No identifier, so that no probe can use or hide it.
_RECORDER = "@record"

_Value = TypeVar("_Value")


def evaluate(
    snippet: Snippet, file: str, namespace: dict[str, Any], addresses: Addresses
) -> dict[str, Any]:
    """Evaluate an expression to its truth; a `verifier.model.Observed` as data.

    Where the value has no truth, as a tensor of several elements, the exception
    that says so is the observation.
    """
    operands = Operands(addresses)
    observed: dict[str, Any] = {}
    try:
        code = instrument(snippet, file, operands)
        namespace[_RECORDER] = operands.record
        try:
            value = eval(code, namespace)  # noqa: S307 - running the claim's code is the purpose
        finally:
            namespace.pop(_RECORDER, None)
        observed["value"] = describe(value)
        observed["truth"] = bool(value)
    except BaseException as error:  # noqa: BLE001 - foreign code may raise anything
        observed["exception"] = describe_exception(error, file)
    observed["operands"] = operands.seen
    return observed


class Operands:
    """The operands of one expression, in order of evaluation."""

    def __init__(self, addresses: Addresses) -> None:
        self.seen: list[dict[str, str]] = []
        self._addresses = addresses
        self._parts: list[tuple[str, bool]] = []

    def add(self, code: str, *, is_address: bool) -> int:
        """Announce a part of the expression; its number."""
        self._parts.append((shorten(code, _LONGEST_CODE), is_address))
        return len(self._parts) - 1

    def record(self, number: int, value: _Value) -> _Value:
        """Note the value of a part, and hand it on."""
        if not isinstance(value, _NOT_SHOWN) and len(self.seen) < _MOST_OPERANDS:
            code, is_address = self._parts[number]
            known = is_address and type(value) is int
            text = self._addresses.describe(value) if known else describe(value)  # type: ignore[arg-type]
            operand = {"code": code, "value": text}
            if text != code and operand not in self.seen:
                self.seen.append(operand)
        return value


#: Naming these says nothing that the code does not.
_NOT_SHOWN = (ModuleType, FunctionType, type(len), type)


def instrument(snippet: Snippet, file: str, operands: Operands) -> Any:
    """Compile an expression that passes its operands through `operands`."""
    tree = parse_expression(snippet, file)
    lines = snippet["text"].strip(" \t").encode().split(b"\n")
    rewriter = _Rewriter(lines, snippet["line"], operands)
    body = rewriter.inside(tree.body)
    return compile(ast.Expression(body), file, "eval", dont_inherit=True)


class _Rewriter(ast.NodeTransformer):
    """Wrap the parts of an expression in calls of the recorder."""

    def __init__(self, lines: list[bytes], first: int, operands: Operands) -> None:
        self._lines = lines
        self._first = first
        self._operands = operands

    def inside(self, node: ast.expr) -> ast.expr:
        """Wrap what is inside a node, but not the node itself."""
        if isinstance(node, _LEFT_ALONE):
            return node
        if isinstance(node, ast.Call):
            # A function is not an operand; the object whose method it is, is one.
            node.func = self.inside(node.func)
            node.args = [self.visit(each) for each in node.args]
            node.keywords = [self.visit(each) for each in node.keywords]
            return node
        self.generic_visit(node)
        return node

    def visit(self, node: ast.AST) -> Any:
        """Wrap a node, and what is inside it."""
        if not isinstance(node, ast.expr):
            return self.generic_visit(node)
        if not _is_operand(node):
            return self.inside(node)
        number = self._operands.add(self._segment(node), is_address=_is_address(node))
        place = {name: getattr(node, name) for name in _PLACE}
        recorder = ast.Name(_RECORDER, _LOAD, **place)
        arguments = [ast.Constant(number, **place), self.inside(node)]
        return ast.Call(recorder, arguments, [], **place)

    def _segment(self, node: ast.expr) -> str:
        first, last = node.lineno - self._first, (node.end_lineno or 0) - self._first
        lines = self._lines[first : last + 1]
        lines[-1] = lines[-1][: node.end_col_offset]  # offsets count bytes
        lines[0] = lines[0][node.col_offset :]
        return b" ".join(line.strip() for line in lines).decode()


_LOAD = ast.Load()
_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")
_LEFT_ALONE = (
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.JoinedStr,
    ast.Constant,
)
_OPERANDS = (
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Call,
    ast.Compare,
    ast.BoolOp,
    ast.BinOp,
    ast.UnaryOp,
    ast.IfExp,
    ast.NamedExpr,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
)


def _is_operand(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        return False  # a negative number is as plain as a positive one
    is_read = isinstance(getattr(node, "ctx", _LOAD), ast.Load)
    return is_read and isinstance(node, _OPERANDS)


def _is_address(node: ast.expr) -> bool:
    """Whether a call tells where in memory something lies."""
    if not isinstance(node, ast.Call):
        return False
    function: ast.expr = node.func
    if isinstance(function, ast.Attribute):
        return function.attr == "data_ptr"
    return isinstance(function, ast.Name) and function.id == "id"
