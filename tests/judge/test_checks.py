"""Each matcher, from both sides, and the words for what it showed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.judge.checks import find, shares_memory
from verifier.model import (
    Allocates,
    Code,
    Copies,
    Expression,
    Faster,
    Memory,
    Observed,
    Operand,
    Prints,
    Raised,
    Raises,
    Runs,
    SameCost,
    SharesMemory,
    Slower,
    Timing,
    Warned,
    Warns,
)

A, B = Code(text="a.f()", line=1), Code(text="b.f()", line=2)
SHARED = Memory(same_object=False, same_storage=True, overlap=True, write_through=True)
APART = Memory(same_object=False, same_storage=False, overlap=False, write_through=False)
WARNED = Warned(types=("UserWarning", "Warning", "Exception"), message="lr_scheduler first")
OUT_OF_MEMORY = Raised(types=("torch.OutOfMemoryError", "RuntimeError"), message="CUDA: no room")
SAME_CODE = Timing(identical="both sides are the same code")


@pytest.mark.parametrize(
    ("check", "observed", "holds", "expected", "seen"),
    [
        (Expression(code=A), Observed(truth=True, value="1"), True, "`a.f()`", "it is 1"),
        (Expression(code=A), Observed(truth=False, value="0"), False, "`a.f()`", "it is 0"),
        (
            Runs(code=A),
            Observed(),
            True,
            "`a.f()` runs without an exception",
            "it runs without an exception",
        ),
        (
            Raises(code=A, type="ValueError"),
            Observed(),
            False,
            "`a.f()` raises ValueError",
            "it runs without an exception",
        ),
        (
            Raises(code=A, type="RuntimeError", match="no room$"),
            Observed(exception=OUT_OF_MEMORY),
            True,
            "`a.f()` raises RuntimeError with a message that matches 'no room$'",
            "raises torch.OutOfMemoryError: CUDA: no room",
        ),
        (
            Prints(code=A, text="1,\n 2"),
            Observed(output="1, 2\n"),
            True,
            "`a.f()` prints '1, 2'",
            "prints '1, 2'",
        ),
        (
            Prints(code=A, text="False"),
            Observed(output="True\n"),
            False,
            "`a.f()` prints 'False'",
            "prints 'True', the document shows 'False'",
        ),
        (
            Warns(code=A, category="UserWarning", match="first$"),
            Observed(warnings=(WARNED,)),
            True,
            "`a.f()` gives a UserWarning with a message that matches 'first$'",
            "it gives UserWarning: lr_scheduler first",
        ),
        (
            Warns(code=A, category="FutureWarning"),
            Observed(warnings=(WARNED,)),
            False,
            "`a.f()` gives a FutureWarning",
            "it gives UserWarning: lr_scheduler first",
        ),
        (
            Warns(code=A, match="second"),
            Observed(warnings=(WARNED,)),
            False,
            "`a.f()` gives a Warning with a message that matches 'second'",
            "it gives UserWarning: lr_scheduler first",
        ),
        (
            Warns(code=A),
            Observed(),
            False,
            "`a.f()` gives a Warning",
            "it gives no warning",
        ),
        (
            Copies(code=A, of=B),
            Observed(memory=APART),
            True,
            "`a.f()` shares no memory with `b.f()`",
            "the same object: no, one storage: no, common bytes: no, "
            "a write to one is seen in the other: no",
        ),
        (
            Copies(code=A, of=B),
            Observed(memory=Memory(same_storage=True)),
            False,
            "`a.f()` shares no memory with `b.f()`",
            "one storage: yes",
        ),
        (
            SharesMemory(first=A, second=B),
            Observed(memory=Memory(same_storage=True)),
            True,
            "`a.f()` and `b.f()` share memory",
            "one storage: yes",
        ),
        (
            SharesMemory(first=A, second=B),
            Observed(memory=Memory(same_storage=False)),
            False,
            "`a.f()` and `b.f()` share memory",
            "one storage: no",
        ),
        (
            Allocates(code=A, at_least=4096),
            Observed(memory=Memory(allocated=4096)),
            True,
            "`a.f()` allocates at least 4,096 bytes",
            "it allocates 4,096 bytes",
        ),
        (
            Allocates(code=A, at_least=2),
            Observed(memory=Memory(allocated=1)),
            False,
            "`a.f()` allocates at least 2 bytes",
            "it allocates 1 byte",
        ),
        (
            Faster(first=A, second=B),
            Observed(timing=SAME_CODE),
            False,
            "`b.f()` is faster than `a.f()` by more than 5 %",
            "nothing was timed: both sides are the same code",
        ),
        (
            Slower(first=A, second=B, margin=0.025),
            Observed(timing=SAME_CODE),
            False,
            "`b.f()` is slower than `a.f()` by more than 2.5 %",
            "nothing was timed: both sides are the same code",
        ),
        (
            SameCost(first=A, second=B),
            Observed(timing=SAME_CODE),
            True,
            "`a.f()` and `b.f()` cost the same within 5 %",
            "nothing was timed: both sides are the same code",
        ),
    ],
)
def test_each_matcher(check, observed, holds, expected, seen):
    finding = find(check, observed)
    assert (finding.holds, finding.problem, finding.doubt) == (holds, "", "")
    assert finding.expected == expected
    assert finding.observed == seen
    start = "It holds that " if holds else "It does not hold that "
    assert finding.sentence == f"{start}{expected}: {seen}."


@pytest.mark.parametrize(
    ("check", "observed", "doubt"),
    [
        (Faster(first=A, second=B), Observed(timing=Timing()), "undecided"),
        (
            SharesMemory(first=A, second=B),
            Observed(memory=Memory(overlap=True, write_through=False)),
            "witnesses-disagree",
        ),
        (Copies(code=A, of=B), Observed(memory=Memory()), "witnesses-disagree"),
        (Allocates(code=A, at_least=1), Observed(memory=Memory()), "no-witness"),
    ],
)
def test_what_cannot_be_decided_says_why(check, observed, doubt):
    finding = find(check, observed)
    assert (finding.holds, finding.doubt, finding.problem) == (None, doubt, "")
    assert finding.sentence.startswith("It is undecided whether ")


@pytest.mark.parametrize(
    "check",
    [
        Expression(code=A),
        Prints(code=A, text=""),
        Faster(first=A, second=B),
        Copies(code=A, of=B),
        SharesMemory(first=A, second=B),
        Allocates(code=A, at_least=1),
    ],
)
def test_a_record_without_what_the_check_is_about_is_corrupt(check):
    finding = find(check, Observed())
    assert (finding.holds, finding.problem) == (None, "channel-corrupt")
    assert finding.sentence.startswith("It could not be checked whether ")


def test_what_was_measured_is_told_without_figures_that_vary():
    timing = Timing(cpu=(0.693, 0.692, 0.694) * 4, wall=(0.7,) * 12)
    finding = find(Faster(first=A, second=B), Observed(timing=timing))
    assert finding.holds is True
    assert finding.observed == "`b.f()` was measured to be faster by more than 5 %"
    assert finding.samples == pytest.approx([2.0] * 12, rel=0.01)
    assert finding.interval[0] < 2.0 < finding.interval[1]
    again = find(Faster(first=A, second=B), Observed(timing=Timing(wall=(0.8,) * 18)))
    assert again.sentence == finding.sentence


def test_values_that_differ_make_times_meaningless_unless_structure_decides():
    check = Faster(first=A, second=B)
    assert find(check, Observed(timing=Timing(same_values=False))).problem == "different-values"
    assert find(check, Observed(timing=Timing(same_values=True))).problem == ""
    both = Timing(same_values=False, identical="both sides are the same code")
    assert find(check, Observed(timing=both)).holds is False


@pytest.mark.parametrize(
    ("name", "holds"),
    [
        ("torch.OutOfMemoryError", True),
        ("OutOfMemoryError", True),
        ("RuntimeError", True),
        ("builtins.RuntimeError", True),
        ("MemoryError", False),
        ("other.OutOfMemoryError", False),
        ("Error", False),
    ],
)
def test_a_type_is_named_in_full_or_bare_and_a_base_counts(name, holds):
    finding = find(Raises(code=A, type=name), Observed(exception=OUT_OF_MEMORY))
    assert (finding.holds is True) == holds
    assert (finding.problem == "exception-in-check") == (not holds)


def test_any_warning_of_a_check_may_be_the_one():
    other = Warned(types=("FutureWarning", "Warning"), message="soon")
    check = Warns(code=A, category="UserWarning")
    assert find(check, Observed(warnings=(other, WARNED))).holds is True
    assert find(check, Observed(warnings=(other,))).holds is False


def test_a_warning_decides_nothing_but_warns():
    observed = Observed(truth=True, value="True", output="", warnings=(WARNED,))
    assert find(Expression(code=A), observed).holds is True
    assert find(Runs(code=A), observed).holds is True
    assert find(Prints(code=A, text=""), observed).holds is True


@pytest.mark.parametrize(
    ("memory", "shares"),
    [
        (SHARED, True),
        (APART, False),
        (Memory(same_object=True), True),
        (Memory(overlap=True, write_through=True), True),
        (Memory(write_through=False), False),
        # two parts of one storage
        (Memory(same_storage=True, overlap=False, write_through=False), True),
        (Memory(same_storage=True, overlap=True, write_through=False), None),
        (Memory(same_storage=False, write_through=True), None),
        (Memory(), None),
        (Memory(same_object=False), None),
    ],
)
def test_witnesses_of_shared_memory(memory, shares):
    assert shares_memory(memory) is shares


witness = st.sampled_from([True, False, None])


@settings(deadline=None)
@given(witness, witness, witness)
def test_copies_is_the_opposite_of_shares_memory(same_storage, overlap, write_through):
    memory = Memory(same_storage=same_storage, overlap=overlap, write_through=write_through)
    copies = find(Copies(code=A, of=B), Observed(memory=memory)).holds
    shares = find(SharesMemory(first=A, second=B), Observed(memory=memory)).holds
    assert copies is (None if shares is None else not shares)


def test_code_of_several_lines_is_one_clause():
    code = Code(text="y = f(x)\n\ny.g()\n", line=1)
    assert find(Runs(code=code), Observed()).expected.startswith("`y = f(x); y.g()` runs")


def test_long_values_are_cut():
    operand = Operand(code="x", value="1 " * 1000)
    finding = find(Expression(code=A), Observed(truth=True, operands=(operand,)))
    assert len(finding.observed) < 250
    assert finding.sentence.endswith("…")
    assert finding.operands == (operand,)
