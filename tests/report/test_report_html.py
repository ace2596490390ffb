import base64
import hashlib
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from verifier.model import ClaimResult, Place, Results, RunInfo, Verdict
from verifier.report import view
from verifier.report.errors import ReportError
from verifier.report.html import render
from verifier.report.results import load, summarise
from verifier.report.strings import ENGLISH
from verifier.report.write import write_reports

replace = msgspec.structs.replace


@pytest.fixture(scope="module")
def source(results):
    return render(results)


@pytest.fixture(scope="module")
def page(source, parsed):
    return parsed(source)


def of(*claims: ClaimResult) -> Results:
    return Results(claims=claims, summary=summarise(claims))


# --- a closed file ---------------------------------------------------------------


def test_the_policy_allows_the_style_and_the_script_that_are_there(source, page):
    (policy,) = [
        meta["content"]
        for meta in page.all("meta")
        if meta.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", source, re.S)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_nothing_is_asked_of_anybody(page):
    for tag, attributes in page.elements:
        assert "style" not in attributes, tag
        assert not any(name.startswith("on") for name in attributes), tag
        assert "src" not in attributes
        if tag == "use":
            assert attributes["href"].startswith("#i-")
        elif tag == "link":
            assert attributes["href"] == "data:,"


def test_every_icon_is_there(page):
    symbols = {f"#{each['id']}" for each in page.all("symbol")}
    assert {each["href"] for each in page.all("use")} <= symbols
    assert {f"#i-{verdict}" for verdict in Verdict} == symbols


def test_every_link_within_the_page_leads_somewhere(page):
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for link in page.all("a"):
        if link["href"].startswith("#"):
            assert link["href"][1:] in ids


def test_the_frame_of_the_page(page):
    tags = [tag for tag, _ in page.elements]
    for tag in ("h1", "main", "header", "footer"):
        assert tags.count(tag) == 1
    assert page.all("html") == [{"lang": "en"}]
    assert page.all("h1") == [{"lang": "en"}]


# --- what it says ----------------------------------------------------------------


def test_the_first_screen_counts_and_tells_what_changed(page):
    text = " ".join(page.text.split())
    assert "5 of 14 statements are not true." in text
    assert "4 verified, 3 refuted as recorded, 2 newly refuted" in text
    assert "Tried with torch 2.13.0 on cpu (AMD EPYC 9654), cuda (NVIDIA H200)." in text
    assert "2 cases of 2 claims not checked on cuda: no cuda device" in text
    start, end = text.index("Changed against the record"), text.index("What is not true")
    assert "Calling contiguous() first makes torch.mm faster." in text[start:end]
    assert "recorded as verified, now refuted (cpu-256)" in text[start:end]
    assert "2026-03-02 09:14 UTC" in text
    assert "NVIDIA H200" in text


def test_refuted_claims_come_by_severity_with_correction_and_evidence(page):
    text = page.text[page.text.index("What is not true") : page.text.index("could not be decided")]
    places = [
        text.index(words)
        for words in (
            "A tensor fresh from torch.randn(3, 4) is not contiguous.",
            "its transpose x.t() is not.",
            "x.is_contiguous() is True",
            "Calling contiguous() first",
            "view() changes the memory layout",
            "sum() keeps the dtype of the tensor.",
        )
    ]
    assert places == sorted(places)


def test_every_claim_has_a_card_and_news_is_open(page, results):
    cards = {each["id"]: each for each in page.all("details") if "card" in each.get("class", "")}
    assert list(cards) == [f"c-{claim.id}" for claim in results.claims]
    for claim in results.claims:
        assert ("open" in cards[f"c-{claim.id}"]) == (not claim.agrees)


@pytest.mark.parametrize(
    "words",
    [
        "x.stride()",  # an operand
        "(4, 1)",  # its value
        "claims/tensors-tutorial/tensors.yaml:213",  # where an exception was raised
        "UserWarning: TypedStorage is deprecated",
        "Right in value, printed differently now",
        "tensor([[ 0,  1,  2,  3],",  # output
        "Advice: there is nothing to run.",
        "pytest 'claims/tensors-tutorial/tensors.yaml::sum-keeps-the-dtype[cpu-int32]'",
        "the first takes 1.06 times as long as the second [0.98, 1.15], 64 epochs",
        "torch.mm(x, w) takes 1.00 times as long as torch.mm(y, w) [0.99, 1.01], 40 epochs",
        "does not hold for dtype int32, bool; holds for dtype float32",
        "in 2 of 3 cases",
        "1 case not checked on cuda: no cuda device",
        "1 case not checked on cuda (cuda): no cuda device",
        "# the same twelve numbers",
        "9f2d3c1e5a7b8d60412233445566778899aabbccddeeff00112233445566aa01",
    ],
)
def test_a_card_shows(page, words):
    assert words in page.text


def test_code_is_coloured_by_classes(source):
    assert '<span class="c"># the same twelve numbers</span>' in source


def test_of_cases_that_came_to_the_same_the_first_is_shown_in_full(results):
    cards = {card.claim.id: card for card in view.cards(results)}
    (group,) = cards["fresh-randn-is-not-contiguous"].groups
    assert (group.title, group.others) == (
        "Evidence of cpu-float32",
        "The same came of cpu-float16, cuda-float32, cuda-float16; "
        "their evidence stands in results.json.",
    )
    # What the claim's verdict rests on comes first.
    groups = cards["sum-keeps-the-dtype"].groups
    assert [group.title for group in groups] == ["Evidence of cpu-int32", "Evidence of cpu-float32"]
    assert [group.others == "" for group in groups] == [False, True]


def test_what_was_timed_has_a_plot_for_every_case(results):
    claim = next(claim for claim in results.claims if claim.id == "row-sum-is-faster")
    timed = replace(claim, cases=tuple(replace(claim.cases[0], id=each) for each in "abc"))
    (card,) = view.cards(of(timed))
    assert [bool(group.timing) for group in card.groups] == [True, True, True]


def test_values_are_not_told_twice(results):
    claim = results.claims[0]
    evidence = claim.cases[0].evidence[1]
    told = replace(evidence, detail="TOLD TWICE")
    untold = replace(evidence, detail="told `once`", operands=())
    page = render(of(replace(claim, cases=(replace(claim.cases[0], evidence=(told, untold)),))))
    assert "TOLD TWICE" not in page
    assert "told <code>once</code>" in page


def test_setup_code_that_claims_share_stands_once(page):
    assert page.text.count("import torch.nn.functional as F") == 1
    assert "Runs before the probes of 13 claims" in page.text
    assert len([link for link in page.all("a") if link["href"] == "#s-1"]) == 13


def test_refuted_claims_are_grouped_by_severity_and_sorted_by_place(results, parsed):
    refuted = next(claim for claim in results.claims if claim.verdict == Verdict.REFUTED)

    def at(lines, sentence=None, severity="major"):
        name = f"{severity}-{lines[0]}-{sentence}"
        place = Place(lines=lines, sentence=sentence)
        return replace(refuted, id=name, severity=severity, at=place)

    nowhere = replace(refuted, id="nowhere", severity="major", at=None)
    claims = [nowhere, at((9, 9), 2), at((9, 9), 1), at((3, 4)), at((40, 40), None, "critical")]
    ranks = view.ranks(view.cards(of(*claims)))
    found = {rank.severity: [entry.card.claim.id for entry in rank.entries] for rank in ranks}
    assert found == {
        "critical": ["critical-40-None"],
        "major": ["major-3-None", "major-9-1", "major-9-2", "nowhere"],
    }
    text = parsed(render(of(*claims))).text
    assert "lines 3-4" in text
    assert "line 9, sentence 2" in text


def test_cases_that_were_not_run_are_counted(results):
    claim = next(claim for claim in results.claims if claim.id == "sum-keeps-the-dtype")
    (card,) = view.cards(of(replace(claim, planned=8)))
    assert card.tally == "in 2 of 3 cases, 5 more not run"
    (card,) = view.cards(of(replace(claim, cases=claim.cases[1:2], count="1 of 1 case")))
    assert card.tally == ""


def test_a_card_says_how_it_stands_to_the_record(results):
    found = {card.claim.id: (card.record, card.record_words) for card in view.cards(results)}
    assert found["contiguous-is-a-no-op"] == ("as-recorded", "as recorded")
    assert found["contiguous-speeds-up-mm"] == ("changed", "recorded as verified")
    assert found["row-sum-is-faster"] == ("as-recorded", "recorded as verified")
    assert found["conv2d-accepts-matrices"] == ("none", "not recorded")
    assert found["prefer-readable-code"] == ("none", "")


def test_a_case_that_was_not_tried_has_a_reason_and_no_evidence(results):
    cards = {card.claim.id: card for card in view.cards(results)}
    card = cards["contiguous-speeds-up-mm"]
    assert [row.id for row in card.rows] == ["cpu-256"]
    assert card.untried == [("1 case not checked on cuda", "no cuda device", "cuda-256")]
    assert [group.verdict for group in card.groups] == [Verdict.REFUTED]
    assert cards["cuda-streams-are-ordered"].groups == []


def test_equal_ids_of_two_sources_have_two_anchors(results):
    claim = results.claims[0]
    found = view.cards(of(claim, replace(claim, source="other"), replace(claim, source="third")))
    assert len({card.anchor for card in found}) == 3
    assert found[0].anchor == f"c-{claim.id}"


def test_a_calm_run_says_so(results, parsed):
    claim = next(claim for claim in results.claims if claim.id == "contiguous-is-a-no-op")
    text = parsed(render(of(claim))).text
    assert "Nothing changed against the record." in text
    assert "No claim is refuted." in text
    assert "What could not be decided" not in text


def test_results_of_nothing_make_a_page(parsed):
    assert "No claims." in parsed(render(Results())).text


def test_an_interrupted_run_says_so(results, parsed):
    assert "was interrupted" in parsed(render(replace(results, run=RunInfo(interrupted=True)))).text


def test_long_evidence_is_cut_and_says_so(results):
    claim = results.claims[0]
    case = replace(
        claim.cases[0], stdout="x" * 50_000, observed="y" * 50_000, expected="z" * 50_000
    )
    page = render(of(replace(claim, cases=(case,))))
    assert len(page) < 60_000
    assert "[... 42000 characters ...]" in page


@pytest.mark.parametrize("language", ["", "not a language", '"><script>', "x" * 40])
def test_a_language_that_is_none_is_unknown(results, language, parsed):
    (document,) = results.documents
    page = parsed(render(replace(results, documents=(replace(document, language=language),))))
    assert page.all("h1") == [{"lang": ""}]


@pytest.mark.parametrize(
    ("language", "title", "expected"),
    [
        ("ko", "연속 텐서", "ko"),
        ("ko", "Contiguous tensors", ""),  # translated, it seems
        ("en-GB", "Contiguous tensors", "en-GB"),
        ("de", "Über Tensoren", "de"),
    ],
)
def test_only_the_words_of_a_document_have_its_language(results, language, title, expected, parsed):
    document = replace(results.documents[0], language=language, title=title)
    quote = replace(results.claims[0], at=Place(exact="so it is"))
    found = of(quote, *results.claims[1:])
    page = parsed(render(replace(found, documents=(document,))))
    assert page.all("html") == [{"lang": "en"}]
    assert page.all("h1") == [{"lang": expected}]
    # On the first screen and in the card; no statement is in the document's language.
    assert [each["lang"] for each in page.all("span") if "lang" in each] == [language] * 2


# --- strings, imports, writing ---------------------------------------------------


def test_every_string_is_used():
    root = Path(view.__file__).parent
    code = "".join(
        path.read_text(encoding="utf-8")
        for path in root.rglob("*")
        if path.suffix in (".py", ".j2") and path.name != "strings.py"
    )
    used = set(re.findall(r"""["']([a-z]+\.[a-z-]+(?:\.[a-z-]+)?)["']""", code))
    built = ("verdict.", "severity.", "role.", "share.", "count.", "claim.")
    unused = {key for key in ENGLISH if key not in used and not key.startswith(built)}
    assert unused == set()


def test_importing_the_room_is_light():
    code = (
        "import sys, verifier.report.results, verifier.report.terminal, verifier.report.write\n"
        "heavy = {'jinja2', 'pygments', 'torch', 'numpy', 'markupsafe'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_reports_are_written(results, tmp_path):
    data, page = write_reports(results, tmp_path / "a" / "b")
    assert load(data) == results
    assert page.name == "index.html"
    assert page.read_text(encoding="utf-8") == render(results)
    assert sorted(each.name for each in page.parent.iterdir()) == ["index.html", "results.json"]


def test_a_folder_that_is_a_file_is_said(results, tmp_path):
    folder = tmp_path / "reports"
    folder.write_text("")
    with pytest.raises(ReportError, match="a file has the folder's name") as caught:
        write_reports(results, folder)
    assert caught.value.path.parent == folder or caught.value.path == folder
    assert caught.value.remedy


def test_a_report_that_is_a_folder_is_said(results, tmp_path):
    (tmp_path / "index.html").mkdir()
    with pytest.raises(ReportError, match="a folder has the report's name"):
        write_reports(results, tmp_path)
    assert load(tmp_path / "results.json") == results
