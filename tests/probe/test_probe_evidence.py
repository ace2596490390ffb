"""Evidence: the value of each operand, each evaluated once, in Python's order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.probe.describe import Addresses
from verifier.probe.evidence import evaluate

FILE = "claims/sample.yaml"


def evidence(text: str, line: int = 20, **namespace):
    snippet = {"text": text, "line": line, "column": 7}
    return evaluate(snippet, FILE, namespace, Addresses())


def operands(text: str, **namespace) -> list[tuple[str, str]]:
    return [(each["code"], each["value"]) for each in evidence(text, **namespace)["operands"]]


def test_operands_of_a_comparison() -> None:
    assert operands("len(x) + 1 == n", x=[1, 2], n=3) == [
        ("x", "[1, 2]"),
        ("len(x)", "2"),
        ("len(x) + 1", "3"),
        ("n", "3"),
    ]


def test_truth_and_value() -> None:
    observed = evidence("x", x=[])
    assert (observed["truth"], observed["value"]) == (False, "[]")
    assert evidence("x", x=[0])["truth"] is True


def test_operands_that_are_skipped_are_not_evaluated() -> None:
    assert operands("a or boom()", a=1) == [("a", "1")]
    assert operands("a and boom()", a=0) == [("a", "0")]
    assert operands("a < b < boom()", a=2, b=1) == [("a", "2"), ("b", "1")]
    assert operands("a if c else boom()", a=5, c=True) == [("c", "True"), ("a", "5")]


def test_each_part_runs_once_and_in_order() -> None:
    calls = []

    def f(name, value):
        calls.append(name)
        return value

    text = "f('a', 1) < f('b', 2) < f('c', 3) and not f('d', [0])[f('e', 0)]"
    assert evidence(text, f=f)["truth"] is True
    assert calls == ["a", "b", "c", "d", "e"]


def test_methods_show_their_object_and_result() -> None:
    assert operands("x.upper().lower() == 'ab'", x="Ab") == [
        ("x", "'Ab'"),
        ("x.upper()", "'AB'"),
        ("x.upper().lower()", "'ab'"),
    ]


def test_functions_modules_and_types_are_not_operands() -> None:
    import math

    def double(x):
        return 2 * x

    assert operands("double(math.floor(2.5)) == int('4')", math=math, double=double) == [
        ("math.floor(2.5)", "2"),
        ("double(math.floor(2.5))", "4"),
        ("int('4')", "4"),
    ]


def test_bodies_of_comprehensions_and_lambdas_are_left_alone() -> None:
    text = "sum([i * i for i in x]) == (lambda: n)()"
    assert operands(text, x=[1, 2], n=5) == [
        ("[i * i for i in x]", "[1, 4]"),
        ("sum([i * i for i in x])", "5"),
        ("(lambda: n)()", "5"),
    ]


def test_keyword_star_slice_and_walrus() -> None:
    text = "(y := f(*a, k=k))[n:][0] == 3"
    assert evidence(text, f=lambda *a, k: [*a, k], a=[1, 2], k=3, n=2)["truth"] is True
    assert ("y := f(*a, k=k)", "[1, 2, 3]") in operands(
        text, f=lambda *a, k: [*a, k], a=[1, 2], k=3, n=2
    )


def test_a_value_is_described_when_it_is_seen() -> None:
    assert operands("x.pop() < len(x)", x=[1, 2]) == [
        ("x", "[1, 2]"),
        ("x.pop()", "2"),
        ("x", "[1]"),
        ("len(x)", "1"),
    ]


def test_the_same_operand_is_named_once() -> None:
    assert operands("x == x", x=1) == [("x", "1")]


def test_code_beyond_ascii_and_lines() -> None:
    text = "größe['ä'] ==\\\n  größe['ö']"
    assert operands(text, größe={"ä": 1, "ö": 2}) == [
        ("größe", "{'ä': 1, 'ö': 2}"),
        ("größe['ä']", "1"),
        ("größe['ö']", "2"),
    ]


def test_an_exception_keeps_the_operands_so_far() -> None:
    observed = evidence("(n\n/ zero)", n=1, zero=0)
    assert observed["exception"]["types"][0] == "ZeroDivisionError"
    assert observed["exception"]["frames"][0]["line"] in (20, 21)
    assert [each["code"] for each in observed["operands"]] == ["n", "zero"]
    assert "truth" not in observed


def test_a_value_without_truth() -> None:
    class Ambiguous:
        def __bool__(self):
            raise ValueError("ambiguous")

    observed = evidence("x", x=Ambiguous())
    assert observed["exception"]["message"] == "ambiguous"
    assert "truth" not in observed


def test_addresses_have_names_that_do_not_change() -> None:
    namespace = {"x": object(), "y": object()}
    assert [value for _code, value in operands("id(x) != id(y)", **namespace)][1::2] == [
        "address 1",
        "address 2",
    ]
    assert operands("id(x) == id(x)", **namespace)[1:] == [("id(x)", "address 1")]


def test_namespace_is_left_as_it_was() -> None:
    namespace = {"x": 1}
    evaluate({"text": "x == 1", "line": 1, "column": 1}, FILE, namespace, Addresses())
    assert set(namespace) <= {"x", "__builtins__"}


def test_many_operands_are_capped() -> None:
    text = " + ".join(f"f({n})" for n in range(100)) + " > 0"
    assert len(operands(text, f=lambda n: n)) == 40


def expressions() -> st.SearchStrategy[str]:
    leaf = st.sampled_from(["a", "b", "c", "1", "0", "f(a)", "s[0]", "o.real", "-1"])

    def combine(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        binary = st.tuples(
            inner, st.sampled_from(["+", "-", "*", "==", "<", "and", "or", "in [1],"]), inner
        )
        return st.one_of(
            binary.map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
            inner.map(lambda e: f"(not {e})"),
            st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} if {t[1]} else {t[2]})"),
        )

    return st.recursive(leaf, combine, max_leaves=12)


@given(expressions())
def test_instrumented_code_has_the_value_of_plain_code(text: str) -> None:
    def names():
        calls: list[int] = []
        f = lambda x: calls.append(x) or 5  # noqa: E731
        return {"a": 1, "b": 0, "c": 7, "s": [3], "o": 2, "f": f}, calls

    plain, plain_calls = names()
    traced, traced_calls = names()
    try:
        expected = bool(eval(text, plain))
    except TypeError:
        expected = None
    assert evidence(text, **traced).get("truth") is expected
    assert traced_calls == plain_calls


@pytest.mark.parametrize("text", ["x ==", "x = 1"])
def test_bad_syntax_is_an_exception_with_its_line(text: str) -> None:
    exception = evidence(text, line=33)["exception"]
    assert exception["types"][0] == "SyntaxError"
    assert exception["frames"][-1]["line"] == 33
