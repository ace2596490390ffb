"""Whether two pieces of code do the same: by structure, and by their values.

Structure goes before the clock: what is the same code on the same memory costs
the same, and no stopwatch may say otherwise.
"""

from __future__ import annotations

import ast
import copy
import math
import sys
from collections.abc import Sequence
from typing import Any

Namespace = dict[str, Any]


def identity(trees: Sequence[ast.Module], names: Sequence[Namespace]) -> str:
    """Why two pieces of code are the same on the same memory; empty where they are not.

    They are if their syntax becomes equal after replacing every name by what it
    is bound to: the same object, or a tensor with the same data pointer, shape,
    strides, dtype, device, `requires_grad` and conjugate and negative bits.
    """
    bound = _bound_inside(trees[0]) | _bound_inside(trees[1])
    one, other = (
        _Resolver(namespace, bound).dump(tree) for tree, namespace in zip(trees, names, strict=True)
    )
    if one != other:
        return ""
    pairs = zip(_names(trees[0]), _names(trees[1]), strict=True)
    differing = {(first, second) for first, second in pairs if first != second}
    same = "; ".join(
        f"`{second}` is the same object as `{first}`"
        if names[0][first] is names[1][second]
        else f"`{second}` is the same memory as `{first}`, laid out alike"
        for first, second in sorted(differing)
    )
    return f"both sides are the same code{same and f': {same}'}"


def _names(tree: ast.AST) -> list[str]:
    return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]


def _bound_inside(tree: ast.AST) -> set[str]:
    """Names that the code itself binds, also in comprehensions and lambdas."""
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    return bound


class _Resolver(ast.NodeTransformer):
    """Replaces names by what they are bound to."""

    def __init__(self, namespace: Namespace, bound: set[str]) -> None:
        self._namespace = namespace
        self._bound = bound

    def dump(self, tree: ast.Module) -> str:
        """The syntax without places, comments and names of known objects."""
        return ast.dump(self.visit(copy.deepcopy(tree)))

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """Resolve a name that the code does not bind itself."""
        if node.id in self._bound or node.id not in self._namespace:
            return node
        return ast.Name(repr(_key(self._namespace[node.id])), node.ctx)


def _key(value: Any) -> tuple[Any, ...]:
    """What makes two objects interchangeable for the cost of code that uses them."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return ("object", id(value))
    return (
        type(value),
        value.data_ptr(),
        tuple(value.shape),
        value.stride(),
        value.dtype,
        value.device,
        value.requires_grad,
        value.is_conj(),
        value.is_neg(),
    )


def same_values(first: object, second: object) -> bool | None:
    """Whether two results are equal up to rounding; None if they cannot be compared.

    Compared are numbers, strings, tuples and lists of such, and tensors of the
    same shape, dtype and device.
    """
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(first, torch.Tensor) and isinstance(second, torch.Tensor):
        return _same_tensors(torch, first, second)
    if type(first) is not type(second):
        return None
    if isinstance(first, float) and isinstance(second, float):
        close = math.isclose(first, second, rel_tol=1e-8, abs_tol=1e-8)
        return close or (math.isnan(first) and math.isnan(second))
    if isinstance(first, tuple | list) and isinstance(second, tuple | list):
        if len(first) != len(second):
            return False
        parts = {same_values(*pair) for pair in zip(first, second, strict=True)}
        return False if False in parts else None if None in parts else True
    return first == second if isinstance(first, int | complex | str | bytes) else None


def _same_tensors(torch: Any, first: Any, second: Any) -> bool | None:
    if (first.shape, first.dtype, first.device) != (second.shape, second.dtype, second.device):
        return None
    if first.layout != torch.strided or second.layout != torch.strided:
        return None
    if not first.dtype.is_floating_point and not first.dtype.is_complex:
        return bool(torch.equal(first, second))
    # Another order of summation is no other result.
    tolerance = math.sqrt(torch.finfo(first.dtype).eps)
    with torch.no_grad():
        return bool(torch.allclose(first, second, rtol=tolerance, atol=tolerance, equal_nan=True))
