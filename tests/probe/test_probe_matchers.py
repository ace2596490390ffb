"""What each kind of check observes."""

import pytest

from verifier.model import (
    Allocates,
    Code,
    Copies,
    Faster,
    Prints,
    Raises,
    Runs,
    SharesMemory,
    Warns,
)


def code(text: str, line: int = 30) -> Code:
    return Code(text=text, line=line)


@pytest.fixture
def observe(plain, make_case):
    def run(check, probe: str = ""):
        observed = plain.submit(make_case(probe, check))
        assert observed.outcome == "done", observed
        return observed.checks[0]

    return run


@pytest.fixture
def observe_torch(with_torch, make_case):
    def run(check, probe: str = "x = torch.zeros(3, 4)"):
        observed = with_torch.submit(make_case(probe, check, setup="import torch"))
        assert observed.outcome == "done", observed
        return observed.checks[0]

    return run


def test_runs(observe) -> None:
    assert observe(Runs(code=code("x = 1"))).exception is None
    failed = observe(Runs(code=code("x = 1\nx.y")))
    assert failed.exception.type == "AttributeError"
    assert failed.exception.frames[0].line == 31


def test_runs_leaves_its_names(plain, make_case) -> None:
    observed = plain.submit(make_case("", Runs(code=code("left = 1")), "left == 1"))
    assert observed.checks[1].truth is True


def test_raises_reports_whatever_is_raised(observe) -> None:
    check = Raises(code=code("class E(LookupError): pass\nraise E('why')"), type="IndexError")
    observed = observe(check)
    assert observed.exception.types[:2] == ("__main__.E", "LookupError")
    assert observed.exception.message == "why"


def test_raises_nothing(observe) -> None:
    assert observe(Raises(code=code("pass"), type="ValueError")).exception is None


def test_prints_only_its_own_code(observe, plain, make_case) -> None:
    check = Prints(code=code("print('inside')"), text="inside")
    observed = plain.submit(make_case("print('before')", check, "print('after') is None"))
    assert observed.checks[0].output == "inside\n"
    assert observed.stdout == "before\nafter\n"


def test_prints_of_other_processes_and_descriptors(observe) -> None:
    text = "import os\nprint('a')\nos.system('echo b')\nos.write(1, b'c')"
    assert observe(Prints(code=code(text), text="")).output == "a\nb\nc"


def test_prints_until_it_raises(observe) -> None:
    observed = observe(Prints(code=code("print('so far')\n1 / 0"), text=""))
    assert observed.output == "so far\n"
    assert observed.exception.type == "ZeroDivisionError"


def test_prints_too_much(observe) -> None:
    observed = observe(Prints(code=code("print('x' * 1_000_000)"), text=""))
    assert "more characters" in observed.output


def test_prints_with_a_closed_stream(observe) -> None:
    observed = observe(
        Prints(code=code("import os; os.write(1, b'raw')"), text=""),
        "import sys; sys.stdout.close()",
    )
    assert observed.output == "raw"


def test_warns_only_of_its_own_code(observe) -> None:
    warn = "warnings.warn({!r}, FutureWarning)"
    probe = "import warnings\n" + warn.format("before")
    observed = observe(Warns(code=code(warn.format("inside"))), probe)
    assert [(w.message, w.types[0], w.line) for w in observed.warnings] == [
        ("inside", "FutureWarning", 30)
    ]
    assert observe(Warns(code=code("pass")), probe).warnings == ()


def test_warns_and_raises(observe) -> None:
    observed = observe(Warns(code=code("import warnings\nwarnings.warn('w')\n1 / 0")))
    assert observed.warnings[0].message == "w"
    assert observed.exception.type == "ZeroDivisionError"


def test_warning_of_a_library_has_the_line_that_caused_it(observe) -> None:
    text = "import runpy\nrunpy.run_path('library.py')"
    library = "import warnings; warnings.warn('deep')"
    probe = f"open('library.py', 'w').write({library!r})"
    assert [w.line for w in observe(Warns(code=code(text)), probe).warnings] == [31]


def test_copies(observe_torch) -> None:
    kept = observe_torch(Copies(code=code("x.contiguous()"), of=code("x")))
    assert (kept.memory.same_object, kept.memory.write_through) == (True, True)
    copied = observe_torch(Copies(code=code("x.t().contiguous()"), of=code("x")))
    assert (copied.memory.same_storage, copied.memory.write_through) == (False, False)
    assert [operand.code for operand in copied.operands] == ["x", "x.t().contiguous()"]


def test_shares_memory(observe_torch) -> None:
    check = SharesMemory(first=code("x"), second=code("y = x.view(-1)\ny[2:]"))
    assert observe_torch(check).memory.overlap is True


def test_memory_of_code_without_a_value(observe_torch) -> None:
    observed = observe_torch(SharesMemory(first=code("x"), second=code("y = x", line=40)))
    assert observed.exception.type == "SyntaxError"
    assert "must end in an expression" in observed.exception.message
    assert observed.exception.frames[-1].line == 40


def test_memory_of_code_that_raises(observe_torch) -> None:
    observed = observe_torch(Copies(code=code("x.t().view(-1)"), of=code("x")))
    assert observed.exception.type == "RuntimeError"
    assert observed.memory is None


def test_allocates(observe_torch) -> None:
    assert observe_torch(Allocates(code=code("x.clone()"), at_least=1)).memory.allocated == 48
    assert observe_torch(Allocates(code=code("x.t()"), at_least=1)).memory.allocated == 0


def test_comparison_is_timed(observe) -> None:
    observed = observe(Faster(first=code("sum(x)"), second=code("x[0]")), "x = list(range(50_000))")
    assert observed.timing.identical == ""
    assert 1 <= len(observed.timing.wall) <= 6
    assert min(observed.timing.wall) > 1  # log of the ratio: a great deal slower
    assert observed.timing.first_seconds > observed.timing.second_seconds > 0


def test_comparison_of_the_same_is_not_timed(observe) -> None:
    observed = observe(Faster(first=code("sum(x)"), second=code("sum(y)")), "x = y = [1, 2]")
    assert observed.timing.identical
    assert observed.timing.wall == ()


def test_comparison_runs_its_set_ups(observe) -> None:
    check = Faster(
        first=code("sum(a)"),
        second=code("b[0]"),
        first_setup=code("a = list(x)"),
        second_setup=code("b = x[:1]"),
    )
    assert observe(check, "x = list(range(50_000))").timing.wall


def test_comparison_of_code_that_raises(observe) -> None:
    observed = observe(Faster(first=code("1"), second=code("1 / 0", line=41)))
    assert observed.exception.type == "ZeroDivisionError"
    assert observed.exception.frames[-1].line == 41
