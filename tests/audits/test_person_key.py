"""The column that says whose rows they are is found by the data, whatever it is called; and what is none, is not."""

import json

import numpy as np
import pyarrow as pa
import pytest
from tests.audits import twins
from tests.audits.real_tables import labels, read

import privet as pv
from privet.audits import propose
from privet.audits._person_key import ASK, PROPOSED

NAMES = (
    "id", "pid", "patient_id", "subj", "Subject", "nr", "hid", "person", "mrn", "nhs_no", "kundennr", "Fallnummer",
    "患者番号", "case_no", "x1",
)  # fmt: skip


def keys(table: pa.Table):
    return propose(pv.open_table(table)).keys


def best(table: pa.Table):
    return next(iter(keys(table).repeated), None)


@pytest.fixture(scope="module")
def cgd() -> pa.Table | None:
    return read(next(label for label in labels() if label.table == "survival/cgd"))


@pytest.mark.parametrize("name", NAMES)
def test_fifteen_usual_names_on_a_table_of_visits(name: str) -> None:
    found = best(twins.visits(key=name))
    assert found is not None
    assert found.columns == (name,)
    assert found.score >= ASK
    assert found.kind in ("person", "household")


def shuffled(table: pa.Table, seed: int = 4) -> pa.Table:
    return table.take(pa.array(np.random.default_rng(seed).permutation(len(table))))


def test_fifteen_usual_names_on_a_real_table(cgd: pa.Table | None) -> None:
    if cgd is None:
        pytest.skip("the extra privet[realdata] is not installed")
    mixed = shuffled(cgd)
    for name in NAMES:
        renamed = mixed.rename_columns([name if column == "id" else column for column in cgd.column_names])
        proposal = propose(pv.open_table(renamed))
        assert proposal.keys.candidates[0].columns == (name,), name
        assert proposal.keys.candidates[0].confidence == "proposed"
        assert proposal.columns[name].role == "direct", name


def test_a_real_table_without_any_heading_and_in_any_order(cgd: pa.Table | None) -> None:
    if cgd is None:
        pytest.skip("the extra privet[realdata] is not installed")
    names = {name: f"c{at}" for at, name in enumerate(cgd.column_names, start=1)}
    blind = cgd.rename_columns(list(names.values()))
    for seed in range(3):
        proposal = propose(pv.open_table(shuffled(blind, seed)))
        assert proposal.keys.candidates[0].columns == (names["id"],)
        assert proposal.columns[names["id"]].role == "direct"


def test_a_made_up_table_without_any_heading_and_in_any_order() -> None:
    table = twins.visits()
    blind = table.rename_columns([f"c{at}" for at in range(1, len(table.column_names) + 1)])
    for seed in range(3):
        proposal = propose(pv.open_table(shuffled(blind, seed)))
        assert proposal.keys.candidates[0].columns == ("c1",)
        assert proposal.columns["c1"].role == "direct"


def test_evidence_is_a_sentence_of_what_was_counted() -> None:
    table = twins.visits()
    found = best(table)
    several = sum(count > 1 for count in table["id"].value_counts().field("counts").to_pylist())
    said = found.sentence()
    assert said.startswith(f"id: 120 values over {len(table)} rows")
    assert "'sex'" in said
    assert "'arm'" in said
    assert f"constant within {several} of the {several} values with several rows" in said
    assert "(id, visit) is unique" in said
    assert "its name speaks of a person" in said
    assert not found.one_row_each
    assert json.dumps(found.to_json())


def test_a_panel_without_names_is_found_in_any_order() -> None:
    table = twins.panel()
    blind = table.rename_columns([f"x{at}" for at in range(len(table.column_names))])
    found = best(blind)
    assert found.columns == ("x0",)
    assert found.score >= PROPOSED
    other = best(blind.take(pa.array(np.random.default_rng(9).permutation(len(blind)))))
    assert (other.columns, other.score, other.evidence) == (found.columns, found.score, found.evidence)


def test_numbers_that_start_anew_in_each_centre_need_the_centre() -> None:
    found = best(twins.centres())
    assert found.columns == ("center", "id")
    assert found.confidence == "proposed"
    assert found.values == 112
    assert "(center, id, visit) is unique" in found.sentence()


def test_a_household_is_not_a_person() -> None:
    found = best(twins.households())
    assert (found.columns, found.kind) == (("family",), "household")
    assert "'sex' differs" in found.sentence()


def test_an_interviewer_is_never_proposed_as_the_person_asked() -> None:
    assert keys(twins.interviewers()).proposed is None


def test_a_class_is_never_proposed_as_a_person() -> None:
    found = keys(twins.classes())
    assert found.proposed is None
    assert all(key.kind == "group" for key in found.repeated)


def test_rows_in_blocks_without_a_key_are_noticed() -> None:
    found = keys(twins.without_key())
    assert found.repeated == ()
    assert found.unkeyed is not None
    assert "a multiple of 7 rows" in found.unkeyed


def test_one_row_for_each_person_asks_nothing() -> None:
    found = keys(twins.survey())
    assert found.repeated == ()
    assert found.unkeyed is None


def test_people_numbered_anew_each_year_are_not_one_person() -> None:
    found = keys(twins.waves())
    assert found.repeated == ()


def test_a_number_that_never_repeats_says_one_row_each() -> None:
    table = twins.survey().append_column("patient_id", pa.array(range(1000, 1600)))
    found = keys(table)
    assert found.repeated == ()
    (only,) = found.candidates
    assert only.one_row_each
    assert only.columns == ("patient_id",)


def test_keys_with_gaps_and_of_floating_point_are_found() -> None:
    table = twins.visits()
    numbers = [None if at % 25 == 0 else float(value) for at, value in enumerate(table["id"].to_pylist())]
    found = best(table.set_column(0, "id", pa.array(numbers, pa.float64())))
    assert found.columns == ("id",)


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_tiny_tables_have_no_key(rows: int) -> None:
    assert keys(twins.visits().slice(0, rows)).repeated == ()


def test_a_large_table_is_looked_at_in_samples_of_whole_people_and_says_so() -> None:
    table = twins.visits(people=15_000)
    assert len(table) > 40_000
    found = keys(table)
    assert found.sampled is not None
    assert "keyed hash" in found.sampled
    assert found.proposed.columns == ("id",)
    assert found.proposed.rows == len(table)
    mixed = keys(table.take(pa.array(np.random.default_rng(3).permutation(len(table)))))
    assert mixed.proposed.evidence == found.proposed.evidence, "who is looked at does not depend on the order"


def test_a_thousand_columns() -> None:
    table = twins.visits()
    draw = np.random.default_rng(5)
    for at in range(990):
        table = table.append_column(f"q{at}", pa.array(draw.integers(0, 7, len(table))))
    assert best(table).columns == ("id",)
