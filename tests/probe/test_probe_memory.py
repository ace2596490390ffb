"""Witnesses of shared memory and of allocations."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from verifier.probe.memory import allocated, relation

X = torch.arange(12.0).reshape(3, 4)
A = np.arange(12.0).reshape(3, 4)

SHARED = {"same_object": False, "same_storage": True, "overlap": True, "write_through": True}
BESIDE = {"same_object": False, "same_storage": True, "overlap": False, "write_through": False}
APART = {"same_object": False, "same_storage": False, "overlap": False, "write_through": False}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (X, X, SHARED | {"same_object": True}),
        (X, X.t(), SHARED),
        (X, X.contiguous(), SHARED | {"same_object": True}),
        (X, X.t().contiguous(), APART),
        (X, X.clone(), APART),
        (X[0], X[1], BESIDE),
        (X[:, ::2], X[:, 1::2], BESIDE),
        (X[0:2], X[1:3], SHARED),
        (X, X[:1].expand(5, 4), SHARED),
        (X[:0], X, BESIDE),
        (X, X.view(torch.int32), SHARED),
        (X, X.numpy(), SHARED),
        (A, torch.from_numpy(A), SHARED),
        (A, torch.tensor(A), APART),
        (A[0], A[1], BESIDE),
        (A, A.T, SHARED),
        (X, X.split(2, dim=1), SHARED),
        (X, [X.clone(), X.clone()], APART),
        (X.requires_grad_(False).detach().requires_grad_(), X, SHARED),
    ],
)
def test_relations(first: object, second: object, expected: dict[str, bool]) -> None:
    assert relation(first, second) == expected


def test_an_array_that_cannot_be_written_lacks_one_witness() -> None:
    locked = A.view()
    locked.flags.writeable = False
    assert relation(locked, A) == {k: v for k, v in SHARED.items() if k != "write_through"}


def test_a_backwards_view() -> None:
    assert relation(A, A[::-1])["overlap"] is True
    assert relation(A[::-1], A.copy())["overlap"] is False


def test_overlapping_elements_lack_one_witness() -> None:
    windows = torch.arange(10.0).unfold(0, 3, 1)
    assert "write_through" not in relation(windows, windows[:2])


@pytest.mark.parametrize("value", [1, [1, 2], "text", torch.eye(2).to_sparse(), ()])
def test_values_without_strided_memory(value: object) -> None:
    assert relation(value, value) == {"same_object": True}


def test_tensors_without_memory() -> None:
    x = torch.empty(2, 2, device="meta")
    expected = {"same_object": False, "same_storage": True, "overlap": True}
    assert relation(x, x.t()) == expected
    assert relation(x, torch.empty_like(x)) == dict.fromkeys(expected, False)


def test_values_are_put_back_and_autograd_does_not_notice() -> None:
    x = torch.tensor([1.5, float("nan")], requires_grad=True)
    y = x.exp()
    relation(y, y.view(2, 1))
    assert y[0].item() == pytest.approx(4.4816891)
    y[0].backward()
    assert x.grad is not None


@given(
    st.integers(0, 8), st.integers(1, 4), st.integers(1, 4), st.integers(0, 8), st.integers(1, 4)
)
def test_overlap_is_what_writing_shows(a: int, step_a: int, n: int, b: int, step_b: int) -> None:
    base = torch.zeros(64)
    first = base[a : a + n * step_a : step_a]
    second = base[b : b + n * step_b : step_b]
    found = relation(first, second)
    assert found["overlap"] == found["write_through"]


@pytest.mark.parametrize(
    ("code", "size"),
    [
        ("X.contiguous()", 0),
        ("X.t()", 0),
        ("X.t().contiguous()", 48),
        ("torch.zeros(1000)", 4000),
        ("[torch.zeros(10), torch.zeros(20)]", 120),
    ],
)
def test_allocated_bytes(code: str, size: int) -> None:
    compiled = compile(code, "test", "exec")
    assert allocated(lambda: exec(compiled), "cpu") == size


def test_temporary_memory_counts() -> None:
    assert (allocated(lambda: torch.zeros(1000).add_(1).sum() and None, "cpu") or 0) >= 4000


def test_an_exception_ends_the_counting() -> None:
    def fail() -> None:
        raise KeyError

    with pytest.raises(KeyError):
        allocated(fail, "cpu")
    assert allocated(lambda: None, "cpu") == 0


def test_other_devices_cannot_be_asked() -> None:
    assert allocated(lambda: None, "meta") is None
