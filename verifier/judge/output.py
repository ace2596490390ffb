"""Compare what code printed with what a document shows of it.

White space and the wrapping of lines are noise, a float agrees to the digits
that the document shows, and everything else must be the same, token by token.
"""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import zip_longest

_TOKEN = re.compile(
    r"""
    (?P<number>
        (?:(?<![\w.)\]])[-+])?                          # a sign, not an operator
        (?:\d+\.\d*|(?<![\w.])\.\d+|\d+)(?:[eE][-+]?\d{1,3})?(?![\w.])
    )
    | \w+
    | [^\w\s]
    """,
    re.VERBOSE,
)
_FRACTION = re.compile(r"\.\d|[eE]")

#: Longer texts are shown from a little before the difference.
_LONGEST = 60
_BEFORE = 20


def difference(printed: str, shown: str) -> str:
    """How `printed` differs from `shown`, in words; empty where they agree."""
    pairs = zip_longest(_TOKEN.finditer(printed), _TOKEN.finditer(shown))
    for got, wanted in pairs:
        if got is None or wanted is None or not _agree(got, wanted):
            return _words(printed, got, shown, wanted)
    return ""


def _agree(got: re.Match[str], wanted: re.Match[str]) -> bool:
    if got[0] == wanted[0]:
        return True
    return _is_float(got) and _is_float(wanted) and _agree_to_digits(got[0], wanted[0])


def _is_float(token: re.Match[str]) -> bool:
    return token["number"] is not None and ("." in token[0] or "e" in token[0].lower())


def _agree_to_digits(got: str, wanted: str) -> bool:
    """Whether `got`, rounded to the last digit of `wanted`, may read like it.

    Arrays print a float as ``2.`` only where it has no fraction: that is exact.
    """
    value, exact = Decimal(got), Decimal(wanted)
    if not _FRACTION.search(wanted):
        return value == exact
    exponent = exact.as_tuple().exponent
    assert isinstance(exponent, int), "infinities and NaN are words here"
    return 2 * abs(value - exact) <= Decimal((0, (1,), exponent))


def _words(
    printed: str, got: re.Match[str] | None, shown: str, wanted: re.Match[str] | None
) -> str:
    if len(printed) <= _LONGEST >= len(shown):
        return f"prints {_quoted(printed)}, the document shows {_quoted(shown)}"
    return f"prints {_excerpt(printed, got)}, the document shows {_excerpt(shown, wanted)}"


def _excerpt(text: str, token: re.Match[str] | None) -> str:
    if token is None:
        return "nothing more"
    first = max(0, token.start() - _BEFORE)
    last = max(first + _LONGEST, token.end())
    before, after = "…" if first else "", "…" if last < len(text) else ""
    return _quoted(before + text[first:last] + after)


def _quoted(text: str) -> str:
    folded = " ".join(text.split())
    return f"'{folded}'" if folded else "nothing"
