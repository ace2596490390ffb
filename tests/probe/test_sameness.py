"""Which code is the same by structure, and which values are equal."""

import ast

import pytest

from verifier.probe.sameness import identity, same_values

torch = pytest.importorskip("torch")

X = torch.arange(12.0).reshape(3, 4)
Z = torch.zeros(2, dtype=torch.complex64)
ITEMS = [1, 2]


def why(first, second, first_names=None, second_names=None):
    names = first_names or {}
    other = names if second_names is None else second_names
    return identity([ast.parse(first), ast.parse(second)], [names, other])


@pytest.mark.parametrize(
    ("first", "second", "names", "text"),
    [
        ("f(x)", "f( x )  # again", {}, "both sides are the same code"),
        ("x.f()", "y.f()", {"x": ITEMS, "y": ITEMS}, "`y` is the same object as `x`"),
        (
            "x.sum()",
            "y.sum()",
            {"x": X, "y": X.view(3, 4)},
            "`y` is the same memory as `x`, laid out alike",
        ),
        ("x.sum()", "y.sum()", {"x": X, "y": X.contiguous()}, "`y` is the same object as `x`"),
        ("[i for i in x]", "[i for i in y]", {"x": ITEMS, "y": ITEMS, "i": 0}, "`y` is the same"),
    ],
)
def test_the_same_code_on_the_same_memory(first, second, names, text):
    assert text in why(first, second, names)


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ("f(x)", "g(x)", {}),
        ("x.f()", "y.f()", {"x": [1], "y": [1]}),
        ("x.f()", "y.f()", {}),  # bound nowhere: nothing is known
        ("x.sum()", "y.sum()", {"x": X, "y": X.clone()}),
        ("x.sum()", "y.sum()", {"x": X, "y": X.t()}),
        ("x.sum()", "y.sum()", {"x": X, "y": X.view(4, 3)}),
        ("x.sum()", "y.sum()", {"x": X, "y": X.view(torch.int32)}),
        ("x.sum()", "y.sum()", {"x": X, "y": X.detach().requires_grad_()}),
        ("x.sum()", "y.sum()", {"x": X[0, :1], "y": X[0, :2]}),
        ("x.sum()", "y.sum()", {"x": Z, "y": Z.conj()}),
        ("x.sum()", "y.sum()", {"x": Z.imag, "y": Z.conj().imag}),
        ("x.sum()", "y.sum()", {"x": X.to_sparse(), "y": X.to_sparse()}),
        ("[i for i in x]", "[j for i in x]", {"x": ITEMS, "i": 0, "j": 0}),
        ("(lambda x: x)(1)", "(lambda y: x)(1)", {"x": 0, "y": 0}),
    ],
)
def test_other_code_or_other_memory(first, second, names):
    assert why(first, second, names) == ""


def test_one_name_may_stand_for_two_objects():
    assert why("x.sum()", "x.sum()", {"x": X}, {"x": X.t()}) == ""
    assert why("x.sum()", "x.sum()", {"x": X}, {"x": X.view(3, 4)}) != ""


NAN = float("nan")


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (1, 1, True),
        (1, 2, False),
        (1, 1.0, None),
        (0.1 + 0.2, 0.3, True),
        (0.1, 0.2, False),
        (NAN, NAN, True),
        ("a", "a", True),
        ("a", "b", False),
        (None, None, None),
        (object(), object(), None),
        ((1, "a"), (1, "a"), True),
        ([1, "a"], [1, "b"], False),
        ((1,), (1, 2), False),
        ((1, None), (1, None), None),
        ((1, None), (2, None), False),
        (X, X + 1e-6, True),
        (X, X + 1, False),
        (X, X.t(), None),
        (X, X.double(), None),
        (X, ITEMS, None),
        (torch.tensor([1, 2]), torch.tensor([1, 2]), True),
        (torch.tensor([1, 2]), torch.tensor([1, 3]), False),
        (torch.tensor([NAN]), torch.tensor([NAN]), True),
        (torch.zeros(2).to_sparse(), torch.zeros(2).to_sparse(), None),
        (X.clone().requires_grad_(), X, True),
    ],
)
def test_values(first, second, same):
    assert same_values(first, second) is same
