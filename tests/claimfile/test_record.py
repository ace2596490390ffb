"""Measured verdicts into the file: only what was measured, and nothing else changes."""

import os
import re
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.claimfile import cases, read, recorded
from verifier.claimfile.edits import yaml_scalar, yaml_value
from verifier.claimfile.plan import Measured
from verifier.claimfile.record import FileChangedError, apply, propose
from verifier.claimfile.text import Text
from verifier.claimfile.yaml12 import parse, scalar
from verifier.model import Verdict

VERIFIED, REFUTED = Verdict.VERIFIED, Verdict.REFUTED
INCONCLUSIVE, ERROR, NOT_CHECKED = Verdict.INCONCLUSIVE, Verdict.ERROR, Verdict.NOT_CHECKED

HEAD = "schema: 1\nsource: {id: sample}\nclaims:\n"
PLAIN = """\
  - id: one
    statement: It is.   # said twice
    kind: behaviour
    probe: x = 1
    expect:
      - x == 1  # obviously
    # about the rest
    explanation: Because.
    correction: It is not.
"""
MATRIX = PLAIN.replace("    probe", "    matrix: {device: [cpu, cuda], n: [1, 2]}\n    probe")


@pytest.fixture
def write(tmp_path):
    def write(*claims, head=HEAD):
        path = tmp_path / "claims.yaml"
        path.write_bytes((head + "".join(claims)).encode())
        return path

    return write


def ledger_of(proposal, tmp_path):
    path = tmp_path / "new.yaml"
    path.write_bytes(proposal.new.encode())
    found = read(path)
    assert found.problems == ()
    return {claim.id: claim for claim in found.claims}


def only(verdict):
    """A claim with this verdict in its only case."""
    return Measured(verdict=verdict, cases=(({}, verdict),))


def measured(verdict, *words):
    """Verdicts of the cases cpu-1, cpu-2, cuda-1, cuda-2 of MATRIX."""
    points = [{"device": d, "n": n} for d in ("cpu", "cuda") for n in (1, 2)]
    return Measured(verdict=verdict, cases=tuple(zip(points, words, strict=False)))


def changed_lines(proposal):
    return [line for line in proposal.diff().split("\n") if re.match(r"[-+](?!--|\+\+)", line)]


def test_a_verdict_is_inserted_below_the_last_check(write):
    proposal = propose(write(PLAIN), {"one": only(VERIFIED)})
    assert "      - x == 1  # obviously\n    verdict: verified\n    # about" in proposal.new
    assert changed_lines(proposal) == ["+    verdict: verified"]
    assert [str(change) for change in proposal.changes] == ["one: nothing recorded -> verified"]


@pytest.mark.parametrize(
    ("old", "new"),
    [("verified", "refuted"), ("'verified'", "'refuted'"), ('"verified"', '"refuted"'),
     ("verified  # why", "refuted  # why"), (">-\n      verified", "refuted")],
)  # fmt: skip
def test_a_verdict_is_replaced_where_it_stands(write, old, new):
    claim = PLAIN.replace("    kind", f"    verdict: {old}\n    kind")
    path = write(claim)
    proposal = propose(path, {"one": only(REFUTED)})
    assert proposal.new == HEAD + PLAIN.replace("    kind", f"    verdict: {new}\n    kind")


def test_what_is_recorded_already_changes_nothing(write):
    path = write(PLAIN + "    verdict: verified\n")
    proposal = propose(path, {"one": only(VERIFIED)})
    assert proposal.new == proposal.old
    assert (proposal.changes, proposal.skipped, proposal.diff()) == ((), (), "")


def test_cases_that_differ_by_one_axis(write, tmp_path):
    path = write(MATRIX)
    result = measured(VERIFIED, VERIFIED, VERIFIED, REFUTED, REFUTED)
    proposal = propose(path, {"one": result})
    assert changed_lines(proposal) == [
        "+    verdict: verified",
        "+    when:",
        "+      - {device: cuda, verdict: refuted}",
    ]


def test_a_case_that_differs_alone(write):
    result = measured(REFUTED, VERIFIED, REFUTED, REFUTED, REFUTED)
    proposal = propose(write(MATRIX), {"one": result})
    assert "      - {device: cpu, n: 1, verdict: verified}\n" in proposal.new


def test_cases_not_tried_keep_their_record(write, tmp_path):
    path = write(MATRIX, "    verdict: verified\n")
    result = measured(REFUTED, REFUTED, REFUTED, NOT_CHECKED, NOT_CHECKED)
    claim = ledger_of(propose(path, {"one": result}), tmp_path)["one"]
    assert claim.ledger.verdict is REFUTED
    words = [recorded(claim, case.params, {}) for case in cases(claim)]
    assert words == [REFUTED, REFUTED, VERIFIED, VERIFIED]


BLOCK_WHEN = """\
    verdict: verified
    when:
      # the old card
      - {device: cuda, n: 1, verdict: refuted}  # half
      -
        n: 2  # both
        verdict: refuted
      - {torch: "<2.4", verdict: refuted}
    tags: [a]
"""


def test_entries_in_lines_are_removed_kept_and_added(write):
    path = write(MATRIX, BLOCK_WHEN)
    result = measured(VERIFIED, VERIFIED, REFUTED, VERIFIED, REFUTED)
    assert changed_lines(propose(path, {"one": result})) == [
        "-      - {device: cuda, n: 1, verdict: refuted}  # half"
    ]
    result = measured(VERIFIED, REFUTED, VERIFIED, VERIFIED, VERIFIED)
    assert changed_lines(propose(path, {"one": result})) == [
        "-      - {device: cuda, n: 1, verdict: refuted}  # half",
        "-      -",
        "-        n: 2  # both",
        "-        verdict: refuted",
        "+      - {device: cpu, n: 1, verdict: refuted}",
    ]


def test_all_entries_are_removed_with_their_key(write):
    claim = BLOCK_WHEN.replace('      - {torch: "<2.4", verdict: refuted}\n', "")
    path = write(MATRIX, claim)
    proposal = propose(path, {"one": measured(VERIFIED, *[VERIFIED] * 4)})
    assert proposal.new == HEAD + MATRIX + "    verdict: verified\n    tags: [a]\n"


def test_entries_in_brackets_keep_their_text(write):
    when = (
        "    verdict: verified\n    when: [{ n: 1, verdict: 'refuted' }, {n: 2, verdict: error}]\n"
    )
    path = write(MATRIX, when, "    reason: It crashes.\n")
    proposal = propose(path, {"one": measured(VERIFIED, REFUTED, VERIFIED, REFUTED, REFUTED)})
    assert (
        "    when: [{ n: 1, verdict: 'refuted' }, {device: cuda, verdict: refuted}]\n"
        in proposal.new
    )
    proposal = propose(path, {"one": measured(VERIFIED, *[VERIFIED] * 4)})
    assert "when" not in proposal.new


def test_an_entry_for_the_version_that_ran_is_updated_in_place(write):
    path = write(MATRIX, BLOCK_WHEN)
    result = {"one": measured(VERIFIED, *[VERIFIED] * 4)}
    proposal = propose(path, result, versions={"torch": "2.3"})
    assert '      - {torch: "<2.4", verdict: verified}\n' in proposal.new
    assert "    verdict: verified\n    when:\n" in proposal.new
    proposal = propose(path, result, versions={"torch": "2.13"})
    assert '      - {torch: "<2.4", verdict: refuted}\n' in proposal.new


def test_what_the_entries_cannot_express_is_left_to_people(write):
    path = write(MATRIX, BLOCK_WHEN)
    result = {"one": measured(VERIFIED, VERIFIED, REFUTED, VERIFIED, VERIFIED)}
    proposal = propose(path, result, versions={"torch": "2.3"})
    assert proposal.new == proposal.old
    assert "by hand" in proposal.skipped[0].why


def test_claims_in_braces(write):
    claim = (
        '  - {id: one, statement: It is., kind: error, matrix: {n: [1, 2]}, "probe": x = 1,\n'
        "     expect: [x == 1], correction: No}  # short\n"
    )
    path = write(claim)
    result = Measured(verdict=VERIFIED, cases=(({"n": 1}, VERIFIED), ({"n": 2}, REFUTED)))
    proposal = propose(path, {"one": result})
    assert (
        "expect: [x == 1], verdict: verified, when: [{n: 2, verdict: refuted}], correction"
        in proposal.new
    )
    path.write_text(proposal.new)
    result = Measured(verdict=REFUTED, cases=(({"n": 1}, REFUTED), ({"n": 2}, REFUTED)))
    assert "verdict: refuted, when: [], correction" in propose(path, {"one": result}).new


def test_keys_on_the_line_of_the_dash(write):
    claim = "  - when:\n    - {n: 1, verdict: refuted}\n" + PLAIN.replace("  - id", "    id", 1)
    claim = claim.replace("    probe", "    matrix: {n: [1]}\n    probe")
    path = write(claim)
    result = Measured(verdict=VERIFIED, cases=(({"n": 1}, VERIFIED),))
    assert "  - when: []\n    id: one\n" in propose(path, {"one": result}).new


def test_blank_lines_that_belong_to_a_block_stay_in_it(write, tmp_path):
    head = PLAIN.split("    expect")[0]
    path = write(head, "    expect:\n      - |+\n        x == 1\n\n\n    tags: [a]\n")
    before = read(path).claims[0].expect
    proposal = propose(path, {"one": only(VERIFIED)})
    assert ledger_of(proposal, tmp_path)["one"].expect == before
    assert "\n\n\n    verdict: verified\n    tags" in proposal.new


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_endings_byte_order_mark_and_missing_last_newline(tmp_path, newline, mark):
    path = tmp_path / "claims.yaml"
    text = mark + (HEAD + MATRIX.split("    # about")[0]).replace("\n", newline).rstrip()
    path.write_bytes(text.encode())
    result = measured(VERIFIED, VERIFIED, REFUTED, VERIFIED, REFUTED)
    proposal = propose(path, {"one": result})
    added = ["", "    verdict: verified", "    when:", "      - {n: 2, verdict: refuted}"]
    assert proposal.new == text + newline.join(added)
    apply(proposal)
    assert path.read_bytes() == proposal.new.encode()
    assert read(path).problems == ()


def test_undecided_verdicts_need_a_reason(write, tmp_path):
    path = write(MATRIX)
    result = {"one": measured(INCONCLUSIVE, INCONCLUSIVE, VERIFIED, ERROR, NOT_CHECKED)}
    proposal = propose(path, result)
    assert proposal.new == proposal.old
    assert "give a reason" in proposal.skipped[0].why
    proposal = propose(path, result, reason='The clock: "noisy"')
    claim = ledger_of(proposal, tmp_path)["one"]
    assert claim.ledger.reason == 'The clock: "noisy"'
    words = [recorded(claim, case.params, {}) for case in cases(claim)]
    assert words == [INCONCLUSIVE, VERIFIED, ERROR, INCONCLUSIVE]


def test_an_old_reason_is_replaced_only_by_a_new_kind_of_trouble(write):
    old = "    verdict: error\n    reason: |\n      It crashes.\n    tags: [a]\n"
    path = write(PLAIN, old)
    crash = {"one": only(ERROR)}
    assert propose(path, crash, reason="Again.").changes == ()
    noise = {"one": only(INCONCLUSIVE)}
    assert "    reason: Noise\n    tags" in propose(path, noise, reason="Noise").new


def test_what_is_skipped_says_why(write, tmp_path):
    opinion = "  - {id: opinion, statement: It is., kind: error, reason: An opinion.}\n"
    broken = PLAIN.replace("one", "broken").replace("x = 1", "x = = 1")
    bare = PLAIN.replace("one", "bare").replace("    correction: It is not.\n", "")
    path = write(PLAIN, opinion, broken, bare)
    result = dict.fromkeys(["opinion", "broken", "bare", "other"], only(REFUTED))
    result["one"] = only(NOT_CHECKED)
    proposal = propose(path, result)
    assert proposal.new == proposal.old
    why = {skipped.claim: skipped.why for skipped in proposal.skipped}
    assert "no probe" in why["opinion"]
    assert f"{path}:17:16: " in why["broken"]
    assert "correction" in why["bare"]
    assert why["other"] == "it is not in this file"
    assert why["one"] == "it is not-checked"
    result = {"one": Measured(verdict=VERIFIED, cases=(({"n": 3}, VERIFIED),))}
    assert propose(path, result).skipped[0].why == "its matrix has no case 3"
    assert propose(path, {"one": Measured(verdict=VERIFIED)}).skipped[0].why == (
        "none of its cases was decided"
    )
    assert propose(tmp_path / "none", result).skipped[0].why == "no such file"


# --- writing -------------------------------------------------------------------------


def test_apply_keeps_the_mode_and_leaves_nothing_behind(write):
    path = write(PLAIN)
    path.chmod(0o640)
    apply(propose(path, {"one": only(VERIFIED)}))
    assert "verdict: verified" in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [entry.name for entry in path.parent.iterdir()] == ["claims.yaml"]


def test_apply_refuses_a_file_that_has_changed(write):
    path = write(PLAIN)
    proposal = propose(path, {"one": only(VERIFIED)})
    path.write_text(path.read_text() + "# edited\n")
    with pytest.raises(FileChangedError, match="has changed meanwhile"):
        apply(proposal)
    assert path.read_text().endswith("# edited\n")


def test_apply_writes_through_a_link(write, tmp_path):
    path = write(PLAIN)
    link = tmp_path / "link.yaml"
    link.symlink_to(path)
    apply(propose(link, {"one": only(VERIFIED)}))
    assert link.is_symlink()
    assert "verdict: verified" in path.read_text()


def test_a_failed_write_leaves_the_file_and_no_other(write, monkeypatch):
    path = write(PLAIN)
    proposal = propose(path, {"one": only(VERIFIED)})

    def fail(*_args):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    monkeypatch.setattr(type(path), "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        apply(proposal)
    assert path.read_text() == proposal.old
    assert [entry.name for entry in path.parent.iterdir()] == ["claims.yaml"]


# --- any -----------------------------------------------------------------------------

WORDS = st.sampled_from([VERIFIED, REFUTED, INCONCLUSIVE, ERROR, NOT_CHECKED])
ENTRIES = st.sampled_from(
    ["{device: cuda, verdict: refuted}", "{n: 2, verdict: verified}  # kept?",
     "{device: cpu, n: 1, verdict: inconclusive}", "{torch: '<2.4', verdict: refuted}",
     "{torch: '>=2.4', device: cuda, verdict: 'refuted'}", "{device: cuda, n: 2, verdict: error}"]
)  # fmt: skip
CASES = [{"device": d, "n": n} for d in ("cpu", "cuda") for n in (1, 2)]


@st.composite
def claim_texts(draw):
    lines = ["id: one", "statement: It is.", "kind: error", "correction: No.", "reason: Old."]
    lines += ["matrix: {device: [cpu, cuda], n: [1, 2]}", "probe: |\n      x = 1\n",
              "expect:\n      - x == 1  # so"]  # fmt: skip
    verdict = draw(st.sampled_from([None, "verified", "'refuted'", "error"]))
    if verdict:
        lines.append(f"verdict: {verdict}")
    if when := draw(st.lists(ENTRIES, max_size=4)):
        bare = [entry.split("  #")[0] for entry in when]
        flow = f"when: [{', '.join(bare)}]"
        block = "when:\n      # about\n" + "\n".join(f"      - {entry}" for entry in when)
        lines.append(draw(st.sampled_from([flow, block])))
    lines = draw(st.permutations(lines))
    text = HEAD + "  - " + "\n    ".join(lines) + draw(st.sampled_from(["", "\n", "\n\n# end\n"]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


@given(
    text=claim_texts(),
    verdict=WORDS,
    words=st.lists(WORDS, min_size=4, max_size=4),
    reason=st.sampled_from(["", "It is noisy: very."]),
    torch=st.sampled_from(["2.3", "2.13.0+cpu"]),
)
def test_recording_then_reading_gives_what_was_measured(
    tmp_path_factory, text, verdict, words, reason, torch
):
    path = tmp_path_factory.getbasetemp() / "record.yaml"
    path.write_bytes(text.encode())
    versions = {"torch": torch}
    (before,) = read(path).claims
    result = Measured(verdict=verdict, cases=tuple(zip(CASES, words, strict=True)))
    proposal = propose(path, {"one": result}, reason=reason, versions=versions)
    apply(proposal)
    found = read(path)
    assert found.problems == ()
    (after,) = found.claims
    recordable = {VERIFIED, REFUTED} | ({INCONCLUSIVE, ERROR} if reason else set())
    for case, word in zip(cases(after), words, strict=True):
        old = recorded(before, case.params, versions)
        new = recorded(after, case.params, versions)
        if proposal.skipped:
            assert new is old
        elif word in recordable:
            assert new is word
        elif old is not None:
            assert new is old
    if not proposal.skipped:
        again = propose(path, {"one": result}, reason=reason, versions=versions)
        assert again.new == again.old
    ours = r"^  (- |  )(verdict|reason|when):.*|^      - \{.*"
    others = [
        [line for line in lines.splitlines() if not re.match(ours, line)]
        for lines in (proposal.old, proposal.new)
    ]
    removed = "      # about"
    assert [line for line in others[0] if line != removed] == [
        line for line in others[1] if line != removed
    ]


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"])),
)


@given(st.lists(SCALARS))
def test_values_read_back_as_they_are(values):
    text = f"[{', '.join(map(yaml_value, values))}]"
    assert [node.value for node in parse(Text(text)).root.value] == values


def test_special_numbers():
    assert str(scalar(yaml_scalar(float("nan")))) == "nan"
    assert yaml_value((1, (2.5, "a b"))) == '[1, [2.5, "a b"]]'
