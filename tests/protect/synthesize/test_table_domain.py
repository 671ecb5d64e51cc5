"""What becomes of columns: modelled, bought, surrogate or left out; and nothing that was read off the data."""

import dataclasses

import pytest
from tests.protect.synthesize.people import table

import privet as pv
from privet.errors import BadSynthesis, NotPublic
from privet.protect.synthesize._table_domain import table_domain
from privet.protect.train.tabular import Schema, schema_of
from privet.source import Origin


def test_columns_are_sorted_by_what_is_stated_of_them() -> None:
    found = table_domain(table())
    assert list(found.known) == ["ward", "age", "seen", "weight", "back"]
    assert list(found.surrogates) == ["person", "name"]
    assert found.left_out == ("note",)
    assert not found.unknown
    assert found.known["age"].size == 101
    assert found.known["back"].origin == "the column's type"


def test_what_nobody_states_has_to_be_bought() -> None:
    found = table_domain(table(keys={}, bounds={"age": (0, 99)}))
    assert list(found.unknown) == ["ward", "seen", "weight"]


def test_facts_read_off_the_data_are_refused_until_somebody_answers_for_them() -> None:
    bare = table()
    read = pv.KeySet.read_off(bare, "ward")
    with pytest.raises(NotPublic, match="ward"):
        table_domain(dataclasses.replace(bare, keys={("ward",): read}))
    table_domain(dataclasses.replace(bare, keys={("ward",): read.confirmed("on the hospital's page")}))
    bounds = pv.Bounds(0, 99, Origin.DATA)
    with pytest.raises(NotPublic, match="age"):
        table_domain(dataclasses.replace(bare, bounds={"age": bounds}))


def test_a_schema_says_all_and_columns_it_does_not_name_are_left_out() -> None:
    schema = schema_of(
        {
            "age": {"kind": "number", "lower": 0, "upper": 50},
            "ward": {"kind": "category", "values": ["icu", "eye"]},
        },
        table(),
    )
    assert isinstance(schema, Schema)
    found = table_domain(table(), schema=schema)
    assert set(found.known) == {"age", "ward"}
    assert found.known["ward"].values == ("icu", "eye")
    assert found.known["age"].size == 52
    assert "weight" in found.left_out


def test_bins_and_columns_can_be_chosen() -> None:
    found = table_domain(table(), columns=["age", "weight"], bins={"age": 10, "weight": [0, 50, 100, 200]})
    assert {name: one.bins for name, one in found.known.items()} == {"age": 10, "weight": 3}
    for wrong in (
        {"columns": ["aged"]},
        {"bins": {"aged": 3}},
        {"bins": {"ward": [1, 2]}},
        {"columns": ["name"]},
    ):
        with pytest.raises(BadSynthesis):
            table_domain(table(), **wrong)
