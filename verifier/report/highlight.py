"""Python, coloured for the report by classes that its style sheet knows."""

from __future__ import annotations

import functools

from markupsafe import Markup, escape
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, String, _TokenType

from verifier.report.text import plain

#: The few kinds that a short probe needs; all else keeps the colour of text.
_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "c"),
    (String, "s"),
    (Number, "m"),
    (Keyword, "k"),
    (Operator.Word, "k"),
    (Name.Builtin, "b"),
    (Name.Function, "f"),
    (Name.Decorator, "f"),
)
_LEXER = PythonLexer(stripnl=False, ensurenl=False)


@functools.lru_cache(maxsize=4096)
def python(code: str) -> Markup:
    """`code` as HTML, harmless, escaped, with ``<span class>`` around what has a colour."""
    return Markup("").join(
        Markup('<span class="{}">{}</span>').format(kind, text) if kind else escape(text)
        for token, text in _LEXER.get_tokens(plain(code))
        for kind in [_class(token)]
    )


@functools.lru_cache(maxsize=256)
def _class(token: _TokenType) -> str:
    return next((kind for base, kind in _CLASSES if token[: len(base)] == base), "")
