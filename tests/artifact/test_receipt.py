"""Receipts: stable records that say where in the chain they stand."""

from dataclasses import replace

import pytest

from privet.artifact import Receipt
from privet.artifact._receipt import FORGETS, SCHEMA, with_note
from privet.errors import UnknownRecord

RECEIPT = Receipt(
    ledger="a" * 64, entry=2, head="b" * 64, at="2026-03-04T12:00:00.000000Z", event={"kind": "laplace"}, promise=None,
    unit={"unit": "row"}, accounting="pure", composition="adaptive filter", cost={"epsilon": "0.1"},
    remaining={"epsilon": "0.9"}, why="a count",
)  # fmt: skip


def test_a_record_gives_the_receipt_back():
    record = RECEIPT.to_json()
    assert record["schema"] == SCHEMA == 1
    assert record["purpose"] is record["analyst"] is record["data"] is record["grid"] is None
    assert Receipt.from_json(record) == RECEIPT
    assert "schema" in record


@pytest.mark.parametrize(
    "changed",
    [{"schema": 2}, {"schema": None}, {"colour": "red"}],
)
def test_other_versions_and_fields_are_refused(changed):
    with pytest.raises(UnknownRecord):
        Receipt.from_json({**RECEIPT.to_json(), **changed})


@pytest.mark.parametrize("field", ["schema", "ledger", "entry", "head", "cost", "remaining", "why"])
def test_a_receipt_that_lacks_a_field_is_refused(field):
    record = RECEIPT.to_json()
    del record[field]
    with pytest.raises(UnknownRecord):
        Receipt.from_json(record)


def test_a_book_in_memory_is_said_once():
    fleeting = replace(RECEIPT, ledger="in-memory:" + "a" * 64)
    assert RECEIPT.note == ""
    assert fleeting.note == FORGETS
    assert with_note(("one",), RECEIPT) == ("one",)
    assert with_note(("one",), None) == ("one",)
    assert with_note(("one",), fleeting) == ("one", FORGETS)
    assert with_note(("one", FORGETS), fleeting) == ("one", FORGETS)
