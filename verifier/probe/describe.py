"""Describe values in few words, whatever they are and without disturbing them.

Nothing here may raise, launch large work or depend on memory addresses, which
differ from run to run.
"""

from __future__ import annotations

import math
import re
import reprlib
import sys
from collections.abc import Iterator, Sequence
from typing import Any

#: Characters of one description.
LONGEST = 2000
#: Elements shown of a tensor or an array.
SHOWN = 6

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}")


def describe(value: object) -> str:
    """A short description of any value."""
    try:
        text = _REPR.repr(value)
    except Exception as error:  # noqa: BLE001 - a foreign __repr__ may do anything
        text = f"<{type(value).__name__}: its repr raised {type(error).__name__}>"
    return shorten(_ADDRESS.sub("0x…", text))


def shorten(text: str, longest: int = LONGEST) -> str:
    """Cut a text in the middle, and make it text that JSON can carry."""
    if len(text) > longest:
        half = longest // 2
        text = f"{text[:half]} … {len(text) - 2 * half} more characters … {text[-half:]}"
    return text.encode("utf-8", "backslashreplace").decode()


class _Repr(reprlib.Repr):
    """`reprlib.Repr` that knows tensors and arrays, also inside containers."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = 20
        self.maxdeque = self.maxarray = 20
        self.maxstring = self.maxlong = self.maxother = LONGEST

    def repr1(self, x: Any, level: int) -> str:
        """Dispatch on the type itself; its name alone can be anybody's."""
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(x, torch.Tensor):
            return describe_tensor(torch, x)
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(x, numpy.ndarray):
            return describe_array(x)
        if type(x).__module__ not in ("builtins", "collections", "array"):
            return self.repr_instance(x, level)
        return super().repr1(x, level)

    def repr_instance(self, x: Any, level: int) -> str:  # noqa: ARG002 - as in reprlib
        """The object's own repr, whole; `describe` shortens."""
        return repr(x)


_REPR = _Repr()


def describe_tensor(torch: Any, tensor: Any) -> str:
    """``tensor shape=(3, 4) stride=(4, 1) float32 cpu [0.123, -0.5, …]``."""
    with torch._C.DisableTorchFunctionSubclass(), torch.no_grad():
        kind = type(tensor).__name__
        words = ["tensor" if kind == "Tensor" else kind, f"shape={tuple(tensor.shape)}"]
        strided = tensor.layout == torch.strided
        if strided:
            words.append(f"stride={tensor.stride()}")
            if tensor.storage_offset():
                words.append(f"offset={tensor.storage_offset()}")
        else:
            words.append(str(tensor.layout).removeprefix("torch."))
        words += [str(tensor.dtype).removeprefix("torch."), str(tensor.device)]
        if tensor.grad_fn is not None:
            words.append(f"grad_fn={tensor.grad_fn.name()}")
        elif tensor.requires_grad:
            words.append("requires_grad")
        if strided and tensor.device.type != "meta":
            words.append(_elements(tensor, lambda index: tensor[index].item()))
    return " ".join(words)


def describe_array(array: Any) -> str:
    """``array shape=(3, 4) strides=(32, 8) float64 [0.123, -0.5, …]``."""
    kind = type(array).__name__
    words = ["array" if kind == "ndarray" else kind, f"shape={array.shape}"]
    words += [f"strides={array.strides}", str(array.dtype)]
    words.append(_elements(array, lambda index: array[index]))
    return " ".join(words)


def _elements(value: Any, read: Any) -> str:
    shape = tuple(value.shape)
    count = math.prod(shape)
    try:
        shown = [_number(read(index)) for index in _first_indices(shape)]
    except (RuntimeError, TypeError, ValueError, NotImplementedError) as error:
        return f"(values not readable: {type(error).__name__})"
    if not shape:
        return shown[0]
    return f"[{', '.join(shown)}{', …' if count > len(shown) else ''}]"


def _first_indices(shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The indices of the first elements in row-major order."""
    for place in range(min(SHOWN, math.prod(shape))):
        index = []
        for size in reversed(shape):
            place, remainder = divmod(place, size)
            index.append(remainder)
        yield tuple(reversed(index))


def _number(value: Any) -> str:
    return format(value, ".6g") if isinstance(value, float) else str(value)


class Addresses:
    """Names for memory addresses: equal ones have equal names, in every run the same."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}

    def describe(self, address: int) -> str:
        """``address 1`` for the first one met, and so on."""
        return self._names.setdefault(address, f"address {len(self._names) + 1}")
