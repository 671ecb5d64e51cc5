"""The result as data, and the records that only the owner may see."""

import json

import pytest
from tests.audits.small_tables import small

from privet.audits._audit_result import shown_sets
from privet.disclosure import ColumnSet, ColumnSets

KEYS = {
    "columns", "classes", "sample_uniques", "risk", "k", "l", "t", "population_uniqueness", "suda",
    "quasi_identifier_sets", "linkage", "advice",
}  # fmt: skip


def test_json_has_the_keys_and_is_json(found) -> None:
    data = found.to_json()
    assert set(data) >= KEYS
    assert json.loads(json.dumps(data, allow_nan=False)) is not None
    assert set(data["risk"]) >= {"prosecutor", "journalist", "marketer"}
    assert set(data["l"]["diagnosis"]) >= {"distinct", "entropy", "recursive_c"}
    for column in data["columns"].values():
        assert set(column) >= {"role", "category", "evidence"}


def test_the_owner_may_look_at_the_most_exposed(found) -> None:
    records = found.most_exposed(3)
    assert 0 < len(records) <= 3
    assert set(records[0]["values"]) == {"zip", "sex", "ward"}


def test_records_have_their_values_and_the_highest_scores_first() -> None:
    told = small(town=["a", "a", "a", "b"], sex=["F", "F", "M", "M"], day=[1, 1, 1, 1], secret=[1, 2, 3, 4])
    records = told.most_exposed()
    assert [(one["values"]["town"], one["values"]["sex"]) for one in records] == [("b", "M"), ("a", "M")]
    assert records[0]["score"] > records[1]["score"], "alone by one column, and so by more sets of them"
    assert len(told.most_exposed(1)) == 1


def test_nobody_is_exposed_where_all_are_alike() -> None:
    assert small(town=["a"] * 4, secret=[1, 2, 3, 4]).most_exposed() == []


def test_figures_of_classes_by_hand() -> None:
    """Classes of one, two and six people."""
    told = small(town=[*"a", *"bb", *"cccccc"], secret=list(range(9))).to_json()
    assert told["classes"]["number"] == 3
    assert told["classes"]["mean"] == pytest.approx(3)
    assert told["classes"]["people_below"] == {"2": 1, "3": 3, "5": 3, "10": 9}
    assert told["risk"]["marketer"] == pytest.approx(3 / 9)
    assert told["risk"]["prosecutor"]["highest"] == pytest.approx(1)
    assert told["risk"]["journalist"]["basis"].startswith("this table alone")


def test_what_is_infinite_is_written_as_nothing() -> None:
    """A value that a class never has leaves a ratio without a bound, which JSON has no number for."""
    told = small(town=["a", "a", "b", "b"], secret=["x", "x", "y", "y"]).to_json()
    assert None in told["l"]["secret"]["recursive_c"].values()
    json.dumps(told, allow_nan=False)


def test_of_larger_sets_the_strongest_are_shown() -> None:
    def one(share: float, *columns: str) -> ColumnSet:
        return ColumnSet(columns, 1.0, 1.0, share, exact=True)

    sets = [one(0.0, "a"), one(0.0, "a", "b"), *(one(at / 100, "a", "b", str(at)) for at in range(50))]
    shown = shown_sets(ColumnSets(tuple(sets), 3, 3))
    assert len(shown) == 42
    assert shown[:2] == sets[:2]
    assert [item.unique_share for item in shown[2:4]] == pytest.approx([0.49, 0.48])


def test_what_only_a_person_can_say_is_listed_for_review() -> None:
    told = small(town=["a", "b"], q7=[1, 1], secret=[1, 2]).to_json()["for_review"]
    assert told["unit_confirmed"]
    assert "secret" not in told["unconfirmed_columns"]
