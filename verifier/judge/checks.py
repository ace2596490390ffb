"""Whether one check holds, from what it showed: True, False, or None if undecided.

An exception counts only where it is named: by a `raises` of the claim with the
same code, a type that fits and a message that matches. Any other exception says
that the probe is wrong, not the statement.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from verifier.judge import wording
from verifier.judge.output import difference
from verifier.judge.timing import decide
from verifier.model import (
    Allocates,
    AnyCheck,
    Copies,
    Expression,
    Faster,
    Memory,
    Noun,
    Observed,
    Operand,
    Prints,
    Raised,
    Raises,
    Runs,
    SameCost,
    SharesMemory,
    Slower,
    Timing,
    Warned,
    Warns,
)


class Finding(Noun, frozen=True, kw_only=True):
    """What one check showed, in words.

    `expected` is a clause that the check says to be true, `observed` what was seen
    instead or beside it. `problem` is a reason code where the check could not be
    evaluated at all, and `doubt` one where it was and decides nothing.
    """

    holds: bool | None
    observed: str
    expected: str = ""
    problem: str = ""
    doubt: str = ""
    operands: tuple[Operand, ...] = ()
    samples: tuple[float, ...] = ()
    interval: tuple[float, float] | None = None

    @property
    def sentence(self) -> str:
        """The finding as a full sentence."""
        if self.problem:
            start = "It could not be checked whether"
        elif self.holds is None:
            start = "It is undecided whether"
        else:
            start = "It holds that" if self.holds else "It does not hold that"
        return wording.sentence(f"{start} {self.expected}: {self.observed}")


def find(check: AnyCheck, observed: Observed, raising: Sequence[Raises] = ()) -> Finding:
    """Hold one check against what it showed. `raising` are the exceptions a claim names."""
    if observed.exception is not None:
        finding = _exception(check, observed.exception, raising)
    else:
        finding = _completed(check, observed)
    return msgspec.structs.replace(
        finding, expected=wording.describe(check), operands=observed.operands
    )


def named(check: Raises, raised: Raised) -> bool:
    """Whether `check` names the type (or a base of it) and the message of an exception."""
    return _is_a(raised, check.type) and _matches(check.match, raised.message)


def shares_memory(memory: Memory) -> bool | None:
    """Whether two values share memory; None where the witnesses disagree or are silent.

    Views of different parts of one storage share it, though no byte is common and
    a write to one is not seen in the other.
    """
    if memory.same_object:
        return True
    if memory.same_storage and memory.overlap is False and not memory.write_through:
        return True
    witnesses = (memory.same_storage, memory.overlap, memory.write_through)
    says = {witness for witness in witnesses if witness is not None}
    return says.pop() if len(says) == 1 else None


def _exception(check: AnyCheck, raised: Raised, raising: Sequence[Raises]) -> Finding:
    seen = wording.raises(raised)
    if isinstance(check, Raises) and named(check, raised):
        return Finding(holds=True, observed=seen)
    texts = [code.text.strip() for code in wording.codes(check)]
    if any(each.code.text.strip() in texts and named(each, raised) for each in raising):
        return Finding(holds=False, observed=seen)
    seen += wording.place(raised)
    return Finding(holds=None, observed=seen, problem="exception-in-check")


def _completed(check: AnyCheck, observed: Observed) -> Finding:
    match check:
        case Expression() if observed.truth is not None:
            return Finding(holds=observed.truth, observed=wording.values(observed))
        case Runs():
            return Finding(holds=True, observed=_NO_EXCEPTION)
        case Raises():
            return Finding(holds=False, observed=_NO_EXCEPTION)
        case Prints() if observed.output is not None:
            return _prints(check, observed.output)
        case Warns():
            return _warns(check, observed.warnings)
        case Faster() | Slower() | SameCost() if observed.timing is not None:
            return _comparison(check, observed.timing)
        case Copies() | SharesMemory() if observed.memory is not None:
            return _aliasing(check, observed.memory)
        case Allocates() if observed.memory is not None:
            return _allocates(check, observed.memory.allocated)
    return Finding(holds=None, observed="its record is incomplete", problem="channel-corrupt")


_NO_EXCEPTION = "it runs without an exception"


def _prints(check: Prints, output: str) -> Finding:
    differs = difference(output, check.text)
    return Finding(holds=not differs, observed=differs or f"prints {wording.quoted(output)}")


def _warns(check: Warns, warnings: Sequence[Warned]) -> Finding:
    holds = any(
        _is_a(warned, check.category) and _matches(check.match, warned.message)
        for warned in warnings
    )
    return Finding(holds=holds, observed=wording.warns(warnings))


def _comparison(check: Faster | Slower | SameCost, timing: Timing) -> Finding:
    if timing.same_values is False and not timing.identical:
        seen = "the two sides give different values"
        return Finding(holds=None, observed=seen, problem="different-values")
    decision = decide(check, timing)
    return Finding(
        holds=decision.holds,
        observed=wording.measured(check, decision),
        doubt="undecided" if decision.holds is None else "",
        samples=decision.ratios,
        interval=decision.interval,
    )


def _aliasing(check: Copies | SharesMemory, memory: Memory) -> Finding:
    shares = shares_memory(memory)
    seen = wording.witnesses(memory)
    if shares is None:
        return Finding(holds=None, observed=seen, doubt="witnesses-disagree")
    return Finding(holds=shares is isinstance(check, SharesMemory), observed=seen)


def _allocates(check: Allocates, allocated: int | None) -> Finding:
    if allocated is None:
        seen = "the allocation could not be measured here"
        return Finding(holds=None, observed=seen, doubt="no-witness")
    seen = f"it allocates {wording.size(allocated)}"
    return Finding(holds=allocated >= check.at_least, observed=seen)


def _is_a(thrown: Raised | Warned, name: str) -> bool:
    """Whether a type or a base of it has this name, in full or without its module."""
    name = name.removeprefix("builtins.")
    return any(name in (each, each.rpartition(".")[2]) for each in thrown.types)


def _matches(pattern: str | None, message: str) -> bool:
    return pattern is None or re.search(pattern, message) is not None
