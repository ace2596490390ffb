from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from verifier.document.blocks import lines_of
from verifier.document.plaintext import blocks

SAMPLES = Path(__file__).parent.parent / "samples" / "document"


def kinds(text: str) -> list[tuple[str, int, int]]:
    return [(block.kind, block.first_line, block.last_line) for block in blocks(text)]


EXPECTED = {
    "code-among-prose": [("heading", 1, 1), ("prose", 2, 2), ("code", 3, 7), ("prose", 8, 8)],
    "printed-below-code": [
        ("code", 1, 5),
        ("output", 6, 9),
        ("heading", 10, 10),
        ("prose", 11, 11),
    ],
    "blank-lines": [
        ("heading", 1, 1),
        ("prose", 3, 4),
        ("code", 6, 13),
        ("output", 15, 15),
        ("heading", 17, 17),
        ("prose", 19, 19),
    ],
    "transcript": [
        ("prose", 1, 1),
        ("code", 2, 4),
        ("output", 5, 6),
        ("code", 7, 7),
        ("output", 8, 10),
        ("prose", 11, 11),
    ],
    "inline-code-broken-off": [
        ("heading", 1, 1),
        ("prose", 2, 3),
        ("heading", 4, 4),
        ("code", 5, 7),
        ("heading", 8, 8),
        ("prose", 9, 15),
        ("heading", 16, 17),
        ("prose", 18, 18),
    ],
    "lists": [("heading", 1, 1), ("prose", 2, 2), ("prose", 3, 4), ("prose", 5, 6)],
    "mistakes-in-code": [("code", 1, 6), ("prose", 7, 7)],
    "words-that-parse": [("prose", 1, 7)],
    "no-break-spaces": [("code", 1, 2)],
    "calls-alone": [("prose", 1, 1), ("code", 2, 2), ("output", 3, 3), ("prose", 4, 6)],
    "windows-line-ends": [("heading", 1, 1), ("prose", 2, 2), ("code", 4, 4), ("output", 5, 5)],
}


@pytest.mark.parametrize("sample", EXPECTED)
def test_samples(sample: str) -> None:
    text = (SAMPLES / f"{sample}.txt").read_bytes().decode()
    assert kinds(text) == EXPECTED[sample]


def test_each_sample_is_tested() -> None:
    assert {path.stem for path in SAMPLES.glob("*.txt")} == set(EXPECTED)


@pytest.mark.parametrize(
    "line",
    [
        "import torch",
        "from torch import nn",
        "x = 1",
        "x += 1",
        "x[0], y = 1, 2",
        "x: int = 3",
        "for i in range(3): print(i)",
        ">>> x",
        "무게 = torch.ones(3)",
        "print(x)",
        "optimizer.step(closure)",
    ],
)
def test_code_alone(line: str) -> None:
    assert kinds(f"One sentence.\n{line}\nAnother sentence.")[1] == ("code", 2, 2)


@pytest.mark.parametrize(
    "line",
    [
        "Overview",
        "torch.nn.functional",
        "torch.mm()",
        ".view()",
        "x is contiguous",
        "input/output",
        "well-known",
        "Note: shapes",
        "return results",
        "True",
        "3.14",
        "# Overview",
        "import of tensors",
        "다음 예시를 봅시다",
        "view() 사용하기",
    ],
)
def test_prose_alone(line: str) -> None:
    assert "code" not in [kind for kind, *_ in kinds(f"One sentence.\n{line}\nAnother sentence.")]


@pytest.mark.parametrize(
    "line",
    [
        "True",
        "None",
        "-0.5",
        "1e-3",
        "'text'",
        "[1, 2]",
        "{'a': 1}",
        "[[1 2]",
        "tensor([1., 2.], grad_fn=<AddBackward0>)",
        "torch.Size([2, 3])",
        "<class 'int'>",
        "<object object at 0x7f00>",
        "loss: 0.25",
        "loss: tensor(0.25)",
        "평균 손실: 0.25",
        "epoch 1, loss: 0.25",
        "ValueError: bad shape",
    ],
)
def test_printed_directly_below_code(line: str) -> None:
    assert kinds(f"x = f()\n{line}\nA sentence.") == [
        ("code", 1, 1),
        ("output", 2, 2),
        ("prose", 3, 3),
    ]


@pytest.mark.parametrize("line", ["It prints True.", "Note: read on.", "Result", "f() 사용(하기)"])
def test_not_printed_though_below_code(line: str) -> None:
    assert [kind for kind, *_ in kinds(f"x = f()\n{line}")][1] in ("prose", "heading")


def test_a_label_below_a_blank_line_is_prose_and_a_value_is_not() -> None:
    assert [kind for kind, *_ in kinds("x = f()\n\nchapter 2: 3\n")] == ["code", "heading"]
    assert [kind for kind, *_ in kinds("x = f()\n\n0.25\n")] == ["code", "output"]


def test_a_word_below_code_is_code_only_where_it_shows_a_value() -> None:
    assert kinds("x = 1\nx\n1\n") == [("code", 1, 2), ("output", 3, 3)]
    assert kinds("x = 1\nSummary\nAll is well.\n")[1:] == [("heading", 2, 2), ("prose", 3, 3)]


def test_statements_of_several_lines_stay_whole() -> None:
    text = (
        "x = f(\n  1,\n\n  2,\n)\n@d\ndef g():\n  return 1\nif x:\n  y = 1\nelse:\n  y = 2\nEnd.\n"
    )
    assert kinds(text) == [("code", 1, 12), ("prose", 13, 13)]


def test_wrapped_sentences_are_no_headings() -> None:
    assert kinds("The mean of a tensor\nis a tensor of no axes.\n") == [("prose", 1, 2)]
    assert kinds("If it has axes,\nPyTorch takes all.\n") == [("prose", 1, 2)]
    assert kinds("A" * 61 + "\nB is next.\n") == [("prose", 1, 2)]
    assert kinds("The mean\nOf a tensor it is a number.\n") == [("heading", 1, 1), ("prose", 2, 2)]


def test_lines_that_end_in_inline_code_go_on() -> None:
    assert kinds("두 텐서와t\n를 더합니다.\n") == [("prose", 1, 2)]
    assert kinds("답은 True\n입니다.\n") == [("prose", 1, 2)]
    assert kinds("두 텐서의 합\n이 장에서 더합니다.\n") == [("heading", 1, 1), ("prose", 2, 2)]


def test_many_open_brackets_take_no_quadratic_time() -> None:
    text = "a[1,\n" * 1500
    assert kinds(text) == [("prose", 1, 1500)]


LINES = st.sampled_from(
    [
        "",
        "   ",
        "import torch",
        "x = f(1,",
        "    2)",
        "if x:",
        "    y = 1",
        "print(x)",
        "True",
        "loss: 0.5",
        "# remark",
        "- an item",
        "A heading",
        "A sentence. Another",
        "다음은 x",
        "값을 씁니다..view()",
        ">>> x",
        "'''",
        "x",
    ]
)


@given(st.one_of(st.text(), st.lists(LINES).map("\n".join), st.lists(LINES).map("\r\n".join)))
@example("\x00")
@example("(" * 300)
@example("x\x0c\n y")
def test_each_line_with_text_is_in_one_block(text: str) -> None:
    lines = lines_of(text)
    found = blocks(text)
    covered = [number for b in found for number in range(b.first_line, b.last_line + 1)]
    assert covered == sorted(set(covered))
    assert {line.number for line in lines if not line.is_blank} <= set(covered)
    for block in found:
        first, last = lines[block.first_line - 1], lines[block.last_line - 1]
        assert (block.start, block.end) == (first.start, last.end)
        assert not first.is_blank
        assert not last.is_blank
