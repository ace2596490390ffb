"""Cases made of little pieces, and executors that a test module shares."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from verifier.model import AnyCheck, Case, Claim, Code, Expression, Source
from verifier.probe import Limits, LocalExecutor

MakeCase = Callable[..., Case]


@pytest.fixture(scope="session")
def make_case() -> MakeCase:
    """A case whose probe starts on line 10 and whose expressions start on line 20."""

    def make(
        probe: str = "",
        *checks: str | AnyCheck,
        setup: str = "",
        params: dict[str, Any] | None = None,
        **fields: Any,
    ) -> Case:
        expect = tuple(
            Expression(code=Code(text=check, line=20 + number)) if isinstance(check, str) else check
            for number, check in enumerate(checks)
        )
        claim = Claim(
            id="claim",
            statement="A statement.",
            kind="behaviour",
            source=Source(id="source"),
            file="claims/sample.yaml",
            line=1,
            setup=Code(text=setup, line=3) if setup else None,
            probe=Code(text=probe, line=10),
            expect=expect,
            **fields,
        )
        return Case(claim=claim, id="cpu", params=params or {})

    return make


@pytest.fixture(scope="module")
def plain() -> Iterator[LocalExecutor]:
    """An executor without torch: it starts quickly, and its limits are low."""
    limits = Limits(cpu=1.0, wall=20.0, case_memory=128 << 20, processes=32)
    with LocalExecutor(limits, preload=()) as executor:
        yield executor


@pytest.fixture(scope="session")
def with_torch() -> Iterator[LocalExecutor]:
    """An executor as users have it."""
    with LocalExecutor() as executor:
        yield executor


@pytest.fixture(scope="session")
def samples() -> Path:
    return Path(__file__).parent.parent / "samples" / "probe"
