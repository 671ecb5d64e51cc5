"""The page of a released table: everything escaped, the owner's rows only when asked for."""

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

from privet.artifact._released_answer import Provenance
from privet.artifact._released_table import (
    ColumnPair,
    FoundTransformation,
    ReleasedTable,
    Risks,
    SearchPoint,
    Treatment,
)
from privet.guarantee._promise_registry import KAnonymity
from privet.report._anonymize_page import anonymize_page, save_anonymize_page


def released() -> ReleasedTable:
    risks = Risks(8, 2, 4, 0, 0.25, 0.25, {"0.2": 1.0}, {"<b>": {"distinct_l": 2.0}})
    return ReleasedTable(
        promise=KAnonymity(4),
        found=FoundTransformation(
            "optimal", "lo<ss", 0.25, "global recoding", optimal=True, nodes_evaluated=7, levels={"age": 2},
            suppressed_rows=1, classes=2, points=tuple(SearchPoint(at / 9000, 0.5, 3) for at in range(9000)),
        ),
        columns=(Treatment("<i>name", "direct", "removed", loss=1.0), Treatment("age", "quasi", "level 2", 2, 3, 0.4)),
        before=risks,
        after=risks,
        utility={"precision": 0.25},
        provenance=Provenance("<script>", "snapshot:0", "duckdb", {"privet": "0"}, ("searched",)),
        pairs=(ColumnPair({"age": "<u>17"}, {"age": "10-19"}), ColumnPair({"age": 44}, None)),
    )  # fmt: skip


def test_rows_show_only_when_asked_for() -> None:
    public, owner = anonymize_page(released()), anonymize_page(released(), rows=True)
    assert "10-19" not in public
    assert "For the owner only" not in public
    assert "For the owner only" in owner
    assert "&lt;u&gt;17" in owner
    assert "not published" in owner


def test_everything_is_escaped_and_offline() -> None:
    page = anonymize_page(released(), rows=True)
    assert "<script" not in page
    assert "<i>name" not in page
    assert "<b>" not in page
    assert set(re.findall(r"https?:[^\"]*", page)) <= {"http://www.w3.org/2000/svg"}, (
        "a name, not an address to load"
    )
    assert "proven optimal" in page


def test_pictures_are_well_formed_and_bounded() -> None:
    page = anonymize_page(released())
    pictures = ["<svg" + part.split("</svg>")[0] + "</svg>" for part in page.split("<svg")[1:]]
    for picture in pictures:
        ET.fromstring(picture)
    assert len(pictures) == 3
    assert page.count("<circle") < 5000
    assert "Risk and loss of what was looked at" not in anonymize_page(
        replace(released(), found=replace(released().found, points=()))
    )


def test_it_is_saved_whole(tmp_path: Path) -> None:
    save_anonymize_page(released(), tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == anonymize_page(released())
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
