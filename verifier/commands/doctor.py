"""``verifier doctor``: what this machine can check, and what is missing."""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
from pathlib import Path

import yaml

from verifier import __version__
from verifier.commands.inputs import effective_settings
from verifier.exits import Exit
from verifier.probe import LocalExecutor
from verifier.probe.client import ServerUnavailable
from verifier.run import INSTALLED

_DEVICES = ("cpu", "cuda", "mps", "xpu")
_FORKS = 20


def run(arguments: argparse.Namespace) -> Exit:
    """Print a line per finding; 1 when no claim could be checked here."""
    settings = effective_settings(arguments)
    _say("verifier", f"{__version__}, {Path(__file__).parents[1]}")
    _say("Python", f"{platform.python_version()}, {sys.executable}")
    for name in ("torch", "numpy", "pytest", "pytest-xdist"):
        _say(name, INSTALLED.get(name) or f"missing: pip install {name}")
    fast = "with its C parser" if yaml.__with_libyaml__ else "without its C parser: reinstall it"
    _say("PyYAML", f"{yaml.__version__}, {fast}")
    _say("system", platform.platform())
    _say("reports", str(settings.root / settings.reports) if settings.reports else "off")
    with LocalExecutor(preload=settings.preload) as executor:
        try:
            forks = [executor.bare_fork() for _ in range(_FORKS)]
        except ServerUnavailable as error:
            _say("fork server", str(error))
            return Exit.FAILED
        _say("fork server", f"works; a bare child takes {1000 * statistics.median(forks):.1f} ms")
        for device in _DEVICES:
            environment = executor.environment(device)
            found = environment and (environment.device_name or "works")
            _say(device, found or "none: its cases are not checked")
            if environment and device == "cpu":
                _say("isolation", environment.isolation)
    return Exit.OK if INSTALLED.get("torch") else Exit.FAILED


def _say(name: str, finding: str) -> None:
    print(f"{name:14}{finding}")
