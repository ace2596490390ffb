"""What all tests share."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture
def samples() -> Path:
    """The folder of sample files."""
    return SAMPLES
