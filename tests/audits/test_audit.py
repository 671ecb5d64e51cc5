"""The audit as a whole: what it decides, measures and refuses, against counting by hand."""

import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from tests.audits.small_tables import small
from tests.real_data import real_data

import privet as pv
from privet.audits import audit
from privet.errors import BadAudit, NothingToAudit
from privet.source import open_table


def test_the_verb_is_public(stays) -> None:
    import privet.audits  # noqa: F401  loading the room does not hide the verb

    assert pv.audit is audit


def test_the_unit_is_proposed_and_people_counted_once(found, stays) -> None:
    people = {}
    for row in stays.select(["patient_id", "zip", "sex"]).to_pylist():
        people[row["patient_id"]] = (row["zip"], row["sex"])
    assert found.unit.column == "patient_id"
    assert found.unit.origin == "proposed"
    assert found.unit.kind == "person"
    assert (found.rows, found.people) == (stays.num_rows, len(people))
    by_place = audit(stays, quasi=["zip", "sex"], sensitive=[])
    sizes = Counter(people.values())
    assert by_place.alike.sizes.k == min(sizes.values())
    assert by_place.alike.sizes.uniques == sum(size == 1 for size in sizes.values())
    assert by_place.alike.sizes.classes == len(sizes)


def test_counted_by_rows_the_risk_looks_smaller(stays) -> None:
    people, rows = (
        audit(stays, quasi=["zip", "sex"], sensitive=[], unit=unit) for unit in ("patient_id", "row")
    )
    assert rows.unique_share < people.unique_share


def test_k_l_and_t_by_hand() -> None:
    table = small(town=["a", "a", "a", "b", "b", "b"], sex=["F"] * 6, secret=["x", "x", "y", "x", "x", "x"])
    assert table.alike.sizes.k == 3
    diversity = table.diversity["secret"]
    assert diversity.distinct_l == 1
    assert diversity.single_valued_rows == 3
    assert diversity.t_equal == pytest.approx(1 / 6)
    assert diversity.entropy_l == pytest.approx(1.0)


def test_roles_of_the_table_count(stays) -> None:
    table = open_table(stays, roles={"ward": "quasi", "zip": "sensitive"}, unit=pv.Person("patient_id"))
    told = audit(table)
    assert "ward" in told.quasi
    assert "zip" in told.sensitive
    assert told.unit.origin == "stated"


# --- laws --------------------------------------------------------------------------------------


def random_table(seed: int, rows: int = 60) -> pa.Table:
    draw = np.random.default_rng(seed)
    return pa.table(
        {name: draw.integers(0, top, rows) for name, top in (("a", 4), ("b", 6), ("c", 3), ("s", 4))}
    )


@pytest.mark.parametrize("seed", range(3))
def test_shuffling_rows_changes_nothing(seed: int) -> None:
    table = random_table(seed)
    order = np.random.default_rng(seed + 100).permutation(len(table))
    first, second = (
        audit(one, quasi=["a", "b", "c"], sensitive=["s"], unit="row").to_json()
        for one in (table, table.take(pa.array(order)))
    )
    assert first == second


@pytest.mark.parametrize("seed", range(3))
def test_doubling_the_table_doubles_the_classes(seed: int) -> None:
    table = random_table(seed)
    once, twice = (
        audit(one, quasi=["a", "b", "c"], sensitive=["s"], unit="row")
        for one in (table, pa.concat_tables([table, table]))
    )
    assert (twice.alike.sizes.sizes == 2 * once.alike.sizes.sizes).all()
    assert (twice.alike.sizes.numbers == once.alike.sizes.numbers).all()
    assert twice.diversity["s"].t_equal == pytest.approx(once.diversity["s"].t_equal)


@pytest.mark.parametrize("seed", range(3))
def test_another_quasi_identifier_never_lowers_the_risk(seed: int) -> None:
    table = random_table(seed)
    told = [audit(table, quasi=list(names), sensitive=[], unit="row") for names in ("a", "ab", "abc")]
    risks = [one.alike.prosecutor.mean for one in told]
    uniques = [one.alike.sizes.uniques for one in told]
    assert risks == sorted(risks)
    assert uniques == sorted(uniques)


# --- bad input ---------------------------------------------------------------------------------


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(NothingToAudit, match="no rows"):
        audit(pa.table({"a": pa.array([], pa.int64())}))


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"age": [41], "zip": ["12345"]}),
        pa.table({"age": [41, 41, 30]}),
        pa.table({"age": pa.array([None, None], pa.int64()), "zip": pa.array([None, None], pa.string())}),
        pa.table({"age": [1, 2], "things": [[1, 2], [3]]}),
        pa.table(
            {"day": ["2020-01-02", "02.01.2020", "1/2/2020", "Jan 2, 2020", "20200102"], "n": [1, 2, 3, 4, 5]}
        ),
        pa.table({"mixed": ["1", "a", None, "2020-01-01", "3.5"], "b": [True, False, None, True, True]}),
        pa.table({"x": [float("nan"), float("inf"), 1.0, None]}),
    ],
    ids=["one row", "one column", "all missing", "lists", "five formats of dates", "mixed", "not a number"],
)
def test_odd_tables_give_a_result(table) -> None:
    told = audit(table)
    assert told.people == table.num_rows
    assert json.dumps(told.to_json(), allow_nan=False)
    assert str(told)


def test_very_long_text_is_left_alone() -> None:
    told = audit(pa.table({"age": [1, 2, 3], "story": ["word " * 2_000_000, "short text of a person", None]}))
    assert told.columns["story"].role == "free text"
    assert told.quasi == ("age",)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"quasi": ["zap"]}, "no column 'zap'"),
        ({"sensitive": ["zap"]}, "no column 'zap'"),
        ({"unit": "zap"}, "no column 'zap'"),
        ({"quasi": ["zip"], "sensitive": ["zip"]}, "both known"),
        ({"quasi": ["patient_id"], "unit": "patient_id"}, "whose rows"),
        ({"fraction": 0.0}, "fraction"),
        ({"truth": pa.table({"x": [1]})}, "auxiliary"),
    ],
)
def test_what_does_not_fit_is_refused(stays, asked, said) -> None:
    with pytest.raises(BadAudit, match=said):
        audit(stays, **asked)


def test_progress_is_told_as_often_as_announced(stays) -> None:
    from privet.audits._audit import STAGES

    said: list[str] = []
    audit(stays, progress=said.append)
    assert len(said) == STAGES


@pytest.mark.real_data(twin="test_k_l_and_t_by_hand")
def test_golden_figures_of_adult() -> None:
    table = open_table(real_data("adult") / "adult.csv", delimiter=";")
    told = audit(table, quasi=list(table.columns), sensitive=[], unit="row", fraction=0.1).to_json()
    assert told["classes"]["number"] == 19_502
    assert told["sample_uniques"] == 15_512
    assert told["risk"]["marketer"] == pytest.approx(0.6465751607983555, abs=1e-15)
    assert told["risk"]["prosecutor"]["share_above"]["0.2"] == pytest.approx(0.7781314236, abs=1e-10)
    estimates = told["population_uniqueness"][0]
    assert estimates["pitman"]["share"] == pytest.approx(0.2768499388, abs=1e-9)
    assert estimates["zayatz"]["share"] == pytest.approx(0.3207402393, abs=1e-9)
    assert estimates["snb"]["share"] == pytest.approx(0.24998, abs=1e-5)
    assert told["suda"]["minimal_uniques_by_size"] == [2, 1204, 14890, 26029, 15983, 4172, 498, 31, 0]
    assert told["suda"]["highest_score"] == 40_326
    singles = {tuple(one["columns"]): one for one in told["quasi_identifier_sets"]["sets"]}
    assert singles["age",]["separation"] == pytest.approx(0.9781172561, abs=1e-10)
    assert singles["age",]["distinction"] == pytest.approx(0.0023871096, abs=1e-10)
    assert told["quasi_identifier_sets"]["unique_column_combinations"]["sets"] == []
