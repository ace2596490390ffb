"""Data flows one way: a room imports only from the rooms before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "verifier"

#: Each room with the rooms that it may import from, beside itself.
ALLOWED = {
    "model": set(),
    "claimfile": {"model"},
    "document": {"model"},
    "probe": {"model"},
    "judge": {"model"},
    "report": {"model", "judge"},
}
#: What only the fork server and its children may import, and only inside functions.
HEAVY = {"torch", "numpy"}


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            if node.module == "verifier":
                yield from (f"verifier.{alias.name}" for alias in node.names)


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE.parent).with_suffix("").as_posix()


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_a_room_imports_only_from_rooms_before_it(path: Path):
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    if parts[0] not in ALLOWED:
        return  # run, the recorder and the entrances come after all rooms
    allowed = ALLOWED[parts[0]] | {parts[0]}
    ours = {name for name in imports(ast.parse(path.read_text())) if name.startswith("verifier.")}
    assert {name.split(".")[1] for name in ours} <= allowed


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_nothing_imports_torch_when_it_is_imported(path: Path):
    tree = ast.parse(path.read_text())
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    inside = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, functions)
        for child in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in inside:
            assert not {name.split(".")[0] for name in imports(node)} & HEAVY


@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_a_file_fits_in_a_head(path: Path):
    assert len(path.read_text().splitlines()) <= 400
