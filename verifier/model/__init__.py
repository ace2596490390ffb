"""The nouns of verifier, as small frozen types.

Data flows one way through them::

    claim file -> Claim -> Case -> Observation -> Judgement -> CaseResult -> ClaimResult -> Results

Nothing here runs code, reads a file or imports anything but msgspec, so every
other part of the project may import this one and it imports none of them.
Times are seconds, sizes are bytes, lines and columns count from 1.
"""

from verifier.model.base import (
    Noun,
    Verdict,
)
from verifier.model.checks import (
    Allocates,
    AnyCheck,
    Check,
    Code,
    Comparison,
    Copies,
    Expression,
    Faster,
    Prints,
    Raises,
    Runs,
    SameCost,
    SharesMemory,
    Slower,
    Warns,
)
from verifier.model.claims import (
    Case,
    Claim,
    ClaimFile,
    Ignored,
    Kind,
    Ledger,
    LedgerException,
    Place,
    Problem,
    Quantifier,
    Role,
    Severity,
    Source,
)
from verifier.model.observations import (
    Durations,
    Frame,
    Memory,
    Observation,
    Observed,
    Operand,
    Outcome,
    Raised,
    Timing,
    Warned,
)
from verifier.model.results import (
    CaseResult,
    ClaimResult,
    Environment,
    Evidence,
    Judgement,
    Results,
    RunInfo,
    Summary,
)

__all__ = [
    "Allocates",
    "AnyCheck",
    "Case",
    "CaseResult",
    "Check",
    "Claim",
    "ClaimFile",
    "ClaimResult",
    "Code",
    "Comparison",
    "Copies",
    "Durations",
    "Environment",
    "Evidence",
    "Expression",
    "Faster",
    "Frame",
    "Ignored",
    "Judgement",
    "Kind",
    "Ledger",
    "LedgerException",
    "Memory",
    "Noun",
    "Observation",
    "Observed",
    "Operand",
    "Outcome",
    "Place",
    "Prints",
    "Problem",
    "Quantifier",
    "Raised",
    "Raises",
    "Results",
    "Role",
    "RunInfo",
    "Runs",
    "SameCost",
    "Severity",
    "SharesMemory",
    "Slower",
    "Source",
    "Summary",
    "Timing",
    "Verdict",
    "Warned",
    "Warns",
]
