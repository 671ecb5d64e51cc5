"""The report of a run as a browser shows it: on a desk, on a telephone and on paper, with scripts off."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.report.a_run import record, tradeoff

from privet.report._run_page import save_run_page
from privet.report._run_report import run_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
DESK, TABLET, TELEPHONE = 1280, 850, 375
PAPER = 688  # an A4 sheet without its margins, in CSS pixels
# Elements that reach out of the window or of their frame, and are not inside something that scrolls by itself.
OUTSIDE = """() => [...document.querySelectorAll('main *, header *, nav *, footer *')].filter(one => {
  const box = one.getBoundingClientRect(), frame = one.closest('article, figure')?.getBoundingClientRect();
  const right = Math.min(innerWidth, frame ? frame.right : innerWidth) + 0.5;
  return box.width && box.left > -90 && (box.right > right || box.left < -0.5) && !one.closest('.scroll');
}).map(one => one.outerHTML.slice(0, 120))"""
# A box that hides part of its own text.
CUT_OFF = """() => [...document.querySelectorAll('main th, main td, main dd, main li, main p, main .chip, main pre')]
  .filter(one => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline')
  .map(one => one.outerHTML.slice(0, 120))"""


# A machine without a graphics card, and with little shared memory.
SMALL = ["--disable-gpu", "--disable-dev-shm-usage"]


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *SMALL])
        yield found
        found.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    return {
        "owner": save_run_page(run_report(record(), tradeoff=tradeoff()), folder / "owner.html"),
        "public": save_run_page(
            run_report(record(), public=True, tradeoff=tradeoff("public")), folder / "public.html"
        ),
    }


def shown(
    browser: "Browser", path: Path, width: int, *, scripts: bool = False, scheme: str = "light"
) -> "Page":
    page = browser.new_page(
        viewport={"width": width, "height": 900},
        java_script_enabled=scripts,
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page.goto(path.as_uri())
    return page


@pytest.mark.parametrize(
    ("audience", "width"),
    [("owner", DESK), ("owner", TABLET), ("owner", TELEPHONE), ("public", DESK), ("public", TELEPHONE)],
)
def test_nothing_overflows(
    browser: "Browser", pages: dict[str, Path], audience: str, width: int, tmp_path: Path
) -> None:
    page = shown(browser, pages[audience], width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(CUT_OFF) == []
    picture = tmp_path / "page.png"
    photograph(page, picture)
    assert picture.stat().st_size > 50_000
    page.close()


def photograph(page: "Page", picture: Path, tries: int = 3) -> None:
    """A picture of the whole page. A busy machine now and then makes Chromium give up on it; the page is not at fault."""
    from playwright.sync_api import Error

    for left in reversed(range(tries)):
        try:
            page.screenshot(path=str(picture), full_page=True)
        except Error:
            if not left:
                raise
        else:
            return


def test_every_figure_has_a_text_alternative(browser: "Browser", pages: dict[str, Path]) -> None:
    page = shown(browser, pages["owner"], DESK)
    drawn = page.locator("svg").count()
    assert drawn == 6
    assert page.get_by_role("img").count() == drawn
    for place in range(drawn):
        said = (
            page.get_by_role("img")
            .nth(place)
            .evaluate("one => one.querySelector(':scope > title').textContent")
        )
        assert page.get_by_role("img", name=said).count() >= 1
    for landmark in ("banner", "navigation", "main", "contentinfo"):
        assert page.get_by_role(landmark).count() == 1  # type: ignore[arg-type]
    page.close()


@pytest.mark.parametrize(
    ("audience", "width", "scheme"),
    [("owner", DESK, "light"), ("owner", TELEPHONE, "dark"), ("public", TELEPHONE, "light")],
)
def test_axe_finds_nothing_to_object_to(
    browser: "Browser", pages: dict[str, Path], audience: str, width: int, scheme: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    # axe-core itself is a script; the page has none of its own.
    page = shown(browser, pages[audience], width, scripts=True, scheme=scheme)
    found = Axe().run(page).response
    assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == []
    assert "color-contrast" in {one["id"] for one in found["passes"]}
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_in_pictures_stand_out(browser: "Browser", pages: dict[str, Path], scheme: str) -> None:
    """axe-core does not look into SVG: black on white is 21, and 4.5 is the least (WCAG 2.2, 1.4.3)."""
    page = shown(browser, pages["owner"], DESK, scheme=scheme)
    pairs = page.evaluate(
        """() => [...document.querySelectorAll('figure svg text')].map(one => {
          const bar = one.classList.contains('on') ? one.previousElementSibling : null;
          return [getComputedStyle(one).fill, bar ? getComputedStyle(bar).fill
            : getComputedStyle(one.closest('figure')).backgroundColor, one.textContent];
        })"""
    )
    assert len(pairs) > 30
    assert [pair for pair in pairs if contrast(pair[0], pair[1]) < 4.5] == []
    page.close()


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG defines it."""

    def light(colour: str) -> float:
        parts = [float(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    darker, lighter = sorted((light(one), light(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_it_prints_with_everything_unfolded(browser: "Browser", pages: dict[str, Path]) -> None:
    page = shown(browser, pages["owner"], PAPER, scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(CUT_OFF) == []
    folded = page.evaluate(
        """() => [...document.querySelectorAll('details > :not(summary)')]
        .filter(one => !one.checkVisibility()).map(one => one.outerHTML.slice(0, 80))"""
    )
    assert folded == []
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf(format="A4")[:5] == b"%PDF-"
    page.close()


def test_it_asks_the_network_for_nothing(browser: "Browser", pages: dict[str, Path]) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(pages["owner"].as_uri())
    assert asked == [pages["owner"].as_uri()]
    page.close()
