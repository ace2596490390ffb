"""The namespace in which the code of one case runs, and what belongs to it."""

from __future__ import annotations

import importlib
import random
import sys
import tempfile
import warnings
from types import ModuleType
from typing import Any

from verifier.probe.describe import Addresses
from verifier.probe.limits import Limits
from verifier.probe.raised import WarningLog
from verifier.probe.source import Snippet, compile_code, show_to_inspect


class Surroundings:
    """One case in the child: its namespace, seeds, device and warnings."""

    def __init__(self, job: dict[str, Any], limits: Limits) -> None:
        self.file: str = job["file"]
        self.device: str = job["device"]
        self.seed: int = job["seed"]
        self.limits = limits
        self.addresses = Addresses()
        self.warnings = WarningLog(self.file)
        self.namespace = _fresh_main(self.file)
        self._setup: Snippet | None = job["setup"]
        self._probe: Snippet | None = job["probe"]
        self._after_setup: dict[str, Any] = {}
        is_seeded = self.seed == 0 and self.device == "cpu"
        self._seeded = set(_SEEDED_BEFORE) if is_seeded else set()
        checks = (each for check in job["checks"] for each in check.values())
        codes = [self._setup, self._probe, *(each for each in checks if isinstance(each, dict))]
        show_to_inspect(self.file, [code for code in codes if code])

    def prepare(self, params: dict[str, Any]) -> None:
        """Bind the axes of the matrix and run the set-up of the file."""
        self.warnings.install()
        self._seed_libraries()
        if self.device != "cpu":
            importlib.import_module("torch").set_default_device(self.device)
        self.namespace["device"] = _device(self.device)
        for name, value in params.items():
            if name != "device":
                self.namespace[name] = _axis_value(name, value)
        if self._setup:
            self.execute(self._setup)
        self._seed_libraries()

    def probe(self) -> None:
        """Run the probe."""
        self._after_setup = dict(self.namespace)
        if self._probe:
            self.execute(self._probe)

    def rebuild(self) -> dict[str, Any]:
        """A namespace as it is after set-up, with the probe run anew in it."""
        namespace = dict(self._after_setup)
        if self._probe:
            exec(compile_code(self._probe, self.file), namespace)  # noqa: S102 - the purpose
        return namespace

    def execute(self, snippet: Snippet) -> None:
        """Run statements in the namespace of the case."""
        exec(compile_code(snippet, self.file), self.namespace)  # noqa: S102 - the purpose

    def _seed_libraries(self) -> None:
        """Seed each library once, as soon as it is loaded."""
        for name, seed in _SEEDERS.items():
            if name in sys.modules and name not in self._seeded:
                self._seeded.add(name)
                seed(self.seed, self.device)


def prepare_server() -> None:
    """Do before the fork what every case needs and no case changes for another.

    The seed of most cases is 0, so libraries are seeded with that once. All
    warnings are let through, also repeated ones and those ignored by default.
    """
    warnings.simplefilter("always")
    tempfile.tempdir = None
    for name, seed in _SEEDERS.items():
        if name in sys.modules and name != "random":  # Python seeds that anew in every fork
            seed(0, "cpu")
            _SEEDED_BEFORE.add(name)


_SEEDED_BEFORE: set[str] = set()


def _fresh_main(file: str) -> dict[str, Any]:
    """The namespace of a new ``__main__``, so that pickle and inspect find the code."""
    main = ModuleType("__main__")
    main.__file__ = file
    sys.modules["__main__"] = main
    return main.__dict__


def _device(name: str) -> Any:
    """The device as PyTorch has it, or its name where PyTorch is not loaded."""
    torch = sys.modules.get("torch")
    return name if torch is None else torch.device(name)


def _axis_value(name: str, value: Any) -> Any:
    if name.endswith("dtype") and isinstance(value, str):
        return getattr(importlib.import_module("torch"), value)
    return _tuples(value)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _seed_random(seed: int, _device: str) -> None:
    random.seed(seed)


def _seed_numpy(seed: int, _device: str) -> None:
    sys.modules["numpy"].random.seed(seed % 2**32)


def _seed_torch(seed: int, device: str) -> None:
    torch = sys.modules["torch"]
    if device == "cpu":  # the same numbers as manual_seed, without looking for devices
        torch.default_generator.manual_seed(seed)
    else:
        torch.manual_seed(seed)


_SEEDERS = {"random": _seed_random, "numpy": _seed_numpy, "torch": _seed_torch}
