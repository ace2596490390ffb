"""Sentences with code in backticks, as HTML."""

from __future__ import annotations

from markupsafe import Markup, escape

from verifier.report.text import plain


def prose(words: str) -> Markup:
    """`words`, harmless, escaped, with ``<code>`` around what stands in backticks."""
    pieces = plain(words).split("`")
    if len(pieces) % 2 == 0:  # a backtick without its partner stands for itself
        return escape(plain(words))
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if index % 2 and piece else escape(piece)
        for index, piece in enumerate(pieces)
    )
