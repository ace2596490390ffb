"""What is recorded about a case."""

import pytest

from verifier.claimfile import recorded
from verifier.claimfile.ledger import specifier_flaw, version_matches
from verifier.model import Claim, Code, Ledger, LedgerException, Source, Verdict

VERIFIED, REFUTED, ERROR = Verdict.VERIFIED, Verdict.REFUTED, Verdict.ERROR


def claim(*when, verdict=VERIFIED):
    exceptions = tuple(LedgerException(conditions=c, verdict=v) for c, v in when)
    return Claim(
        id="c", statement="It is.", kind="behaviour", source=Source(id="s"), file="c.yaml",
        line=1, probe=Code(text="x = 1", line=1), matrix={"device": ("cpu", "cuda"), "n": (1, 2)},
        ledger=Ledger(verdict=verdict, when=exceptions),
    )  # fmt: skip


CPU, CUDA = {"device": "cpu", "n": 1}, {"device": "cuda", "n": 1}


def test_the_claims_verdict_is_each_cases_default():
    assert recorded(claim(), CPU, {}) is VERIFIED
    assert recorded(claim(verdict=None), CPU, {}) is None
    assert recorded(claim(({"device": "cuda"}, REFUTED)), CPU, {}) is VERIFIED


def test_all_conditions_must_hold():
    made = claim(({"device": "cuda", "n": 2}, REFUTED))
    assert recorded(made, CUDA, {}) is VERIFIED
    assert recorded(made, {"device": "cuda", "n": 2}, {}) is REFUTED


def test_the_last_match_wins():
    made = claim(({"device": "cuda"}, REFUTED), ({"n": 1}, ERROR), ({"n": 2}, REFUTED))
    assert recorded(made, CUDA, {}) is ERROR


def test_versions_of_packages():
    made = claim(({"torch": "<2.4"}, REFUTED), ({"torch": ">=2.9", "device": "cuda"}, ERROR))
    assert recorded(made, CPU, {"torch": "2.3.1"}) is REFUTED
    assert recorded(made, CPU, {"torch": "2.13.0+cpu"}) is VERIFIED
    assert recorded(made, CUDA, {"torch": "2.13.0+cu130"}) is ERROR
    assert recorded(made, CPU, {}) is VERIFIED
    assert recorded(made, CPU, {"torch": "unknown"}) is VERIFIED


@pytest.mark.parametrize(
    ("specifier", "version", "matched"),
    [("<2.4", "2.3", True), ("<2.4", "2.4", False), ("==2.13.*", "2.13.0+cpu", True),
     (">=2.4,<3", "2.5.0a1", True), ("!=2.4", "2.4.0", False)],
)  # fmt: skip
def test_specifiers(specifier, version, matched):
    assert version_matches(specifier, version) is matched


def test_flaws_of_specifiers():
    assert specifier_flaw("<2.4") == ""
    assert "2.4" in specifier_flaw("2.4")
