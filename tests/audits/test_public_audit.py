"""What others may be shown: rounded, and nothing about single people."""

import json

import pytest
from tests.audits.small_tables import small

from privet.audits._public_audit import one_digit, whole_percent


def test_what_others_see_is_rounded_and_another_type(found) -> None:
    shown = found.publishable()
    data = shown.to_json()
    assert not isinstance(shown, type(found))
    assert data["people"] == 300
    shares = [data["unique_share"], data["mean_risk"], *(point["share"] for point in data["unicity"])]
    assert all(abs(share * 100 - round(share * 100)) < 1e-9 for share in shares)
    assert not {"rows", "k", "contributions", "suda", "classes"} & set(data)


def test_rounding_neither_denies_nor_claims_everything() -> None:
    assert [whole_percent(share) for share in (0, 0.0001, 0.5, 0.9999, 1)] == pytest.approx(
        [0, 0.01, 0.5, 0.99, 1]
    )
    assert [one_digit(number) for number in (0, 3, 42, 1999, 7544)] == [0, 10, 40, 2000, 8000]


def test_the_shares_by_hand() -> None:
    """Seven people: one alone, six alike; three of a class of one value."""
    told = small(town=["a", *["b"] * 3, *["c"] * 3], secret=[1, 2, 2, 2, 1, 2, 3]).publishable()
    assert told.unique_share == pytest.approx(0.14)
    assert told.below_five_share == pytest.approx(1)
    assert told.mean_risk == pytest.approx(0.43)
    assert told.given_away == {"secret": pytest.approx(0.57)}
    assert told.people == 10
    assert told.linked_share is None


def test_no_value_and_no_exact_count_is_in_it() -> None:
    told = small(town=["Zquanzeria"] * 43 + ["b"], secret=list(range(44))).publishable()
    shown = json.dumps(told.to_json()) + repr(told)
    assert "Zquanzeria" not in shown
    assert "44" not in shown
    assert told.to_arrow().column_names == ["column", "role", "category", "special"]
