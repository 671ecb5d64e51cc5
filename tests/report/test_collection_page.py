"""The page of a collection: public, whole, escaped, with every epsilon, and stamped where it is not private."""

import datetime
import re
from xml.etree import ElementTree

import pytest

import privet as pv
from privet.errors import BadUsage
from privet.report._collection_page import MOST_ROWS, NOT_PROTECTED, collection_page, save_collection_page

VALUES = ["<b>one</b>", "two & more", *(f"v{number}" for number in range(30))]
ASKED = pv.Collection("emoji <i>", pv.OneOf(VALUES), pv.LocalDP(2), "grr", per="day", most=3)


def reports(seed: int | None, many: int = 600):
    return ASKED.randomize([VALUES[number % 5] for number in range(many)], seed=seed)


@pytest.fixture(scope="module")
def page() -> str:
    days = {datetime.date(2026, 1, day): reports(day) for day in (1, 2, 3)}
    attacks = pv.attack(ASKED, attacks=["local-epsilon", "poisoning"], draws=500, repeats=2)
    return collection_page(
        ASKED,
        pv.estimate(reports(1), ASKED),
        change=pv.estimate_change(reports(1), reports(2), ASKED),
        trend=pv.estimate_trend(days, ASKED),
        attacks=attacks,
    )


def shown(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_it_says_what_a_person_gives_away(page) -> None:
    said = shown(page)
    for wanted in (
        ASKED.promise.sentence()[:40],
        "one report 2",
        "a person and day 6",
        "a person, for ever no limit",
        "Estimates without bias, with their error bars: the 20 largest",
        "Consistent estimates (Norm-Sub)",
        "600 reports that fit the specification were counted. No report was left out.",
        "Before and after",
        "rise per day",
        "local-epsilon",
        "No promise of privacy limits what fake reports do.",
    ):
        assert wanted in said
    for item in NOT_PROTECTED:
        assert item.split("'")[0][:40] in page


def test_it_is_public_and_cannot_be_made_to_do_anything(page) -> None:
    assert "Public version" in page
    assert "Content-Security-Policy" in page
    assert "<script" not in page
    assert "<b>one" not in page
    assert "emoji <i>" not in page
    for picture in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(picture)


def test_seeded_reports_are_stamped_on_top(page) -> None:
    assert shown(page).index("NOT PRIVATE") < shown(page).index("What a person gives away")
    private = collection_page(ASKED, pv.estimate(reports(None), ASKED))
    assert "NOT PRIVATE" not in private


def test_reports_that_were_left_out_are_counted() -> None:
    other = pv.Collection("other", ASKED.question, ASKED.promise, "grr")
    import pyarrow as pa

    both = pa.concat_tables(
        [reports(1).cast(pa.schema([("collection", pa.string()), ("value", pa.uint32())])),
         other.randomize(VALUES).cast(pa.schema([("collection", pa.string()), ("value", pa.uint32())]))]
    )  # fmt: skip
    assert "32 reports were left out" in shown(collection_page(ASKED, pv.estimate(both, ASKED)))
    with pytest.raises(BadUsage, match="another specification"):
        collection_page(other, pv.estimate(reports(1), ASKED))


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        ({"oracle": "l-grr", "settings": {"once": 500}}, "all reports about one value, for ever 2"),
        ({"oracle": "l-grr", "settings": {"once": 500}}, "one report 0.5"),
        ({"oracle": "grr", "per": "lifetime", "most": 4}, "a person, for ever 8"),
        ({"oracle": "grr", "per": "lifetime", "most": 4}, "a person and day at most 8"),
    ],
)
def test_every_epsilon_is_that_of_the_specification(made, wanted) -> None:
    asked = pv.Collection("a", pv.OneOf(["x", "y", "z"]), pv.LocalDP(2), **made)
    assert wanted in shown(collection_page(asked))


def test_numbers_words_and_several_questions_have_pages(tmp_path) -> None:
    number = pv.Collection("minutes", pv.NumberIn(0, 60), pv.LocalDP(1), "square-wave")
    several = pv.Collection("both", pv.Several(age=pv.NumberIn(0, 9), star=pv.OneOf([1, 2])), pv.LocalDP(1))
    for asked, values in ((number, [5.0, 9.0] * 50), (several, {"age": [3] * 90, "star": [1] * 90})):
        made = save_collection_page(
            asked, tmp_path / "page.html", pv.estimate(asked.randomize(values), asked)
        )
        assert "<svg" in made.read_text(encoding="utf-8")
    with pytest.raises(BadUsage, match=r"\.html"):
        save_collection_page(number, tmp_path / "page.txt")


def test_attacks_that_were_scored_with_people_are_left_out() -> None:
    import pyarrow as pa

    asked = pv.Collection("both", pv.Several(a=pv.OneOf([1, 2]), b=pv.OneOf([1, 2])), pv.LocalDP(1))
    rows = pa.table({"a": [1, 2] * 50, "b": [1, 2] * 50})
    found = pv.attack(asked, members=rows, attacks=["attribute-correlation"])
    assert "attribute-correlation" not in collection_page(asked, attacks=found)


def test_long_lists_are_cut_and_it_is_said() -> None:
    asked = pv.Collection("many", pv.OneOf(list(range(MOST_ROWS + 5))), pv.LocalDP(1), "oue")
    page = collection_page(asked, pv.estimate(asked.randomize(list(range(50))), asked))
    assert "5 smaller ones are left out here" in page
