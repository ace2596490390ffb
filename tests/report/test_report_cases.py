import msgspec
import pytest

from verifier.model import CaseResult, ClaimResult, Evidence, Operand, Verdict
from verifier.report import cases

replace = msgspec.structs.replace
VERIFIED, REFUTED, UNTRIED = Verdict.VERIFIED, Verdict.REFUTED, Verdict.NOT_CHECKED


def case(verdict: Verdict, name: str = "cpu", **fields: object) -> CaseResult:
    return CaseResult(**{"id": name, "params": {}, "environment": "", "verdict": verdict, **fields})


def claim(verdict: Verdict, *members: CaseResult, **fields: object) -> ClaimResult:
    return ClaimResult(
        id="c",
        source="s",
        file="c.yaml",
        line=1,
        statement="It is so.",
        kind="behaviour",
        severity="major",
        verdict=verdict,
        cases=members,
        **fields,
    )


def on(verdict: Verdict, **params: object) -> CaseResult:
    return case(verdict, "-".join(map(str, params.values())), params=params)


# --- for which cases it holds ----------------------------------------------------


def test_one_axis_that_decides_is_named():
    found = claim(
        REFUTED,
        on(VERIFIED, device="cpu", dtype="float32"),
        on(REFUTED, device="cpu", dtype="int32"),
        on(VERIFIED, device="cuda", dtype="float32"),
        on(REFUTED, device="cuda", dtype="int32"),
    )
    assert [share.words for share in cases.shares(found)] == [
        "does not hold for dtype int32",
        "holds for dtype float32",
    ]


def test_some_says_for_what_it_holds_first():
    found = claim(VERIFIED, on(REFUTED, shape=[3, 4]), on(VERIFIED, shape=[3]), quantifier="some")
    assert [share.words for share in cases.shares(found)] == [
        "holds for shape (3,)",
        "does not hold for shape (3, 4)",
    ]


def test_where_no_one_axis_decides_the_cases_are_named():
    found = claim(REFUTED, on(REFUTED, a=1, b=1), on(VERIFIED, a=1, b=2), on(VERIFIED, a=2, b=1))
    assert [share.words for share in cases.shares(found)] == [
        "does not hold for 1-1",
        "holds for 1-2, 2-1",
    ]


def test_cases_that_were_not_tried_say_nothing_about_the_statement():
    found = claim(REFUTED, on(REFUTED, device="cpu"), on(UNTRIED, device="cuda"))
    assert cases.shares(found) == []


def test_of_many_names_the_first_are_told():
    assert cases.names(["a", "b", "c", "d"]) == "a, b, c, d"
    assert cases.names(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"


# --- what was not tried ----------------------------------------------------------


def test_cases_that_lack_one_device_are_told_once():
    lacking = {"reason": "no-device", "detail": "There is none."}
    members = [case(UNTRIED, f"cuda-{i}", params={"device": "cuda"}, **lacking) for i in range(3)]
    members.append(case(UNTRIED, "xla", params={"device": "xla"}, **lacking))
    members.append(case(UNTRIED, "m", params={"device": "cuda"}, reason="missing-module"))
    members.append(case(VERIFIED))
    assert cases.untried(members) == [
        ("3 cases not checked on cuda", "There is none.", "cuda-0, cuda-1, cuda-2"),
        ("1 case not checked on xla", "There is none.", "xla"),
        ("1 case not checked", "missing-module", "m"),
    ]


# --- why, and what was seen ------------------------------------------------------

FAILED = Evidence(
    role="expect",
    code="x == 1",
    holds=False,
    detail="It does not hold that `x == 1`: x is 2.",
    operands=(Operand(code="x", value="2"), Operand(code="f(x)", value="3")),
)


@pytest.mark.parametrize(
    ("reason", "detail", "words"),
    [
        ("", FAILED.detail, ""),
        ("neither", f"Neither was seen. {FAILED.detail}", "Neither was seen."),
        ("undecided", "", "undecided"),
        ("no-device", "There is none.", "There is none."),
    ],
)
def test_a_reason_does_not_repeat_the_evidence(reason, detail, words):
    found = case(REFUTED, reason=reason, detail=detail, evidence=(FAILED,))
    assert cases.why(found) == words


def test_what_was_seen_at_a_glance_leaves_out_long_values():
    tensor = Operand(code="t", value="tensor shape=(3, 4) stride=(4, 1) float32 cpu [1.5, …]")
    evidence = replace(FAILED, operands=(tensor, *FAILED.operands))
    found = case(REFUTED, observed="all of it", evidence=(evidence,))
    assert cases.seen(found) == "f(x) is 3; x is 2"
    only_long = replace(found, evidence=(replace(FAILED, operands=(tensor,)),))
    assert cases.seen(only_long) == "all of it"
    assert cases.seen(replace(found, verdict=VERIFIED)) == "all of it"


# --- timing ----------------------------------------------------------------------


def test_a_ratio_is_told_with_its_interval_and_epochs():
    pair = Evidence(role="expect", code="a()\nb()", holds=True, detail="`b()` beats `a()`.")
    found = case(VERIFIED, samples=(2.0, 1.9, 2.1), interval=(1.8, 2.2), evidence=(pair,))
    assert cases.measured(found) == "`a()` takes 2.00 times as long as `b()` [1.80, 2.20], 3 epochs"


def test_two_lines_that_were_not_compared_are_not_named():
    code = Evidence(role="expect", code="a = 1\nb(a)", holds=True, detail="`a = 1; b(a)` runs.")
    found = case(VERIFIED, samples=(1.0,), evidence=(code,))
    assert cases.measured(found) == "the first takes 1.00 times as long as the second, 1 epoch"


def test_nothing_is_told_where_nothing_was_timed():
    assert cases.measured(case(VERIFIED, interval=(1.0, 1.0))) == ""
    assert cases.measured(case(VERIFIED, samples=(float("nan"),))) == ""


@pytest.mark.parametrize(
    ("ratio", "words"), [(1, "1.00"), (12.149, "12.15"), (1234.5, "1.23e+03"), (0.0123, "0.0123")]
)
def test_a_ratio_has_the_digits_of_use(ratio, words):
    assert cases.number(ratio) == words
