"""Cases of a claim and their ids."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.claimfile import cases
from verifier.claimfile.matrix import case_id, same
from verifier.model import Claim, Code, Source


def claim(**fields):
    fields.setdefault("probe", Code(text="x = 1", line=1))
    return Claim(
        id="c", statement="It is.", kind="behaviour", source=Source(id="s"), file="c.yaml",
        line=1, **fields,
    )  # fmt: skip


def test_the_product_in_the_order_written():
    made = cases(claim(matrix={"device": ("cpu", "cuda"), "shape": ((3, 4), ())}))
    assert [case.id for case in made] == ["cpu-3x4", "cpu-0d", "cuda-3x4", "cuda-0d"]
    assert made[2].params == {"device": "cuda", "shape": (3, 4)}
    assert made[2].device == "cuda"


def test_excluded_combinations_are_left_out():
    matrix = {"device": ("cpu", "cuda"), "n": (1, 2)}
    made = cases(claim(matrix=matrix, exclude=({"device": "cuda", "n": 2}, {"n": 1})))
    assert [case.id for case in made] == ["cpu-2"]
    made = cases(claim(matrix={"n": (1, True, 1.0)}, exclude=({"n": 1.0}, {"k": 1})))
    assert [case.params["n"] for case in made] == [1, True]


def test_without_matrix_there_is_one_case_and_without_probe_none():
    assert [(case.id, case.params, case.device) for case in cases(claim())] == [("cpu", {}, "cpu")]
    assert cases(claim(probe=None)) == ()


@pytest.mark.parametrize(
    ("value", "name"),
    [("float32", "float32"), ("cuda:0", "cuda_0"), ("a/b c", "a_b_c"), ("", "empty"), (3, "3"),
     (-1, "-1"), (0.5, "0.5"), (1e-05, "1e-05"), (True, "true"), (None, "none"), ((), "0d"),
     ((3,), "3"), ((3, 4), "3x4"), (((1, 2), (3, 4)), "1x2_3x4"), ("größe", "gr__e")],
)  # fmt: skip
def test_names_of_values(value, name):
    assert case_id({"axis": value}) == name


@given(st.dictionaries(st.text(), st.text() | st.floats() | st.lists(st.integers()).map(tuple)))
def test_ids_are_safe_in_file_names_and_on_command_lines(params):
    assert re.fullmatch(r"[A-Za-z0-9._+-]+", case_id(params)) or set(params.values()) == {""}


def test_values_are_compared_as_written():
    assert same([3, [4]], (3, (4,)))
    assert same(float("nan"), float("nan"))
    assert not same(1, True)
    assert not same(1, 1.0)
