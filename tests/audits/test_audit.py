"""The audit as a whole: what it decides, measures and refuses, against counting by hand."""

import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from tests.audits import twins
from tests.real_data import real_data

import privet as pv
from privet import examples
from privet.audits import _column_choice as choosing
from privet.audits import audit
from privet.audits._advice import AVAILABLE
from privet.audits._public_audit import one_digit, whole_percent
from privet.errors import BadAudit, BadUsage, NothingToAudit
from privet.source import open_table

KEYS = {
    "columns", "classes", "sample_uniques", "risk", "k", "l", "t", "population_uniqueness", "suda",
    "quasi_identifier_sets", "linkage", "advice",
}  # fmt: skip


@pytest.fixture(scope="module")
def stays():
    return examples.hospital(300, 7)


@pytest.fixture(scope="module")
def found(stays):
    return audit(stays, quasi=["zip", "sex", "ward"], sensitive=["diagnosis"], source="patients.csv")


def small(**columns):
    return audit(
        pa.table(columns), quasi=[n for n in columns if n != "secret"], sensitive=["secret"], unit="row"
    )


def test_the_verb_is_public(stays) -> None:
    import privet.audits  # noqa: F401  loading the room does not hide the verb

    assert pv.audit is audit


def test_json_has_the_keys_and_is_json(found) -> None:
    data = found.to_json()
    assert set(data) >= KEYS
    assert json.loads(json.dumps(data, allow_nan=False)) is not None
    assert set(data["risk"]) >= {"prosecutor", "journalist", "marketer"}
    assert set(data["l"]["diagnosis"]) >= {"distinct", "entropy", "recursive_c"}
    for column in data["columns"].values():
        assert set(column) >= {"role", "category", "evidence"}


@pytest.mark.parametrize("how", ["opened", "unit", "text", "sequence"])
def test_people_who_are_numbered_anew_in_each_centre(how: str) -> None:
    table = twins.centres()
    both = pv.Person("center,id", max_rows=4)
    said = {"unit": both, "text": "center,id", "sequence": ["center", "id"]}
    told = audit(open_table(table, unit=both)) if how == "opened" else audit(table, unit=said[how])
    assert (told.people, told.unit.kind, told.unit.option) == (112, "person", "center,id")
    assert "center,id" not in told.quasi
    commands = [step.command for step in told.advice if step.command]
    assert any("--unit center,id" in command for command in commands)
    assert all("--columns id " in command for command in commands if " suppress " in command)


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


def test_the_user_s_word_wins(stays) -> None:
    told = audit(stays, roles={"zip": "insensitive", "days": "quasi"}, sensitive=["ward"])
    assert told.columns["zip"].role == "insensitive"
    assert "zip" not in told.quasi
    assert "days" in told.quasi
    assert told.sensitive == ("ward",)
    assert told.columns["ward"].role == "sensitive"


def test_roles_of_the_table_count(stays) -> None:
    table = open_table(stays, roles={"ward": "quasi", "zip": "sensitive"}, unit=pv.Person("patient_id"))
    told = audit(table)
    assert "ward" in told.quasi
    assert "zip" in told.sensitive
    assert told.unit.origin == "stated"


def test_nothing_recognised_means_that_everything_counts_as_known() -> None:
    told = audit(pa.table({"q1": [1, 2, 3, 3], "q2": [5, 5, 6, 6]}))
    assert told.quasi == ("q1", "q2")
    assert "every other column counts as known" in told.quasi_origin


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


# --- missing values, populations, weights ------------------------------------------------------


def test_missing_values_are_shown_under_all_three_meanings() -> None:
    table = pa.table({"a": [2, 3, None, 2, 1, None, 1, 2]})
    told = {
        meaning: audit(table, quasi=["a"], sensitive=[], unit="row", missing=meaning)
        for meaning in ("own value", "wildcard", "ignored")
    }
    effects = told["own value"].to_json()["missing"]["effects"]
    assert {name: one["k"] for name, one in effects.items()} == {"own value": 1, "wildcard": 3, "ignored": 1}
    assert effects["ignored"]["left_out"] == 2
    assert told["wildcard"].alike.sizes.k == 3
    assert sorted(told["wildcard"].alike.of_each.tolist()) == [3, 4, 5, 8]
    assert told["wildcard"].to_json()["classes"]["overlapping"]
    with pytest.raises(BadUsage, match="missing is one of"):
        audit(table, quasi=["a"], missing="nothing")


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


def test_survey_weights_give_the_individual_risk() -> None:
    frequency, total = 1, 45.5
    table = pa.table({"town": ["a", "b", "b"], "w": [total, 50.0, 50.0]})
    told = audit(table, quasi=["town"], sensitive=[], unit="row", weights="w")
    share = frequency / total
    assert told.survey is not None
    assert told.survey.highest == pytest.approx(share / (1 - share) * np.log(1 / share))
    with pytest.raises(BadAudit, match="survey weights"):
        audit(table, quasi=["town"], unit="row", weights="town") if False else audit(
            pa.table({"town": ["a"], "w": [0.5]}), quasi=["town"], unit="row", weights="w"
        )


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


def test_only_identifiers_leave_nothing_to_compare() -> None:
    table = pa.table({"email": [f"p{n}@example.org" for n in range(50)]})
    with pytest.raises(NothingToAudit, match="no column is left"):
        audit(table)


def test_a_thousand_columns() -> None:
    draw = np.random.default_rng(0)
    told = audit(pa.table({f"c{n}": draw.integers(0, 5, 40) for n in range(1000)}))
    assert len(told.columns) == 1000
    assert len(told.left_out) == 1000 - choosing.MOST_COLUMNS
    assert told.to_json()["not_compared"]


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


# --- advice and what others see ----------------------------------------------------------------


def test_advice_is_in_order_and_names_commands_that_exist(found) -> None:
    from privet.app._cli import app
    from privet.app._command_group import SUMMARIES

    groups = {group.name for group in app.registered_groups}
    known = {command.name for command in app.registered_commands} | groups | set(SUMMARIES)
    steps = [step.step for step in found.advice]
    assert steps[1].startswith("Leave out patient_id, name")
    assert any("note" in step for step in steps)
    verbs = {step.command.split()[1] for step in found.advice if step.command}
    assert verbs <= AVAILABLE <= known
    assert {"suppress", "anonymize", "query"} <= verbs


def test_no_advice_to_coarsen_where_everybody_has_company() -> None:
    told = small(town=["a"] * 20 + ["b"] * 20, secret=[n % 4 for n in range(40)])
    assert not any("coarser" in step.step for step in told.advice)


def test_columns_that_nobody_named_are_pointed_out() -> None:
    table = pa.table({"sex": ["F", "M"] * 20, "q7": list(range(40))})
    told = audit(table, quasi=["sex"], sensitive=[], unit="row", roles={"q7": "insensitive"})
    assert any("could know q7" in step.step for step in told.advice)


def test_the_owner_may_look_at_the_most_exposed(found) -> None:
    records = found.most_exposed(3)
    assert 0 < len(records) <= 3
    assert set(records[0]["values"]) == {"zip", "sex", "ward"}


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
