"""Observations: what happened in the child. They hold no judgement."""

from __future__ import annotations

from typing import Literal

from verifier.model.base import Noun

#: How a child ended. Only ``done`` carries observations of checks; all the
#: others are the machinery's or the probe's trouble and never count against
#: the statement.
Outcome = Literal[
    "done",
    "exception",  # setup or probe raised; `stage` says which
    "missing-module",  # a module named in `requires` is not installed
    "no-device",
    "timeout",  # wall clock
    "cpu-limit",
    "memory-limit",
    "output-limit",
    "signal",  # died by a signal; `detail` names it
    "no-result",  # ended without a record (os._exit, exec, ...)
    "channel-corrupt",  # a record that cannot be read
    "server-died",  # the fork server died twice under this case
    "unavailable",  # the fork server cannot be started at all
]


class Frame(Noun, frozen=True, kw_only=True):
    """One line of a traceback, cut to the user's own code."""

    file: str
    line: int
    name: str
    text: str = ""


class Raised(Noun, frozen=True, kw_only=True):
    """An exception: `types` is its method resolution order as qualified names
    (``builtins.`` left out), the exception's own type first.
    """

    types: tuple[str, ...]
    message: str
    frames: tuple[Frame, ...] = ()

    @property
    def type(self) -> str:
        """The qualified name of the exception's own type."""
        return self.types[0]

    def __str__(self) -> str:
        return f"{self.type}: {self.message}" if self.message else self.type


class Warned(Noun, frozen=True, kw_only=True):
    """A warning, with its category's method resolution order as for `Raised`."""

    types: tuple[str, ...]
    message: str
    line: int = 0


class Operand(Noun, frozen=True, kw_only=True):
    """A part of an expression and a short description of its value."""

    code: str
    value: str


class Memory(Noun, frozen=True, kw_only=True):
    """What the memory of two values, or of one allocation, showed."""

    same_object: bool | None = None
    same_storage: bool | None = None
    overlap: bool | None = None
    write_through: bool | None = None
    allocated: int | None = None


class Timing(Noun, frozen=True, kw_only=True):
    """Epochs of one child: medians of log(time of first / time of second) per epoch.

    `identical` says why the two sides are the same by structure, in which case
    nothing was timed. `same_values` is None where the results cannot be compared.
    """

    identical: str = ""
    same_values: bool | None = None
    cpu: tuple[float, ...] = ()
    wall: tuple[float, ...] = ()
    first_seconds: float | None = None
    second_seconds: float | None = None
    quads: int = 0
    threads: int = 1


class Observed(Noun, frozen=True, kw_only=True):
    """What one check showed; which fields are set depends on the check."""

    truth: bool | None = None
    value: str | None = None
    operands: tuple[Operand, ...] = ()
    exception: Raised | None = None
    output: str | None = None
    warnings: tuple[Warned, ...] = ()
    memory: Memory | None = None
    timing: Timing | None = None


class Durations(Noun, frozen=True, kw_only=True):
    """Seconds spent. `total` is from submission to observation, without `queue`."""

    queue: float = 0.0
    fork: float = 0.0
    setup: float = 0.0
    probe: float = 0.0
    checks: float = 0.0
    total: float = 0.0


class Observation(Noun, frozen=True, kw_only=True):
    """What really happened when a case ran. It holds no judgement."""

    outcome: Outcome = "done"
    stage: Literal["", "setup", "probe", "checks"] = ""
    detail: str = ""
    exception: Raised | None = None
    checks: tuple[Observed, ...] = ()
    stdout: str = ""
    stderr: str = ""
    dropped: int = 0  # bytes of output beyond what is kept
    warnings: tuple[Warned, ...] = ()
    durations: Durations = Durations()
    attempts: int = 1
