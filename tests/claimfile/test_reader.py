"""Claim files: what is read, and each mistake with its place and claim."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.claimfile import duplicate_ids, read
from verifier.claimfile.files import MAX_BYTES
from verifier.claimfile.reader import read_text
from verifier.model import (
    Allocates,
    Code,
    Copies,
    Expression,
    Faster,
    Ledger,
    LedgerException,
    Place,
    Prints,
    Raises,
    Runs,
    SameCost,
    SharesMemory,
    Slower,
    Verdict,
    Warns,
)

SAMPLES = Path(__file__).parent.parent / "samples" / "claimfile"
PROBLEMS = sorted((SAMPLES / "problems").glob("*.yaml"))
GOOD = """\
schema: 1
source: {id: sample}
claims:
  - id: fine
    statement: It is fine.
    kind: behaviour
    probe: x = 1
    expect:
      - x == 1
"""


@pytest.mark.parametrize("path", PROBLEMS, ids=lambda path: path.stem)
def test_each_problem_is_told_with_its_place_and_claim(path):
    """Each sample ends with the problems expected of it: ``#: line:column: [claim] message``."""
    expected = re.findall(r"(?m)^#: (.*)$", path.read_text(encoding="utf-8"))
    found = read(path)
    assert [f"{p.line}:{p.column}: [{p.claim}] {p.message}" for p in found.problems] == expected
    assert expected


@pytest.mark.parametrize("path", PROBLEMS, ids=lambda path: path.stem)
def test_a_bad_claim_hides_no_good_one(path):
    found = read(path)
    bad = {problem.claim for problem in found.problems}
    if "" not in bad or path.stem == "root-unknown-key":
        assert "fine" in [claim.id for claim in found.claims]
    assert path.stem == "duplicate-id" or not bad & {claim.id for claim in found.claims}


@pytest.fixture(scope="module")
def worked():
    return read(SAMPLES / "valid" / "worked-examples.yaml")


def test_a_valid_file_has_no_problem(worked):
    assert worked.problems == ()
    assert [claim.id for claim in worked.claims] == [
        "randn-not-contiguous",
        "view-changes-layout-not-shape",
        "conv2d-accepts-matrices",
        "matchers",
        "an-opinion",
    ]
    assert all(entry.line > 1 and entry.column > 1 for entry in worked.ignored)
    assert [(entry.at.lines, entry.reason) for entry in worked.ignored] == [
        ((1, 1), "heading"),
        ((3, 4), "table of contents"),
    ]


def test_the_keys_of_a_claim(worked):
    claim = worked.claims[0]
    assert (claim.line, claim.column) == (16, 5)
    assert claim.source.id == "tensors-tutorial"
    assert claim.severity == "critical"
    assert claim.matrix == {"device": ("cpu", "cuda"), "dtype": ("float32", "float16")}
    assert claim.exclude == ({"device": "cuda", "dtype": "float16"},)
    assert claim.setup == Code(
        text="import torch\nimport torch.nn.functional as F\n", line=10, column=3
    )
    assert claim.expect == (
        Expression(code=Code(text="x.is_contiguous() == False", line=26, column=9)),
    )
    assert claim.at == Place(
        exact="the tensor is not contiguous", prefix="randn(3, 4) ", suffix=", so we"
    )
    assert claim.ledger == Ledger(
        verdict=Verdict.REFUTED,
        when=(
            LedgerException(conditions={"device": "cuda"}, verdict=Verdict.VERIFIED),
            LedgerException(conditions={"torch": "<2.4"}, verdict=Verdict.INCONCLUSIVE),
        ),
        reason="Older versions were not tried.",
    )
    assert claim.references == ("https://example.org/contiguous",)
    assert claim.tags == ("memory", "layout")


def test_places_in_the_document(worked):
    assert [claim.at for claim in worked.claims[1:4]] == [
        Place(lines=(45, 46)),
        Place(lines=(4, 5)),
        Place(lines=(4, 4), sentence=2),
    ]


def test_defaults_and_numbers(worked):
    view, opinion = worked.claims[1], worked.claims[4]
    assert (view.quantifier, view.seeds, view.timeout) == ("some", 3, 2.5)
    assert (opinion.quantifier, opinion.seeds, opinion.timeout) == ("every", 1, None)
    assert view.requires == ("torch", "torch.nn")
    assert opinion.probe is None
    assert opinion.reason == "An opinion."


def test_raises_takes_the_code_that_runs(worked):
    claim = worked.claims[2]
    code = Code(text="F.conv2d(x, y)", line=70, column=15)
    assert claim.expect == (Runs(code=code),)
    assert claim.refuted_by == (
        Raises(code=code, type="RuntimeError", match="Expected 3D .* or 4D .* input to conv2d"),
    )


def test_every_matcher(worked):
    claim = worked.claims[3]
    kinds = [Prints, Warns, Faster, Slower, SameCost, Copies, SharesMemory, Allocates]
    assert list(map(type, claim.expect)) == kinds
    prints, warns, faster, slower, same_cost, copies, shares, allocates = claim.expect
    assert (prints.code.text, prints.text) == ("print(1)", "1")
    assert (warns.category, warns.match) == ("UserWarning", "old")
    assert (faster.first.text, faster.second.text) == ("torch.mm(x)", "torch.mv(x)")
    assert (faster.margin, faster.threads) == (0.1, "default")
    assert (slower.margin, slower.threads, slower.first_setup.text) == (0.05, 1, "y = x")
    assert (same_cost.first.text, same_cost.second.text) == ("x + x", "2 * x")
    assert (same_cost.margin, same_cost.second_setup.text) == (0.2, "y = x")
    assert (copies.code.text, copies.of.text) == ("x.clone()", "x")
    assert (shares.first.text, shares.second.text) == ("x", "x[1:]")
    assert allocates.at_least == 12


def test_code_is_where_its_place_says(worked):
    lines = (SAMPLES / "valid" / "worked-examples.yaml").read_text().splitlines()
    codes = [claim.probe for claim in worked.claims if claim.probe]
    codes += [
        check.code for claim in worked.claims for check in claim.checks if hasattr(check, "code")
    ]
    for code in codes:
        for offset, text in enumerate(code.text.splitlines()):
            assert lines[code.line - 1 + offset][code.column - 1 :].startswith(text)


# --- files ---------------------------------------------------------------------------


def only_problem(path):
    found = read(path)
    assert found.claims == ()
    (problem,) = found.problems
    return str(problem).removeprefix(str(path))


def test_missing_file_and_directory(tmp_path):
    assert only_problem(tmp_path / "none.yaml") == ":1:1: no such file"
    assert only_problem(tmp_path) == ":1:1: is a directory, not a claim file"
    assert "cannot be read" in only_problem("a\0b")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", ":1:1: is empty: a claim file has the keys schema, source and claims"),
        (b"schema: 1\na: \0", ":2:1: is no text: a NUL byte at byte 14"),
        (b"schema: 1\n\nsource: \xe9t\xe9",
         ":3:1: is not UTF-8: byte 20 is 0xe9; save it as UTF-8"),
        ("schema: 1".encode("utf-16"), ":1:1: is UTF-16: save it as UTF-8"),
        (b"#" * (MAX_BYTES + 1),
         ":1:1: more than 8 MiB: split it by section of the document"),
    ],
    ids=["empty", "binary", "latin-1", "utf-16", "large"],
)  # fmt: skip
def test_files_that_are_no_text(tmp_path, data, message):
    path = tmp_path / "claims.yaml"
    path.write_bytes(data)
    assert only_problem(path) == message


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "byte-order-mark"])
def test_byte_order_mark_and_line_endings(tmp_path, mark, newline):
    path = tmp_path / "claims.yaml"
    path.write_text(mark + GOOD, encoding="utf-8", newline=newline)
    found = read(str(path))
    assert found.problems == ()
    assert found.claims[0].expect[0].code == Code(text="x == 1", line=9, column=9)
    assert found.claims[0].line == 4


def test_ids_are_unique_within_a_source():
    first = read_text(GOOD, "one.yaml").claim_file
    second = read_text("\n" + GOOD, "two.yaml").claim_file
    other = read_text(GOOD.replace("id: sample", "id: other"), "three.yaml").claim_file
    assert duplicate_ids([first, other]) == ()
    (problem,) = duplicate_ids([first, other, second])
    assert str(problem) == 'two.yaml:5:5: the id "fine" is taken by the claim at one.yaml:4'
    assert problem.claim == "fine"


# --- anything ------------------------------------------------------------------------


@given(st.binary())
@settings(max_examples=50)
def test_any_bytes_are_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(data)
    found = read(path)
    assert found.problems or found.claims


FRAGMENTS = st.sampled_from(
    [*GOOD.split("\n"), *GOOD.split(), "\n", "  ", "- ", ": ", "{", "}", "[", "]", "'", '"', "|",
     "matrix: ", "when: ", "at: ", "exclude: ", "verdict: ", "refuted_by: ", "raises: ", "*a", "&a",
     "\t", "🙂", "\u2028", "\x85", "1e400", "null", "true", "~", "? ", "<<: ", "%", "!x "]
)  # fmt: skip


@given(st.lists(FRAGMENTS).map("".join), st.integers(0, len(GOOD)), st.integers(0, 12))
def test_any_change_of_a_file_is_read_or_refused(inserted, at, removed):
    text = GOOD[:at] + inserted + GOOD[at + removed :]
    found = read_text(text, "any.yaml").claim_file
    assert found.problems or found.claims
    lines = len(re.split(r"\r\n|\r|\n", text))
    assert all(1 <= problem.line <= lines and problem.column >= 1 for problem in found.problems)
