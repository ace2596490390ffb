"""What the memory of values shows: shared or copied, and how much was allocated.

Values are tensors, arrays, or tuples and lists of them. Four witnesses say
whether two values share memory, from the weakest to the strongest: they are one
object; their storages overlap; the bytes they address overlap; and writing
through one changes the other. A witness that cannot be had is left out.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

#: Writing through copies the value once; larger values are not tried.
_MOST_WRITTEN = 64 << 20
_MOST_PAIRS = 256
#: Steps of NumPy's exact overlap search, well below a second.
_MOST_WORK = 1_000_000

Witness = Callable[[Any, Any], bool | None]


@dataclasses.dataclass(frozen=True)
class Region:
    """Where the elements of a tensor or array lie. Addresses, strides, sizes in bytes.

    `storage` is the first address and the size of what was allocated. On the
    meta device there is no memory, so there a storage is named by its object.
    """

    device: str
    storage: tuple[int, int]
    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int

    @property
    def is_empty(self) -> bool:
        """Whether there is no element."""
        return 0 in self.shape


def relation(first: object, second: object) -> dict[str, bool]:
    """Witnesses of shared memory; a `verifier.model.Memory` as data."""
    pairs = list(itertools.islice(itertools.product(leaves(first), leaves(second)), _MOST_PAIRS))
    witnesses: dict[str, Witness] = {
        "same_storage": share_storage,
        "overlap": overlap,
        "write_through": writes_through,
    }
    found: dict[str, bool] = {"same_object": first is second}
    for name, witness in witnesses.items():
        answers = [witness(one, other) for one, other in pairs]
        if True in answers:
            found[name] = True
        elif answers and None not in answers:
            found[name] = False
    return found


def leaves(value: object) -> Iterator[object]:
    """The tensors and arrays in a value, or the value itself."""
    if isinstance(value, tuple | list):
        for each in value:
            yield from leaves(each)
    else:
        yield value


def region(value: Any) -> Region | None:
    """The memory of a dense tensor or array; None for anything else."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return _tensor_region(torch, value)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        root = value
        while isinstance(root.base, numpy.ndarray):
            root = root.base
        return Region(
            "cpu",
            (root.__array_interface__["data"][0], root.nbytes),
            value.__array_interface__["data"][0],
            value.shape,
            value.strides,
            value.itemsize,
        )
    return None


def _tensor_region(torch: Any, tensor: Any) -> Region | None:
    with torch._C.DisableTorchFunctionSubclass():
        if tensor.layout != torch.strided:
            return None
        storage = tensor.untyped_storage()
        if tensor.device.type == "meta":
            extent = (storage._cdata, 1)
        else:
            extent = (storage.data_ptr(), storage.nbytes())
        size = tensor.element_size()
        return Region(
            str(tensor.device),
            extent,
            extent[0] + tensor.storage_offset() * size,
            tuple(tensor.shape),
            tuple(stride * size for stride in tensor.stride()),
            size,
        )


def share_storage(first: object, second: object) -> bool | None:
    """Whether two values lie in one allocation."""
    one, other = region(first), region(second)
    if one is None or other is None:
        return None
    return one.device == other.device and _meet(one.storage, other.storage)


def overlap(first: object, second: object) -> bool | None:
    """Whether two values have a byte in common, strides taken into account."""
    one, other = region(first), region(second)
    if one is None or other is None:
        return None
    if one.device != other.device or one.is_empty or other.is_empty:
        return False
    if not _meet(one.storage, other.storage):
        return False
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    # NumPy solves this exactly from addresses and strides, and reads no memory.
    try:
        views = [numpy.asarray(_Addresses(each)) for each in (one, other)]
        return bool(numpy.shares_memory(*views, max_work=_MOST_WORK))
    except numpy.exceptions.TooHardError:
        return None


class _Addresses:
    """A region as NumPy's array interface; the memory itself is never touched."""

    def __init__(self, place: Region) -> None:
        self.__array_interface__ = {
            "version": 3,
            "data": (place.start, True),
            "shape": place.shape,
            "strides": place.strides,
            "typestr": f"|V{place.itemsize}",
        }


def _meet(first: tuple[int, int], second: tuple[int, int]) -> bool:
    (one, size), (other, other_size) = first, second
    return one < other + other_size and other < one + size


def writes_through(first: object, second: object) -> bool | None:
    """Whether changing every byte of one value changes the other. All is put back."""
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    with torch._C.DisableTorchFunctionSubclass(), torch.no_grad():
        written, read = _bytes(torch, first), _bytes(torch, second)
        if written is None or read is None:
            return None
        before = read.clone()
        written.bitwise_not_()
        changed = not torch.equal(before, read)
        written.bitwise_not_()
        return changed


def _bytes(torch: Any, value: Any) -> Any:
    """The bytes of a value as a tensor of their own, unseen by autograd."""
    place = region(value)
    if place is None or place.device == "meta":
        return None
    shape = [
        1 if stride == 0 else size for size, stride in zip(place.shape, place.strides, strict=True)
    ]
    if _may_overlap_itself(shape, place):
        return None
    shape.append(place.itemsize)
    if torch.Size(shape).numel() > _MOST_WRITTEN:
        return None
    if isinstance(value, torch.Tensor):
        view = torch.empty(0, dtype=torch.uint8, device=value.device)
        offset = place.start - place.storage[0]
        return view.set_(value.untyped_storage(), offset, shape, (*place.strides, 1))
    if not value.flags.writeable or min(place.strides, default=0) < 0 or value.dtype.hasobject:
        return None
    bytes_only = {
        "version": 3,
        "data": (place.start, False),
        "shape": tuple(shape),
        "strides": (*place.strides, 1),
        "typestr": "|u1",
    }
    holder = type("Bytes", (), {"__array_interface__": bytes_only, "value": value})()
    return torch.from_numpy(sys.modules["numpy"].asarray(holder))


def _may_overlap_itself(shape: list[int], place: Region) -> bool:
    """Whether elements may share bytes, as in a sliding window; writing would spoil them."""
    extent = place.itemsize
    for stride, size in sorted(zip(place.strides, shape, strict=True), key=lambda d: abs(d[0])):
        if size > 1 and abs(stride) < extent:
            return True
        extent += abs(stride) * (size - 1)
    return False


def allocated(run: Callable[[], None], device: str) -> int | None:
    """Bytes of tensor memory that `run` allocates, freed again or not.

    On the CPU this is the sum over the allocations that PyTorch's own allocator
    reports to its profiler, temporary tensors inside operators and numbers that
    become tensors included; on CUDA
    the difference of the caching allocator's running total, in its blocks of
    512 bytes. None for another device.
    """
    import torch

    kind = device.partition(":")[0]
    if kind == "cuda":
        before = _cuda_total(torch, device)
        run()
        return _cuda_total(torch, device) - before
    if kind != "cpu":
        run()
        return None
    sizes: list[int] = []
    with _allocations(torch, sizes):
        run()
    return sum(sizes)


def _cuda_total(torch: Any, device: str) -> int:
    return int(torch.cuda.memory_stats(device).get("allocated_bytes.all.allocated", 0))


@contextlib.contextmanager
def _allocations(torch: Any, sizes: list[int]) -> Iterator[None]:
    """Collect the size of each allocation. The legacy profiler starts no thread."""
    profiler = torch._C._profiler
    settings = profiler.ProfilerConfig(
        profiler.ProfilerState.CPU,
        False,  # report_input_shapes
        True,  # profile_memory
        False,  # with_stack
        False,  # with_flops
        False,  # with_modules
        profiler._ExperimentalConfig(),
    )
    torch.autograd._enable_profiler_legacy(settings)
    try:
        yield
    finally:
        for thread in torch.autograd._disable_profiler_legacy():
            reported = (e.cpu_memory_usage() for e in thread if e.kind() == "memory_alloc")
            sizes += (size for size in reported if size > 0)
