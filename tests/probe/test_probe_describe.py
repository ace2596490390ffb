"""Descriptions of values: short, safe, the same in every run."""

import collections

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from verifier.probe.describe import LONGEST, describe, shorten


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        ("it's", '"it\'s"'),
        ((1, 2), "(1, 2)"),
        ([], "[]"),
        ({"a": 1}, "{'a': 1}"),
        (torch.Size([2, 3]), "torch.Size([2, 3])"),
        (torch.float32, "torch.float32"),
        (
            torch.arange(8.0).reshape(2, 4) / 3,
            "tensor shape=(2, 4) stride=(4, 1) float32 cpu "
            "[0, 0.333333, 0.666667, 1, 1.33333, 1.66667, …]",
        ),
        (torch.tensor(2.5), "tensor shape=() stride=() float32 cpu 2.5"),
        (torch.empty(0, 3), "tensor shape=(0, 3) stride=(3, 1) float32 cpu []"),
        (torch.arange(4)[2:], "tensor shape=(2,) stride=(1,) offset=2 int64 cpu [2, 3]"),
        (
            torch.tensor([[1, 2], [3, 4]]).t(),
            "tensor shape=(2, 2) stride=(1, 2) int64 cpu [1, 3, 2, 4]",
        ),
        (torch.tensor([True]), "tensor shape=(1,) stride=(1,) bool cpu [True]"),
        (torch.empty(2, device="meta"), "tensor shape=(2,) stride=(1,) float32 meta"),
        (
            torch.ones(1, requires_grad=True),
            "tensor shape=(1,) stride=(1,) float32 cpu requires_grad [1]",
        ),
        (
            torch.ones(1, requires_grad=True) + 1,
            "tensor shape=(1,) stride=(1,) float32 cpu grad_fn=AddBackward0 [2]",
        ),
        (
            torch.nn.Parameter(torch.ones(1)),
            "Parameter shape=(1,) stride=(1,) float32 cpu requires_grad [1]",
        ),
        (torch.eye(2).to_sparse(), "tensor shape=(2, 2) sparse_coo float32 cpu"),
        (
            torch.ones(1, dtype=torch.complex64),
            "tensor shape=(1,) stride=(1,) complex64 cpu [(1+0j)]",
        ),
        (torch.ones(1, dtype=torch.bfloat16), "tensor shape=(1,) stride=(1,) bfloat16 cpu [1]"),
        (np.arange(4.0).reshape(2, 2), "array shape=(2, 2) strides=(16, 8) float64 [0, 1, 2, 3]"),
        (np.array(1), "array shape=() strides=() int64 1"),
        (np.array(["a"]), "array shape=(1,) strides=(4,) <U1 [a]"),
        ([torch.tensor(1)], "[tensor shape=() stride=() int64 cpu 1]"),
    ],
)
def test_values(value: object, text: str) -> None:
    assert describe(value) == text


@pytest.mark.filterwarnings("ignore:.*quantiz")
def test_quantised_tensor() -> None:
    quantised = torch.quantize_per_tensor(torch.ones(2), 0.5, 0, torch.qint8)
    assert describe(quantised) == "tensor shape=(2,) stride=(1,) qint8 cpu [1, 1]"


def test_a_huge_expanded_tensor_costs_nothing() -> None:
    huge = torch.ones(1).expand(1 << 40)
    assert describe(huge).endswith("[1, 1, 1, 1, 1, 1, …]")


def test_describing_leaves_no_trace() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    before = (y._version, torch.get_rng_state())
    describe(y)
    assert y._version == before[0]
    assert torch.equal(torch.get_rng_state(), before[1])
    y.sum().backward()


def test_functions_of_a_tensor_subclass_are_not_called() -> None:
    class Loud(torch.Tensor):
        @classmethod
        def __torch_function__(cls, *_args, **_kwargs):
            raise AssertionError

    assert describe(torch.ones(1).as_subclass(Loud)).startswith("Loud shape=(1,)")


def test_a_repr_that_raises() -> None:
    class Bad:
        def __repr__(self):
            raise ValueError

    assert describe(Bad()) == "<Bad: its repr raised ValueError>"
    assert describe([Bad()]) == "<list: its repr raised ValueError>"


def test_addresses_are_masked() -> None:
    assert "0x…" in describe(object())
    assert describe(object()) == describe(object())


def test_a_class_with_the_name_of_another() -> None:
    impostor = type("list", (), {"__repr__": lambda _: "impostor"})
    assert describe(impostor()) == "impostor"


def test_long_values_are_cut() -> None:
    assert len(describe(list(range(100_000)))) < 200
    assert len(describe("x" * 1_000_000)) <= LONGEST + 100
    assert len(describe(collections.UserString("x" * 100_000))) <= LONGEST + 100
    recursive: list[object] = []
    recursive.append(recursive)
    assert describe(recursive)


@given(st.text(st.characters(codec=None, categories=None)), st.integers(2, 50))
def test_shortened_text_can_be_encoded(text: str, longest: int) -> None:
    short = shorten(text, longest)
    short.encode()
    if len(text) <= longest and text.isascii():
        assert short == text
