"""The report in a real browser, opened from disk as its readers do."""

import itertools
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import msgspec
import pytest

from verifier.report.html import render
from verifier.report.results import summarise

playwright = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
SCREEN = {"width": 1200, "height": 900}
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}


@pytest.fixture(scope="module")
def browser() -> Iterator["playwright.Browser"]:
    with playwright.sync_playwright() as tool:
        # As root, as in a container, Chromium's own sandbox does not start.
        browser = tool.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(results, tmp_path_factory) -> str:
    path: Path = tmp_path_factory.mktemp("report") / "index.html"
    path.write_text(render(results), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def view(browser):
    """Opens an address; what the page logs or asks for fails the test at its end."""
    contexts, trouble, requests = [], [], []

    def open_page(address: str, **options: object) -> "playwright.Page":
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("dialog", lambda dialog: trouble.append(dialog.message))
        page.on("request", lambda request: requests.append(request.url.partition("#")[0]))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert trouble == []
    assert {url for url in requests if not url.startswith("data:")} <= {
        url for url in requests if url.startswith("file:") and url.endswith("index.html")
    }


def opened(page) -> set[str]:
    return set(page.eval_on_selector_all("details.card[open]", "all => all.map(e => e.id)"))


def visible(page) -> int:
    return page.locator("details.card:visible").count()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_anyone_can_read_it(view, address, scheme):
    page = view(address, color_scheme=scheme, reduced_motion="reduce")
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    # The filter is part of the page; it is shown by now.
    assert page.locator("#filter").is_visible()
    found = axe.Axe().run(page, options=RULES)
    assert found.violations_count == 0, found.generate_report()


def test_a_finger_can_tell_references_apart(view, address):
    page = view(
        address + "#c-fresh-randn-is-not-contiguous", viewport={"width": 1200, "height": 900}
    )
    tops = page.eval_on_selector_all(
        "#c-fresh-randn-is-not-contiguous .foot li a",
        "all => all.map(each => each.getBoundingClientRect().top)",
    )
    assert len(tops) == 2
    assert tops[1] - tops[0] >= 24


def test_a_phone_needs_no_sideways_scroll(view, address):
    page = view(address, viewport={"width": 320, "height": 640})
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_all_is_there_without_javascript(view, address, results):
    page = view(address, java_script_enabled=False)
    assert visible(page) == len(results.claims)
    assert not page.locator("#filter").is_visible()
    card = page.locator("#c-contiguous-is-a-no-op")
    card.locator("summary").first.click()
    assert card.get_by_text("y.data_ptr() == x.data_ptr()").is_visible()


def test_the_filter_hides_and_says_how_many(view, address):
    page = view(address)
    page.get_by_role("button", name="refuted").click()
    assert visible(page) == 5
    assert page.locator("#shown").text_content() == "5 of 14 claims shown"
    page.get_by_label("Search in the claims").fill("DTYPE sum")
    assert visible(page) == 1
    page.get_by_role("button", name="all", exact=True).click()
    page.get_by_label("Search in the claims").fill("")
    assert visible(page) == 14
    page.get_by_role("button", name="changed").click()
    assert visible(page) == 3


def test_the_address_keeps_the_filter(view, address):
    page = view(address)
    page.get_by_role("button", name="inconclusive").click()
    page.get_by_label("Search in the claims").fill("mean")
    again = view(page.evaluate("location.href"))
    assert visible(again) == 1
    assert again.get_by_role("button", name="inconclusive").get_attribute("aria-pressed") == "true"


@pytest.fixture(scope="module")
def long(results, tmp_path_factory) -> str:
    """The address of a report of 1,000 claims, every tenth of them news and so open."""
    replace = msgspec.structs.replace
    claims = tuple(
        replace(claim, id=f"{claim.id}-{index}", agrees=bool(index % 10))
        for index, claim in zip(range(1000), itertools.cycle(results.claims), strict=False)
    )
    path: Path = tmp_path_factory.mktemp("long") / "index.html"
    path.write_text(
        render(replace(results, claims=claims, summary=summarise(claims))), encoding="utf-8"
    )
    return path.as_uri()


def assert_landed(page, anchor: str) -> None:
    """The heading of the card stands near the top, or the page ends below it."""
    page.wait_for_timeout(50)  # whatever would still move has moved
    top, below = page.evaluate(
        """(anchor) => [
            document.getElementById(anchor).getBoundingClientRect().top,
            document.documentElement.scrollHeight - innerHeight - Math.ceil(scrollY),
        ]""",
        anchor,
    )
    assert 0 <= top <= 200 or (below <= 1 and top < 800), (anchor, top, below)


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("size", ["short", "long"])
def test_an_address_lands_on_its_card(view, address, long, size, script):
    start = address if size == "short" else long
    page = Path(url2pathname(urlsplit(start).path)).read_text(encoding="utf-8")
    anchors = re.findall(r'<details class="card[^>]* id="([^"]+)"', page)
    for anchor in (anchors[0], anchors[len(anchors) // 2], anchors[-1]):
        page = view(f"{start}#{anchor}", viewport=SCREEN, java_script_enabled=script)
        assert_landed(page, anchor)
        assert not script or anchor in opened(page)
        page.context.close()


@pytest.mark.parametrize("script", [True, False])
def test_links_land_on_their_cards(view, long, script):
    page = view(long, viewport=SCREEN, java_script_enabled=script)
    links = page.locator(".entries h4 a")
    anchors = []
    for index in (0, links.count() // 2, links.count() - 1):
        links.nth(index).click()
        anchors.append(page.evaluate("location.hash.slice(1)"))
        assert_landed(page, anchors[-1])
    if script:  # else the browser goes back to where the reader left
        page.go_back()
        assert_landed(page, anchors[1])
        page.go_back()
        assert_landed(page, anchors[0])
        page.go_forward()
        assert_landed(page, anchors[1])


def test_a_link_from_the_severities_lands_on_theirs(view, address):
    page = view(address, viewport=SCREEN)
    page.get_by_role("link", name="2 major").click()
    assert_landed(page, "g-major")


def test_an_address_opens_its_card(view, address):
    page = view(address + "#c-contiguous-is-a-no-op")
    assert "c-contiguous-is-a-no-op" in opened(page)
    page.evaluate("location.hash = 'c-mean-of-randn-is-zero'")
    page.wait_for_selector("#c-mean-of-randn-is-zero[open]")


def test_a_link_from_the_first_screen_opens_a_card_that_the_filter_hid(view, address):
    page = view(address)
    page.get_by_role("button", name="unverifiable").click()
    page.locator(".open a").first.click()
    page.wait_for_selector("#c-zeros-is-float[open]:visible")


def test_the_keyboard_reaches_everything(view, address):
    page = view(address)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#findings"
    page.locator("#c-contiguous-is-a-no-op > summary").focus()
    page.keyboard.press("Enter")
    assert "c-contiguous-is-a-no-op" in opened(page)


def test_paper_shows_what_is_closed_on_the_screen(view, address):
    page = view(address)
    before = opened(page)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert len(opened(page)) == 14
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert opened(page) == before


def test_hostile_results_run_nothing(view, hostile, tmp_path):
    path = tmp_path / "index.html"
    path.write_text(render(hostile), encoding="utf-8")
    page = view(path.as_uri(), viewport={"width": 320, "height": 640})
    assert page.locator("img").count() == 0
    assert visible(page) == 14
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    found = axe.Axe().run(page, options=RULES)
    assert found.violations_count == 0, found.generate_report()
