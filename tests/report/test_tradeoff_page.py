"""The page of a trade-off: standing first, the proposal with its lines, every point in a table, no script."""

import re
from pathlib import Path

from tests.report.test_tradeoff_figure import record

from privet.report._tradeoff_page import save_tradeoff_page, tradeoff_page


def page_of(**more: object) -> str:
    whole = record() | {
        "target": "back <b>",
        "standing": "owner-only",
        "unit": "person",
        "people": {"used": 1500, "kept_apart": 1499},
        "confidence": 0.95,
        "guess": 0.5,
        "notes": ["a note <i>"],
        **more,
    }
    for point in whole["points"]:
        point |= {
            "words": f"what {point['label']} means",
            "standing": "owner-only",
            "attack": "x",
            "allowed": 0.25,
        }
    return tradeoff_page(whole)


def test_it_says_whose_it_is_what_to_take_and_every_point() -> None:
    knee = {"index": 2, "reason": "because <u>", "policy_lines": "  - do: train\n    epsilon: 1\n"}
    page = page_of(knee=knee)
    assert page.index("For the owner only.") < page.index("Take first: train, epsilon = 1")
    for said in (
        "  - do: train\n    epsilon: 1\n",
        "what k = 5 means",
        "0.700 [0.680, 0.720]",
        "1,500",
        "1,499",
        "says nothing",
    ):
        assert said in page
    assert page.count("on the frontier") >= 3
    assert len(re.findall(r"<tr><td>(?:reference|anonymize|train)</td>", page)) == 4


def test_nothing_is_unescaped_and_no_script_or_address_is_in_it() -> None:
    page = page_of(knee={"index": 2, "reason": "<u>", "policy_lines": "<script>"})
    assert not re.search(r"<(script|b>\s*<|i>|u>)", page)
    assert "back &lt;b&gt;" in page
    assert set(re.findall(r"https?://[^\"' ]+", page)) <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in page
    assert len(page) < 100_000


def test_without_a_proposal_it_says_so(tmp_path: Path) -> None:
    page = page_of(knee=None, standing="surrogate")
    assert "Nothing to propose" in page
    whole = record() | {
        "target": "y", "standing": "public", "unit": "row", "people": {"used": 1, "kept_apart": 1}, "knee": None, "points": []
    }  # fmt: skip
    saved = save_tradeoff_page(whole, tmp_path / "x.html")
    assert saved.read_text().startswith("<!doctype html>")
    assert [file.name for file in tmp_path.iterdir()] == ["x.html"]
