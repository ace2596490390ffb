"""Which lines of plain text are Python, and which are what Python printed.

Text that was copied from a page has lost its fences, so the lines themselves must tell.
Lines are first read as *pieces*: a statement of one or more lines, or one line of text.
Each piece has a shape:

=========== ======================================================================
statement   parses as an import, an assignment or a compound statement, or follows
            a prompt ``>>>``
call        parses, and calls, indexes or compares something: ``print(x)``, ``x[0]``
comment     ``# ...``
broken      does not parse, but reads like code with a mistake in it: ``x = f(1, 2``
value       a literal, the repr of a tensor or an array, or rows of numbers
labelled    ``label: value``
word        parses, though prose does too: ``Summary``, ``input/output``, ``x.shape``
text        all else
blank       nothing
=========== ======================================================================

Consecutive statements, calls, comments and broken lines are a *run*. A run is code if it
has a statement, or a call with arguments where the line before does not leave a sentence
open: a call alone may be inline code that a page broke onto its own line. A word is code
only at the end of a run and before a value, which it displays.

Printed are values, labelled values and tracebacks directly below code or other printed
lines; a value also where blank lines stand between it and the code.
"""

from __future__ import annotations

import ast
import codeop
import re
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from typing import Literal

from verifier.model import Noun

LineKind = Literal["blank", "text", "code", "output"]
Shape = Literal[
    "statement", "call", "comment", "broken", "value", "labelled", "word", "text", "blank"
]

#: A statement that spans more lines than this is not looked for.
LONGEST_STATEMENT = 200

_IN_RUN = ("statement", "call", "comment", "broken")
_COMPOUND = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.If,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.TryStar,
    ast.Match,
)
_STRONG = (ast.Import, ast.ImportFrom, ast.Assign, ast.AugAssign, *_COMPOUND)
_PROMPT = re.compile(r"\s*(?:>>>|\.\.\.)(?:\s|$)")
_BROKEN = re.compile(
    r"""\s*(?:
        [A-Za-z_][\w.]*(?:\[[^\]]*\])?(?:\s*,\s*[A-Za-z_]\w*)*\s*(?:[-+*/@%&|^]|//|\*\*)?=(?!=)\s*\S.*
        | [A-Za-z_][\w.]*\(.*[),(\[]
        | print\s+["'].*
        | (?:def|class|for|while|if|elif|with|async|else|try|except)\b.*:
    )\s*""",
    re.VERBOSE,
)
_QUOTED_OR_COMMENT = re.compile(r"\"[^\"]*\"|'[^']*'|#.*\Z")
_REPR_NAMES = frozenset({"tensor", "array", "torch.Size", "device", "Parameter", "Size"})
_REPR = re.compile(
    r"\s*(?:(?:tensor|array|torch\.Size)\(|Parameter containing:|<class '|<.* at 0x[0-9a-f]+>)"
)
_NUMBERS = re.compile(
    r"(?=.*[\dTFNni])"
    r"(?:[\[\](){},:+\-\s]|\d[\d._]*(?:e[+-]?\d+)?j?|nan|inf|True|False|None|\.\.\.)+"
)
_LABEL = re.compile(r"[^.!?。！？]{1,60}?[:=]\s*(?P<value>\S.*)")
_TRACEBACK = re.compile(
    r"Traceback \(most recent call last\):|[A-Za-z_][\w.]*(?:Error|Exception|Warning)(?::\s.*)?"
)
#: Goes on with what the line above printed: a further row, or a frame of a traceback.
_FURTHER = re.compile(r"\s+(?:[\[(\d]|-\d|File \")")
_OPEN = re.compile(r".*[^.!?。！？:：\s]\s*")


class Piece(Noun, frozen=True, kw_only=True):
    """Lines ``first`` to ``last`` (indices, inclusive) that belong together."""

    first: int
    last: int
    shape: Shape
    names: frozenset[str] = frozenset()
    with_arguments: bool = False


def kinds_of(lines: Sequence[str]) -> tuple[list[LineKind], frozenset[str]]:
    """The kind of each line, and the names that the code among them binds."""
    pieces = list(_pieces(lines))
    kinds: list[LineKind] = ["text" if line.strip() else "blank" for line in lines]
    names: set[str] = set()
    at = 0
    while at < len(pieces):
        run = _run(pieces, at)
        if not run:
            at += 1
            continue
        if _is_code(run, lines):
            # Blank lines inside a run are part of its code.
            kinds[run[0].first : run[-1].last + 1] = ["code"] * (run[-1].last + 1 - run[0].first)
            names.update(*(piece.names for piece in run))
            at = _mark_output(pieces, at + len(run), lines, kinds)
        else:
            at += len(run)
    return kinds, frozenset(names)


def _run(pieces: Sequence[Piece], at: int) -> Sequence[Piece]:
    """The longest run that begins at a piece, without blank pieces at its end."""
    end = at
    for index in range(at, len(pieces)):
        shape = pieces[index].shape
        if shape in _IN_RUN:
            end = index + 1
        elif shape == "word" and index > at and _shape_at(pieces, index + 1) == "value":
            return pieces[at : index + 1]
        elif shape != "blank" or index == at:
            break
    return pieces[at:end]


def _shape_at(pieces: Sequence[Piece], index: int) -> Shape:
    return pieces[index].shape if index < len(pieces) else "blank"


def _is_code(run: Sequence[Piece], lines: Sequence[str]) -> bool:
    if any(piece.shape == "statement" for piece in run):
        return True
    above = lines[run[0].first - 1].strip() if run[0].first else ""
    return any(piece.with_arguments for piece in run) and not _OPEN.fullmatch(above)


def _mark_output(
    pieces: Sequence[Piece], at: int, lines: Sequence[str], kinds: list[LineKind]
) -> int:
    """Mark what is printed below code; return where to go on."""
    below = at
    while below < len(pieces) and pieces[below].shape == "blank":
        below += 1
    if below > at and _shape_at(pieces, below) != "value":
        return at
    at = below
    while at < len(pieces) and _is_printed(pieces[at], lines, kinds):
        piece = pieces[at]
        kinds[piece.first : piece.last + 1] = ["output"] * (piece.last + 1 - piece.first)
        at += 1
    return at


def _is_printed(piece: Piece, lines: Sequence[str], kinds: Sequence[LineKind]) -> bool:
    if piece.shape in ("value", "labelled"):
        return True
    if piece.shape in ("blank", "statement"):
        return False
    text = lines[piece.first]
    goes_on = kinds[piece.first - 1] == "output" and _FURTHER.match(text) is not None
    return goes_on or _TRACEBACK.fullmatch(text.strip()) is not None


def _pieces(lines: Sequence[str]) -> Iterator[Piece]:
    at = tried = 0
    while at < len(lines):
        # Lines on which a statement from above was already tried in vain are only tried
        # alone: else text full of open brackets would take quadratic time.
        span = 1 if at < tried else LONGEST_STATEMENT
        piece, reached = _piece_at(lines, at, min(len(lines), at + span))
        yield piece
        tried = max(tried, reached)
        at = piece.last + 1


def _piece_at(lines: Sequence[str], at: int, limit: int) -> tuple[Piece, int]:
    """The piece that begins on a line, and the last line that was tried for it."""
    text = lines[at]
    if not text.strip():
        return Piece(first=at, last=at, shape="blank"), at
    if text.lstrip().startswith("#"):
        return Piece(first=at, last=at, shape="comment"), at
    if _PROMPT.match(text) and text.strip() != "...":
        tree = _parse(_PROMPT.sub("", text))
        names = _bound(tree) if tree else frozenset()
        return Piece(first=at, last=at, shape="statement", names=names), at
    last, tree = _statement_at(lines, at, limit)
    if tree is None:
        return Piece(first=at, last=at, shape=_shape_of_text(text)), last
    labelled = last == at and _is_labelled(text) and not any(map(_is_strong, tree.body))
    piece = Piece(
        first=at,
        last=last,
        shape="labelled" if labelled else _shape_of(tree),
        names=_bound(tree),
        with_arguments=_has_arguments(tree),
    )
    return piece, last


def _shape_of_text(text: str) -> Shape:
    """The shape of a line that does not parse."""
    if _reads_as_value(text):
        return "value"
    if _is_labelled(text):
        return "labelled"
    bare = _QUOTED_OR_COMMENT.sub('""', text)
    return "broken" if bare.isascii() and _BROKEN.fullmatch(bare) else "text"


def _is_labelled(text: str) -> bool:
    label = _LABEL.fullmatch(text)
    return label is not None and _reads_as_value(label["value"])


def _reads_as_value(text: str) -> bool:
    if _REPR.match(text) or _NUMBERS.fullmatch(text):
        return True
    tree = _parse(text)
    return tree is not None and _shape_of(tree) == "value"


def _statement_at(lines: Sequence[str], first: int, limit: int) -> tuple[int, ast.Module | None]:
    """The last line of the statement that begins on a line, and its tree.

    Where none begins there, the last line that was tried, and None.
    """
    found: tuple[int, ast.Module] | None = None
    indent = _indent(lines[first])
    last = first
    for last in range(first, limit):
        if not lines[last].strip():
            continue
        if found and _indent(lines[last]) <= indent:
            break
        state = _complete("\n".join(lines[first : last + 1]))
        if state == "wrong":
            break
        if isinstance(state, ast.Module):
            found = last, state
            if not isinstance(state.body[-1], _COMPOUND):
                break
    return found or (last, None)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _complete(source: str) -> ast.Module | Literal["wrong", "incomplete"]:
    # A page's no-break spaces would not parse; one for one, columns stay right.
    source = textwrap.dedent(source.replace("\xa0", " "))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if codeop.compile_command(source, symbol="exec") is None:
                return "incomplete"
            return ast.parse(source)
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        return "wrong"


def _parse(source: str) -> ast.Module | None:
    state = _complete(source)
    return state if isinstance(state, ast.Module) else None


def _shape_of(tree: ast.Module) -> Shape:
    if any(_is_strong(node) for node in tree.body):
        return "statement"
    if tree.body and all(isinstance(n, ast.Expr) and _is_literal(n.value) for n in tree.body):
        return "value"
    return "call" if any(_is_action(node) for node in ast.walk(tree)) else "word"


def _is_strong(node: ast.stmt) -> bool:
    # "Note: this" parses as an annotation, so one without a value says nothing.
    return isinstance(node, _STRONG) or (isinstance(node, ast.AnnAssign) and node.value is not None)


def _is_action(node: ast.AST) -> bool:
    """Whether an expression does what prose does not: words with and, is, / or - parse too."""
    if isinstance(node, ast.Compare):
        words = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
        return not all(isinstance(operator, words) for operator in node.ops)
    return isinstance(node, (ast.Call, ast.Subscript))


def _is_literal(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in _REPR_NAMES
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError):
        return False
    return True


def _has_arguments(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.Call) and bool(node.args or node.keywords) for node in ast.walk(tree)
    )


def _bound(tree: ast.Module) -> frozenset[str]:
    names = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
    return frozenset(names)
