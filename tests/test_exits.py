"""Exit codes and their precedence."""

import pytest

from verifier.exits import Exit, combine, is_unreadable, of_results
from verifier.model import CaseResult, ClaimResult, Results, Source, Verdict


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ([], 0),
        ([0, 0], 0),
        ([0, 1], 1),
        ([5, 0], 5),
        ([1, 5], 1),
        ([3, 1], 3),
        ([4, 3, 1], 4),
        ([1, 2, 3, 4, 5, 0], 2),
    ],
)
def test_the_gravest_code_wins(codes: list[int], expected: int):
    assert combine(codes) == expected


def results(verdict: Verdict, *, agrees: bool = True, remark: str = "") -> Results:
    case = CaseResult(
        id="cpu", params={}, environment="", verdict=verdict, remarks=(remark,) if remark else ()
    )
    return Results(
        claims=(
            ClaimResult(
                id="x",
                source="s",
                file="f",
                line=1,
                statement="",
                kind="behaviour",
                severity="major",
                verdict=verdict,
                agrees=agrees,
                cases=(case,),
            ),
        )
    )


def test_a_difference_from_the_ledger_fails():
    assert of_results(results(Verdict.VERIFIED, agrees=False)) == Exit.FAILED
    assert of_results(results(Verdict.REFUTED)) == Exit.OK


def test_fail_on_only_adds():
    assert of_results(results(Verdict.REFUTED), ["refuted"]) == Exit.FAILED
    assert of_results(results(Verdict.VERIFIED), ["refuted"]) == Exit.OK
    assert of_results(results(Verdict.VERIFIED, agrees=False), ["refuted"]) == Exit.FAILED


def test_drift_fails_only_where_asked_for():
    drifted = results(Verdict.VERIFIED, remark="representation-drift")
    assert of_results(drifted) == Exit.OK
    assert of_results(drifted, ["drift"]) == Exit.FAILED


def test_nothing_found_has_a_code_of_its_own():
    assert of_results(Results()) == Exit.NOTHING_FOUND


def test_unreadable_is_what_has_not_even_a_source():
    claims = results(Verdict.ERROR).claims
    assert is_unreadable(Results(claims=claims))
    assert not is_unreadable(Results(claims=claims, documents=(Source(id="s"),)))
    assert not is_unreadable(Results())
