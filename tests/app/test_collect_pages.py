"""`privet collect change`, `trend` and pages: from files of reports to public pages."""

import pytest
from tests.app.doors import inside

import privet as pv

ASKED = pv.Collection("asked", pv.OneOf(["a", "b", "c"]), pv.LocalDP(3), "grr", per="day", most=2)


@pytest.fixture
def place(tmp_path):
    import pyarrow.parquet as pq

    ASKED.save(tmp_path / "spec.json")
    for name, values in (("one", ["a"] * 300 + ["b"] * 100), ("two", ["a"] * 100 + ["b"] * 300)):
        pq.write_table(ASKED.randomize(values, seed=5), tmp_path / f"{name}.parquet")
    return tmp_path


def test_an_estimate_has_a_page_with_attacks(place) -> None:
    said = inside(
        "collect", "estimate", "spec.json", "one.parquet", "--html", "page.html", "--attacked", "--json", cwd=place
    )  # fmt: skip
    assert said.code == 0, said.err
    page = (place / "page.html").read_text(encoding="utf-8")
    for wanted in ("Public version", "report-averaging", "local-epsilon", "NOT PRIVATE", "a person and day"):
        assert wanted in page


def test_two_sets_are_compared(place) -> None:
    said = inside(
        "collect", "change", "spec.json", "--before", "one.parquet", "--after", "two.parquet",
        "--html", "page.html", "-o", "change.json", "--json", cwd=place,
    )  # fmt: skip
    change = next(one for one in said.json()["answers"] if one["name"] == "change")
    assert change["high"][0] < 0 < change["low"][1]
    assert "Before and after" in (place / "page.html").read_text(encoding="utf-8")
    assert pv.ReleasedAnswer.load(place / "change.json").keys["value"] == ("a", "b", "c")


def test_days_are_followed(place) -> None:
    days = ("--day", "2026-01-01=one.parquet", "--day", "2026-01-03=two.parquet")
    said = inside(
        "collect", "trend", "spec.json", *days, "--values", "a", "--html", "t.html", "--json", cwd=place
    )
    found = said.json()
    assert found["keys"]["day"] == ["2026-01-01", "2026-01-03", None]
    assert found["answers"][0]["high"][2] < 0
    assert "rise per day" in (place / "t.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "more",
    [
        ("trend", "spec.json", "--day", "yesterday=one.parquet", "--day", "2026-01-03=two.parquet"),
        ("trend", "spec.json", "--day", "2026-01-03=two.parquet"),
        ("estimate", "spec.json", "one.parquet", "--html", "page.txt"),
        ("estimate", "spec.json", "one.parquet", "--html", "nowhere/page.html"),
        ("estimate", "spec.json", "one.parquet", "--attacked"),
        ("change", "spec.json", "--before", "one.parquet"),
    ],
)
def test_what_cannot_be_done_is_refused_first(place, more) -> None:
    said = inside("collect", *more, "--json", cwd=place)
    assert said.json()["error"]["code"] == "E-GENERAL-003"
    assert not list(place.glob("*.html"))
