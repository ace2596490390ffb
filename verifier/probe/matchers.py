"""What each kind of check observes. The parent compares; here is no judgement.

Each function takes the check as it arrived (see `verifier.probe.jobs`) and the
surroundings of the case, runs the check's code once and returns a
`verifier.model.Observed` as data. Code that raises raises out of it.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any

from verifier.probe import evidence, memory
from verifier.probe.describe import describe, shorten
from verifier.probe.raised import describe_exception
from verifier.probe.source import Snippet, compile_code, compile_value
from verifier.probe.surroundings import Surroundings
from verifier.probe.timing import measure

_LONGEST_OUTPUT = 32_000

Check = dict[str, Any]
Observed = dict[str, Any]


def observe(check: Check, case: Surroundings) -> Observed:
    """Run one check. Never raises: an exception is what the check showed."""
    try:
        return _OBSERVERS[check["check"]](check, case)
    except BaseException as error:  # noqa: BLE001 - foreign code may raise anything
        return {"exception": describe_exception(error, case.file)}


def _expression(check: Check, case: Surroundings) -> Observed:
    return evidence.evaluate(check["code"], case.file, case.namespace, case.addresses)


def _statements(check: Check, case: Surroundings) -> Observed:
    case.execute(check["code"])
    return {}


def _prints(check: Check, case: Surroundings) -> Observed:
    code = compile_code(check["code"], case.file)
    observed: Observed = {}
    # A file in place of descriptor 1 also catches what C++ and subprocesses print.
    with open(os.memfd_create("prints"), "w+b") as capture:  # noqa: PTH123 - a descriptor
        _flush()
        saved = os.dup(1)
        os.dup2(capture.fileno(), 1)
        try:
            exec(code, case.namespace)  # noqa: S102 - the purpose
        except BaseException as error:  # noqa: BLE001 - foreign code may raise anything
            observed["exception"] = describe_exception(error, case.file)
        finally:
            _flush()
            os.dup2(saved, 1)
            os.close(saved)
        capture.seek(0)
        text = capture.read(4 * _LONGEST_OUTPUT + 1).decode("utf-8", "replace")
    observed["output"] = shorten(text, _LONGEST_OUTPUT)
    return observed


def _flush() -> None:
    if sys.stdout is not None and not sys.stdout.closed:
        sys.stdout.flush()


def _warns(check: Check, case: Surroundings) -> Observed:
    count = len(case.warnings.warnings)
    observed: Observed = {}
    try:
        case.execute(check["code"])
    except BaseException as error:  # noqa: BLE001 - foreign code may raise anything
        observed["exception"] = describe_exception(error, case.file)
    observed["warnings"] = case.warnings.since(count)
    return observed


def _copies(check: Check, case: Surroundings) -> Observed:
    return _share(case, check["of"], check["code"])


def _shares_memory(check: Check, case: Surroundings) -> Observed:
    return _share(case, check["first"], check["second"])


def _share(case: Surroundings, first: Snippet, second: Snippet) -> Observed:
    values = [_value(snippet, case) for snippet in (first, second)]
    operands = [
        {"code": shorten(snippet["text"].strip(), 200), "value": describe(value)}
        for snippet, value in zip((first, second), values, strict=True)
    ]
    return {"memory": memory.relation(*values), "operands": operands}


def _value(snippet: Snippet, case: Surroundings) -> object:
    before, value = compile_value(snippet, case.file)
    exec(before, case.namespace)  # noqa: S102 - the purpose
    return eval(value, case.namespace)  # noqa: S307 - the purpose


def _allocates(check: Check, case: Surroundings) -> Observed:
    code = compile_code(check["code"], case.file)

    def run() -> None:
        exec(code, case.namespace)  # noqa: S102 - the purpose

    size = memory.allocated(run, case.device)
    return {"memory": {} if size is None else {"allocated": size}}


def _compare(check: Check, case: Surroundings) -> Observed:
    # Only claims about time need this, and it loads torch.utils.

    def code(key: str) -> CodeType | None:
        return compile_code(check[key], case.file) if check.get(key) else None

    timing = measure(
        compile_code(check["first"], case.file),
        compile_code(check["second"], case.file),
        first_setup=code("first_setup"),
        second_setup=code("second_setup"),
        first_text=check["first"]["text"],
        second_text=check["second"]["text"],
        rebuild=case.rebuild,
        namespace=case.namespace,
        threads=check["threads"],
        seconds=case.limits.seconds,
        epochs=case.limits.epochs,
        rng=random.Random(case.seed),  # noqa: S311 - not for secrets
        device=case.device,
    )
    return {"timing": timing}


_OBSERVERS: dict[str, Callable[[Check, Surroundings], Observed]] = {
    "expression": _expression,
    "runs": _statements,
    "raises": _statements,
    "prints": _prints,
    "warns": _warns,
    "copies": _copies,
    "shares_memory": _shares_memory,
    "allocates": _allocates,
    "faster": _compare,
    "slower": _compare,
    "same_cost": _compare,
}
