"""Which devices exist, asked in a throw-away child.

Asking PyTorch about CUDA initialises it, and a process that has done so can
have no working children; so the fork server never asks.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import sys
from typing import Any

from verifier.probe.wire import RecordWriter


def run_environment(device: str, isolation: str, writer: RecordWriter, _fork: float) -> None:
    """Report the environment of a device, or why there is no such device."""
    try:
        record: dict[str, Any] = {"environment": describe_environment(device, isolation)}
    except Exception as error:  # noqa: BLE001 - drivers fail in many ways
        first_line = (str(error).strip() or type(error).__name__).splitlines()[0]
        record = {"missing": first_line[:500]}
    writer.finish(json.dumps(record).encode())


def describe_environment(device: str, isolation: str) -> dict[str, Any]:
    """A `verifier.model.Environment` as data.

    A device exists where a tensor can be allocated on it; what PyTorch raises
    otherwise goes through.
    """
    version = _version("torch")
    found: dict[str, Any] = {
        "id": _stable_id(version, device) if version else f"python-{platform.python_version()}",
        "device": device,
        "device_name": _processor(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "isolation": isolation,
        "numpy": _version("numpy"),
        "torch": version,
    }
    # The CPU is there without asking; importing PyTorch for it would take a second.
    torch = sys.modules.get("torch") if device == "cpu" else _import_torch()
    return found if torch is None else found | _ask(torch, device)


def _import_torch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError as error:
        raise RuntimeError("PyTorch is not installed") from error


def _ask(torch: Any, device: str) -> dict[str, Any]:
    torch.empty(1, device=device)
    kind = torch.device(device).type
    known = {"threads": torch.get_num_threads(), "cuda": str(torch.version.cuda or "")}
    if kind == "cuda":
        known |= {"device_name": torch.cuda.get_device_name(device), "driver": _nvidia_driver()}
    elif kind != "cpu":
        known["device_name"] = kind
    return known


def _stable_id(version: str, device: str) -> str:
    """``torch-2.13.0+cpu``, ``torch-2.13.0-cuda``: the same on every such machine."""
    public = version.partition("+")[0]
    return f"torch-{public}+cpu" if device == "cpu" else f"torch-{public}-{device.replace(':', '')}"


def _version(name: str) -> str:
    """The version of a module, without importing what the server has not loaded."""
    if (module := sys.modules.get(name)) is not None:
        return str(module.__version__)
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _processor() -> str:
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:  # noqa: PTH123
        for line in lines:
            key, _, value = line.partition(":")
            if key.strip() in ("model name", "Model"):
                return value.strip()
    return platform.machine() or os.uname().machine


def _nvidia_driver() -> str:
    try:
        with open("/sys/module/nvidia/version", encoding="ascii") as file:  # noqa: PTH123
            return file.read().strip()
    except OSError:
        return ""
