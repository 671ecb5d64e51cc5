"""The population beside the table: who else looks like the people in it."""

import pyarrow as pa
import pytest

from privet.audits import audit
from privet.audits._person_records import people
from privet.audits._population_table import in_population
from privet.errors import BadAudit
from privet.source import open_table


def test_k_map_and_journalist_risk_come_from_the_population() -> None:
    sample = pa.table({"town": ["a", "b", "c"], "n": [1, 1, 1]})
    everyone = pa.table({"town": ["a"] * 10 + ["b"] * 4 + ["c"]})
    told = audit(sample, quasi=["town"], sensitive=[], unit="row", population=everyone)
    assert told.in_population is not None
    assert told.in_population.k == 1
    data = told.to_json()
    assert data["risk"]["prosecutor"]["mean"] == pytest.approx(1.0)
    assert data["risk"]["journalist"]["mean"] == pytest.approx((1 / 10 + 1 / 4 + 1) / 3)
    assert data["risk"]["marketer"] == data["risk"]["journalist"]["mean"]
    assert data["population_uniqueness"][0]["sampling_fraction"] == pytest.approx(3 / 15)
    with pytest.raises(BadAudit, match="none of the quasi-identifiers"):
        audit(sample, quasi=["town"], population=pa.table({"x": [1]}))


def found(sample: pa.Table, everyone: pa.Table, *quasi: str):
    ours = people(open_table(sample).relation, list(quasi), ())
    return in_population(ours, quasi, open_table(everyone))


def test_only_columns_that_both_have_are_compared() -> None:
    told = found(
        pa.table({"town": ["a", "b"], "sex": ["F", "M"]}),
        pa.table({"town": ["a", "a", "b", "c"]}),
        "town",
        "sex",
    )
    assert (told.columns, told.people, told.k, told.unmatched) == (("town",), 4, 1, 0)


def test_who_is_not_in_the_population_is_counted() -> None:
    told = found(pa.table({"town": ["a", "z"]}), pa.table({"town": ["a", "a"]}), "town")
    assert told.unmatched == 1


def test_a_missing_value_is_like_another_missing_one() -> None:
    told = found(pa.table({"town": ["a", None]}), pa.table({"town": ["a", "a", None, None, None]}), "town")
    assert (told.k, told.unmatched) == (2, 0)


def test_values_of_different_types_meet() -> None:
    told = found(pa.table({"zip": [123, 456]}), pa.table({"zip": ["123", "123", "456"]}), "zip")
    assert (told.k, told.unmatched) == (1, 0)
    assert told.risk.mean == pytest.approx((1 / 2 + 1) / 2)
