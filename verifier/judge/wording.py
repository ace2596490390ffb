"""Checks and what they showed, in words that the author of a tutorial understands."""

from __future__ import annotations

from collections.abc import Sequence

from verifier.judge.timing import Decision, percent
from verifier.model import (
    Allocates,
    AnyCheck,
    Code,
    Comparison,
    Copies,
    Expression,
    Faster,
    Memory,
    Observed,
    Prints,
    Raised,
    Raises,
    Runs,
    SameCost,
    SharesMemory,
    Slower,
    Warned,
    Warns,
)

_LONGEST_CODE = 160
_LONGEST_TEXT = 300
_LONGEST_VALUE = 200


def describe(check: AnyCheck) -> str:
    """What a check says to be true, as a clause."""
    first, *others = map(_code, codes(check))
    second = others[0] if others else ""
    match check:
        case Expression():
            return first
        case Runs():
            return f"{first} runs without an exception"
        case Raises():
            return f"{first} raises {check.type}{_matching(check.match)}"
        case Prints():
            return f"{first} prints {quoted(check.text)}"
        case Warns():
            return f"{first} gives a {check.category}{_matching(check.match)}"
        case Faster():
            return f"{second} is faster than {first} by more than {percent(check.margin)}"
        case Slower():
            return f"{second} is slower than {first} by more than {percent(check.margin)}"
        case SameCost():
            return f"{first} and {second} cost the same within {percent(check.margin)}"
        case Copies():
            return f"{first} shares no memory with {second}"
        case SharesMemory():
            return f"{first} and {second} share memory"
        case Allocates():
            return f"{first} allocates at least {size(check.at_least)}"
    raise TypeError(f"not a check: {check!r}")


def codes(check: AnyCheck) -> tuple[Code, ...]:
    """The pieces of code that a check evaluates, without set-ups."""
    match check:
        case Comparison() | SharesMemory():
            return check.first, check.second
        case Copies():
            return check.code, check.of
        case Expression() | Runs() | Raises() | Prints() | Warns() | Allocates():
            return (check.code,)
    raise TypeError(f"not a check: {check!r}")


def values(observed: Observed) -> str:
    """The values of an expression's operands: what a reader wants to see of it."""
    # Whatever is more than a name says more about why the expression is true or false.
    operands = sorted(observed.operands, key=lambda operand: operand.code.isidentifier())
    if not operands:
        return f"it is {_cut(observed.value or str(observed.truth), _LONGEST_VALUE)}"
    return "; ".join(
        f"{_folded(operand.code)} is {_cut(operand.value, _LONGEST_VALUE)}" for operand in operands
    )


def raises(raised: Raised) -> str:
    """An exception and its message: ``raises RuntimeError: Expected 3D …``."""
    return f"raises {_cut(str(raised), _LONGEST_TEXT)}"


def place(raised: Raised) -> str:
    """Where in the claim file an exception came from, in parentheses."""
    if not raised.frames:
        return ""
    return f" ({raised.frames[-1].file}:{raised.frames[-1].line})"


def warns(warnings: Sequence[Warned]) -> str:
    """All warnings that code gave."""
    if not warnings:
        return "it gives no warning"
    return "it gives " + "; ".join(
        f"{warned.types[0]}: {_cut(warned.message, _LONGEST_VALUE)}" for warned in warnings
    )


def measured(check: Comparison, decision: Decision) -> str:
    """What was measured of a comparison, or why nothing had to be.

    Without figures: they differ between equal runs, and stand in the judgement's
    samples and interval.
    """
    if decision.holds is None:
        return decision.reason
    if not decision.epochs:
        return f"nothing was timed: {decision.reason}"
    return f"{_code(check.second)} was measured to be {decision.label}"


def witnesses(memory: Memory) -> str:
    """What each witness of shared memory says."""
    texts = {
        "the same object": memory.same_object,
        "one storage": memory.same_storage,
        "common bytes": memory.overlap,
        "a write to one is seen in the other": memory.write_through,
    }
    said = [f"{text}: {'yes' if yes else 'no'}" for text, yes in texts.items() if yes is not None]
    return ", ".join(said) or "nothing tells whether they share memory"


def size(count: int) -> str:
    """A number of bytes."""
    return f"{count:,} {'byte' if count == 1 else 'bytes'}"


def quoted(text: str) -> str:
    """Text on one line, in quotes."""
    return f"'{_cut(text, _LONGEST_TEXT)}'"


def sentence(text: str) -> str:
    """A clause as a sentence: a capital letter, a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?", "…")) else ".")


def _code(code: Code) -> str:
    lines = [line.strip() for line in code.text.strip().splitlines() if line.strip()]
    return f"`{_cut('; '.join(lines), _LONGEST_CODE)}`"


def _matching(pattern: str | None) -> str:
    return f" with a message that matches '{_folded(pattern)}'" if pattern else ""


def _folded(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str, longest: int) -> str:
    folded = _folded(text)
    return folded if len(folded) <= longest else folded[: longest - 1] + "…"
