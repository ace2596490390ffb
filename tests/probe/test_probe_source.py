"""Compiled code points into the claim file."""

import linecache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.probe.source import (
    Snippet,
    compile_code,
    compile_value,
    parse_expression,
    show_to_inspect,
)


def snippet(text: str, line: int) -> Snippet:
    return {"text": text, "line": line, "column": 5}


@given(st.integers(1, 2000))
def test_lines_are_those_of_the_file(line: int) -> None:
    namespace: dict[str, object] = {}
    exec(compile_code(snippet("\ndef f(): pass\n", line), "f.yaml"), namespace)
    assert namespace["f"].__code__.co_firstlineno == line + 1


def test_syntax_error_has_the_line_of_the_file() -> None:
    with pytest.raises(SyntaxError) as caught:
        compile_code(snippet("x = 1\nreturn x", 7), "f.yaml")
    assert (caught.value.filename, caught.value.lineno) == ("f.yaml", 8)


def test_value_of_the_last_expression() -> None:
    before, value = compile_value(snippet("a = 2\nb = 3\na / b", 7), "f.yaml")
    namespace: dict[str, object] = {}
    exec(before, namespace)
    assert eval(value, namespace) == 2 / 3
    namespace["b"] = 0
    with pytest.raises(ZeroDivisionError) as caught:
        eval(value, namespace)
    assert caught.traceback[-1].lineno + 1 == 9  # which counts from 0


@pytest.mark.parametrize("text", ["a = 2", "", "# nothing"])
def test_code_without_a_value(text: str) -> None:
    with pytest.raises(SyntaxError, match="must end in an expression") as caught:
        compile_value(snippet(text, 7), "f.yaml")
    assert caught.value.lineno == 7


def test_spaces_around_an_expression_mean_nothing() -> None:
    assert parse_expression(snippet("  x == 1 \n", 7), "f.yaml").body.lineno == 7


def test_source_is_shown_on_its_lines() -> None:
    show_to_inspect("shown.yaml", [snippet("a = 1\nb = 2\n", 5), snippet("c = 3", 3)])
    lines = [linecache.getline("shown.yaml", line) for line in range(1, 8)]
    assert lines == ["\n", "\n", "c = 3\n", "\n", "a = 1\n", "b = 2\n", ""]
    linecache.checkcache("shown.yaml")
    assert linecache.getline("shown.yaml", 5) == "a = 1\n"


def test_the_first_on_a_line_is_shown() -> None:
    show_to_inspect("shown.yaml", [snippet("a", 1), snippet("b", 1)])
    assert linecache.getline("shown.yaml", 1) == "a\n"
