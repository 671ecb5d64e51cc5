"""Masks, placeholders and numbers: what is hidden, what stays readable, what is equal."""

import pyarrow as pa
from tests.protect.transform.stays import column

import privet as pv
from privet.protect.transform import (
    mask,
    numbered,
    placeholder,
)


def test_a_mask_shows_at_most_half(table: pv.Table) -> None:
    assert column(mask(table, "name", keep_first=1, keep_last=2), "name") == [
        "****", "B****ne", "****", "****", None, "B****ne",
    ]  # fmt: skip
    assert column(mask(table, "name", sign="#", same_length=True), "name")[:2] == ["###", "#########"]
    assert column(mask(table, "age", keep_last=1), "age") == [
        "****7",
        "****5",
        "****8",
        None,
        "****2",
        "****9",
    ]


def test_a_placeholder_stands_for_all(table: pv.Table) -> None:
    assert column(placeholder(table, "name", "<name>"), "name") == ["<name>"] * 4 + [None, "<name>"]
    assert column(placeholder(table, "age", "<age>"), "age")[3] is None


def test_numbers_are_consistent_padded_and_in_no_order() -> None:
    table = pv.open_table(pa.table({"name": [f"{at:03d}" for at in range(120)] * 2}))
    first = column(numbered(table, "name"), "name")
    assert first[:120] == first[120:]
    assert sorted(first[:120]) == [f"User_{at:03d}" for at in range(1, 121)]
    assert first[:120] != sorted(first[:120]), "one in 120! for an honest shuffle"
    small = pv.open_table(pa.table({"name": ["a", "b"]}))
    assert sorted(column(numbered(small, "name", "P-"), "name")) == ["P-01", "P-02"]
