"""The card: everything a recipient must know on one page, from the artifact alone."""

import re
from xml.etree import ElementTree

import pyarrow as pa
import pytest

import privet as pv
from privet.report._answer_card import NOT_PROTECTED, card, save_card


@pytest.fixture
def answer(tmp_path):
    rows = pa.table({"id": list(range(300)), "ward": ["<b>A&E</b>", "B", None] * 100, "x": [1.0] * 300})
    table = pv.open_table(
        rows,
        unit=pv.Person("id", max_rows=1, max_groups=1),
        bounds={"x": (0, 2)},
        keys={"ward": ["<b>A&E</b>", "B", None, "nobody"]},
        name="t",
    )
    with pv.Ledger(tmp_path / "l.ledger", limit=pv.PureDP(5)) as ledger:
        question = table.group_by("ward").agg(n=pv.count(), x=pv.mean("x"))
        return pv.release(question, pv.PureDP(2), ledger=ledger, why="bed <plan>")


def test_it_states_promise_unit_price_error_and_limits(answer):
    page = card(answer)
    text = re.sub(r"<[^>]+>", " ", page)
    for wanted in (
        "odds that a given person",
        "identified by",
        "add-or-remove",
        "Left in the budget",
        "Laplace noise",
    ):
        assert wanted in text
    for sentence in NOT_PROTECTED:
        assert sentence.split("'")[0][:30] in page
    assert answer.receipt.head in page
    assert f"{answer['n'][1]:,}" in text


def test_names_from_the_data_cannot_break_the_page(answer):
    page = card(answer)
    assert "<b>A" not in page
    assert "&lt;b&gt;A&amp;E" in page
    assert "bed &lt;plan&gt;" in page


def test_it_needs_neither_script_nor_network(answer):
    page = card(answer)
    assert "<script" not in page
    assert not re.search(r"(src|href)\s*=", page)
    assert set(re.findall(r"https?:[^\"]*", page)) <= {"http://www.w3.org/2000/svg"}, (
        "a name, not an address to load"
    )


def test_every_picture_has_a_title_a_description_and_bars(answer):
    pictures = re.findall(r"<svg.*?</svg>", card(answer), flags=re.DOTALL)
    assert len(pictures) == 2
    for picture in pictures:
        tree = ElementTree.fromstring(picture)
        assert tree.find("{*}title").text
        assert "table below" in tree.find("{*}desc").text
    assert len(ElementTree.fromstring(pictures[0]).findall("{*}rect")) == 4


def test_it_is_written_whole(answer, tmp_path):
    path = save_card(answer, tmp_path / "card.html")
    assert path.read_text(encoding="utf-8") == card(answer)
    assert [p.name for p in tmp_path.iterdir() if "partial" in p.name] == []
