"""Compile code of a claim file so that everything points back into that file."""

from __future__ import annotations

import ast
import linecache
from types import CodeType
from typing import TypedDict


class Snippet(TypedDict):
    """A `verifier.model.Code` as it arrives in the child."""

    text: str
    line: int
    column: int


def compile_code(snippet: Snippet, file: str) -> CodeType:
    """Compile statements; line numbers are those of the file, in syntax errors too."""
    return compile(_padding(snippet) + snippet["text"], file, "exec", dont_inherit=True)


def compile_value(snippet: Snippet, file: str) -> tuple[CodeType, CodeType]:
    """Compile statements whose last is an expression: what comes before, and its value.

    Raises SyntaxError where the last statement has no value.
    """
    tree = ast.parse(_padding(snippet) + snippet["text"], file)
    last = tree.body.pop() if tree.body else None
    if not isinstance(last, ast.Expr):
        place = (file, snippet["line"], 1, snippet["text"].split("\n", 1)[0])
        message = "this code must end in an expression: its value is needed"
        raise SyntaxError(message, place)  # noqa: TRY004 - the type of the node is syntax
    before = compile(tree, file, "exec", dont_inherit=True)
    return before, compile(ast.Expression(last.value), file, "eval", dont_inherit=True)


def parse_expression(snippet: Snippet, file: str) -> ast.Expression:
    """Parse one expression; line numbers are those of the file."""
    # Spaces before and after an expression mean nothing, but not to the parser.
    text = _padding(snippet) + snippet["text"].strip(" \t").rstrip()
    return ast.parse(text, file, "eval")


def show_to_inspect(file: str, snippets: list[Snippet]) -> None:
    """Let tracebacks, `inspect.getsource` and `torch.jit.script` find the code.

    They look it up by file name and line. What they find is the Python alone,
    on the lines it has in the claim file, so that it parses as one program.
    """
    lines: list[str] = []
    for snippet in snippets:
        text = snippet["text"].rstrip().split("\n")
        first = snippet["line"] - 1
        lines += [""] * (first + len(text) - len(lines))
        if not any(lines[first : first + len(text)]):
            lines[first : first + len(text)] = text
    text_lines = [line + "\n" for line in lines]
    # Without a modification time an entry is never checked against the disk.
    linecache.cache[file] = (sum(map(len, text_lines)), None, text_lines, file)


def _padding(snippet: Snippet) -> str:
    return "\n" * (snippet["line"] - 1)
