import runpy
from pathlib import Path

import pytest

from verifier.model import Results
from verifier.report.events import AnyEvent

SAMPLE = Path(__file__).parents[1] / "samples" / "report" / "tensors_tutorial.py"
TUTORIAL = runpy.run_path(str(SAMPLE))


@pytest.fixture(scope="session")
def events() -> list[AnyEvent]:
    """The events of a run over a small tutorial."""
    return TUTORIAL["events"]()  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def results() -> Results:
    """The results of that run."""
    return TUTORIAL["results"]()  # type: ignore[no-any-return]
