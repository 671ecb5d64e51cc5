"""The audit in words: what is said is what was counted, and nothing is said twice."""

from dataclasses import replace

import pyarrow as pa
import pytest
from tests.audits.small_tables import small

from privet.audits import audit
from privet.audits._audit_summary import linkage_lines, summary, verdict
from privet.audits.linkage_risk import Attempt, Linkage, Score


@pytest.fixture(scope="module")
def told():
    return small(town=["a", "b", "b", "b"], secret=["x", "y", "y", "y"])


def test_the_verdict_counts_who_is_alone(told) -> None:
    assert verdict(told) == "25 % of people (1 of 4) are alone with their town."


def test_the_verdict_says_how_many_are_alike_where_nobody_is_alone() -> None:
    two = small(town=["a", "a", "b", "b", "b"], secret=[1, 2, 3, 4, 5])
    assert verdict(two) == "No person is alone: each looks like at least 1 other(s) by town."


def test_linking_is_the_graver_finding(told) -> None:
    attempts = (Attempt("exact join", 3, 2, 0.5), Attempt("Fellegi-Sunter, own", 4, 3, 0.75, 2.9))
    linked = replace(told, linkage=Linkage("roll.csv", 1000, (("town", "place"),), (), attempts, 4))
    assert verdict(linked) == "75 % of people (3 of 4) can be found by linking with roll.csv."


def test_how_attempts_went() -> None:
    score = Score(right=1, claimed=2, findable=4)
    found = Linkage(
        "roll", 1000, (("town", "place"),), ("name",), (Attempt("exact join", 3, 2, 0.5, None, score),), 4
    )
    assert linkage_lines(found) == [
        "  with roll (1,000 records), linking by town:",
        "    exact join: claims 2 people (50 %), 50 % of them rightly; finds 25 % of those in both",
        "    both tables hold name: until that goes, no attack is needed",
    ]


def test_figures_of_the_classes_are_in_it(told) -> None:
    text = summary(told)
    assert "k = 1; 2 classes; 25 % of people are alone; 100 % in classes below 5" in text
    assert "secret: l = 1 distinct" in text
    assert "100 % of people have it given away by their class" in text
    assert "risk: highest 100 %, mean 50 %" in text


def test_no_value_is_in_it() -> None:
    text = summary(small(town=["Zquanzeria", "b"], secret=["Vexhollow", "y"]))
    assert "Zquanzeria" not in text
    assert "Vexhollow" not in text


def test_beyond_forty_columns_roles_are_lines_and_long_lists_are_cut() -> None:
    wide = audit(pa.table({f"q{at}": [1, 1] for at in range(41)}), quasi=["q0"], sensitive=[], unit="row")
    text = summary(wide)
    assert "and 28 more" in text, "forty unknown columns, of which twelve are named"
    narrow = summary(
        audit(pa.table({f"q{at}": [1, 1] for at in range(40)}), quasi=["q0"], sensitive=[], unit="row")
    )
    assert sum(line.startswith("  unknown ") for line in narrow.splitlines()) == 39


def test_who_has_said_whose_rows_they_are_is_not_asked_again(told) -> None:
    assert "whose rows they are: --unit" not in summary(told)
    assert "whose rows they are: --unit" in summary(audit(pa.table({"a": [1, 1], "b": [2, 3]})))
