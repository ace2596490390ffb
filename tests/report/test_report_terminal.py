from pathlib import Path

import msgspec
import pytest

from verifier.model import CaseResult, ClaimResult, Place, Results, RunInfo, Verdict
from verifier.report.overview import place
from verifier.report.results import summarise
from verifier.report.terminal import case_line, failure_text, summary_lines

replace = msgspec.structs.replace


@pytest.fixture
def named(results):
    return {claim.id: claim for claim in results.claims}


def of(claims: tuple[ClaimResult, ...]) -> Results:
    return Results(claims=claims, summary=summarise(claims))


def test_a_refutation_reads_as_one(named):
    claim = named["sum-keeps-the-dtype"]
    assert failure_text(claim, claim.cases[2]) == (
        "Statement   sum() keeps the dtype of the tensor.\n"
        "            (line 58 of tensors-tutorial)\n"
        "Expected    x.sum().dtype == dtype\n"
        "Observed    x.sum().dtype is torch.int64\n"
        "Where       dtype = torch.bool\n"
        "Correction  sum() keeps floating-point dtypes; smaller integers and bools become int64.\n"
        "\n"
        "claims/tensors-tutorial/tensors.yaml:128: sum-keeps-the-dtype: refuted\n"
        "Reproduce: pytest 'claims/tensors-tutorial/tensors.yaml::sum-keeps-the-dtype[cpu-bool]'"
    )


def test_an_error_shows_the_exception_at_its_place_in_the_claim_file(named):
    claim = named["zeros-is-float"]
    text = failure_text(claim, claim.cases[0])
    assert (
        "claims/tensors-tutorial/tensors.yaml:213: in <probe>\n"
        "    x = toch.zeros(3)\n"
        "NameError: name 'toch' is not defined\n"
    ) in text
    assert "Record     recorded as verified, now error" in text
    assert "Output (stderr):\n    warming up" in text


def test_a_correction_is_no_part_of_a_verified_case(named):
    claim = named["sum-keeps-the-dtype"]
    assert "Correction" not in failure_text(claim, claim.cases[0])


def test_a_new_refutation_says_that_it_is_not_recorded(named):
    claim = named["conv2d-accepts-matrices"]
    assert "Record      refuted, no verdict recorded" in failure_text(claim, claim.cases[0])


def test_a_reason_is_told_only_where_it_adds_to_what_was_seen(named):
    claim = named["contiguous-speeds-up-mm"]
    assert failure_text(claim, claim.cases[0]).startswith(
        "Statement   Calling contiguous() first makes torch.mm faster.\n"
        "            (line 47 of tensors-tutorial)\n"
        "Expected    `torch.mm(y, w)` is faster than `torch.mm(x, w)` by more than 5 %\n"
        "Observed    `torch.mm(y, w)` was measured to be as fast within 5 %\n"
        "Timing      `torch.mm(x, w)` takes 1.00 times as long as `torch.mm(y, w)` [0.99, 1.01], "
        "40 "
        "epochs\n"
        "Correction  A fresh tensor"
    )
    case = replace(claim.cases[1], observed="No cuda device", expected="`x`")
    assert failure_text(claim, case).split("\n")[2:4] == [
        "Expected   x",
        "Reason     no cuda device",
    ]


def test_hostile_text_cannot_drive_the_terminal(named):
    claim = named["zeros-is-float"]
    evil = "\x1b[2J\u202egone"
    case = replace(
        claim.cases[0], expected=evil, observed=evil, detail=evil, stdout=evil, reproduce=evil
    )
    claim = replace(claim, statement=evil, id=evil, file=evil, correction=evil, cases=(case,))
    shown = [failure_text(claim, case), case_line(claim, case), *summary_lines(of((claim,)))]
    for text in shown:
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_wide_text_is_wrapped_by_columns(named):
    claim = replace(named["zeros-is-float"], statement="연속 텐서 " * 30)
    lines = failure_text(claim, claim.cases[0]).split("\n")
    assert max(len(line) for line in lines if "연속" in line) < 80


def test_one_line_for_a_case(named):
    claim = named["contiguous-is-a-no-op"]
    assert case_line(claim, claim.cases[2]) == "✓ verified     contiguous-is-a-no-op[cpu-0d]"
    claim = named["contiguous-speeds-up-mm"]
    assert case_line(claim, claim.cases[1]) == (
        "- not checked  contiguous-speeds-up-mm[cuda-256]  no cuda device"
    )
    measured = replace(claim.cases[0], agrees=True)
    assert case_line(claim, measured) == (
        "✗ refuted      contiguous-speeds-up-mm[cpu-256]  the first takes 1.00 times as long "
        "[0.99, 1.01],…"
    )
    line = case_line(claim, replace(claim.cases[0], reason="r", detail="why " * 100))
    assert "(recorded as verified, now refuted) why why" in line
    assert line.endswith("…")
    assert len(line) <= 101


def test_the_summary_of_a_run(results):
    lines = summary_lines(results, reports=[Path("reports/index.html")])
    assert lines == [
        "Of 14 claims: 4 verified, 3 refuted as recorded, 2 newly refuted, 2 inconclusive, "
        "1 not checked, 1 error, 1 unverifiable.",
        "Changed against the record:",
        "  claims/tensors-tutorial/tensors.yaml:92: contiguous-speeds-up-mm [cpu-256]: "
        "recorded as verified, now refuted",
        "  claims/tensors-tutorial/tensors.yaml:204: zeros-is-float: "
        "recorded as verified, now error",
        "Not recorded yet:",
        "  claims/tensors-tutorial/tensors.yaml:54: conv2d-accepts-matrices: "
        "refuted, no verdict recorded",
        "2 claims have no recorded verdict: verifier record writes them",
        "2 cases of 2 claims not checked on cuda: no cuda device",
        "1 case is right, but its values print differently now",
        "Report: reports/index.html",
    ]


def test_the_summary_of_a_calm_run_is_one_line(named):
    assert summary_lines(of((named["contiguous-is-a-no-op"],))) == ["Of 1 claim: 1 verified."]


def test_the_summary_of_nothing():
    assert summary_lines(Results()) == ["No claims."]


def test_an_interrupted_run_is_said_first(named):
    results = replace(of((named["zeros-is-float"],)), run=RunInfo(interrupted=True))
    assert summary_lines(results)[0].startswith("The run was interrupted")


def test_an_invalid_claim_is_an_error_not_a_missing_record():
    claim = ClaimResult(
        id="invalid-file",
        source="",
        file="claims/x.yaml",
        line=4,
        statement="claims/x.yaml:4:3: unknown key",
        kind="existence",
        severity="major",
        verdict=Verdict.ERROR,
        reason="invalid-claim",
        agrees=False,
    )
    lines = summary_lines(of((claim,)))
    assert lines == ["Of 1 claim: 1 error.", "Errors:", "  claims/x.yaml:4: invalid-file: error"]


def test_a_case_without_anything_still_has_its_place(named):
    case = CaseResult(id="cpu", params={}, environment="", verdict=Verdict.ERROR)
    text = failure_text(replace(named["zeros-is-float"], at=None), case)
    assert text.endswith("claims/tensors-tutorial/tensors.yaml:204: zeros-is-float: error")


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (None, ""),
        (Place(lines=(4, 4)), "line 4"),
        (Place(lines=(4, 6)), "lines 4-6"),
        (Place(lines=(4, 4), sentence=2), "line 4, sentence 2"),
        (Place(exact="so it is"), "“so it is”"),
    ],
)
def test_places_in_words(at, words):
    assert place(at) == words
