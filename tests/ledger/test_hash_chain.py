"""The chain's format is fixed: other programs must be able to check a book."""

import hashlib
import json

import pytest

from privet.errors import LedgerTampered
from privet.ledger._hash_chain import GENESIS, EntryRow, Head, canonical, link, read


def test_the_hash_is_the_documented_one():
    body = canonical({"number": 1, "kind": "open", "why": "é"})
    assert body == '{"kind":"open","number":1,"why":"\\u00e9"}'
    assert link(GENESIS, body) == hashlib.sha256(("0" * 64 + body).encode()).hexdigest()


def test_read_checks_the_link_and_the_place():
    body = canonical({"number": 2, "kind": "spend", "at": "now", "cost": {"epsilon": "1"}})
    entry = read(EntryRow(2, body, link("a" * 64, body)), "a" * 64)
    assert (entry.number, entry.kind, entry.at, entry.cost) == (2, "spend", "now", {"epsilon": "1"})
    assert entry.to_json()["previous"] == "a" * 64
    with pytest.raises(LedgerTampered):
        read(EntryRow(2, body, link("a" * 64, body)), "b" * 64)
    with pytest.raises(LedgerTampered):
        read(EntryRow(3, body, link("a" * 64, body)), "a" * 64)
    with pytest.raises(LedgerTampered):
        read(EntryRow(3, "[]", link("a" * 64, "[]")), "a" * 64)


@pytest.mark.parametrize("count", ["2", -1, None, 1.5])
def test_a_doctored_count_is_tampering(count):
    with pytest.raises(LedgerTampered):
        Head.of(count, "x")
    with pytest.raises(LedgerTampered):
        EntryRow.of(count, "x", "y")


def test_not_a_number_never_gets_into_a_body():
    with pytest.raises(ValueError, match="JSON"):
        canonical({"epsilon": float("nan")})
    assert json.loads(canonical({"b": 1, "a": 2})) == {"a": 2, "b": 1}


def test_counts_are_whole_numbers_from_zero():
    assert Head.of(0, "x").count == 0
    assert EntryRow.of(1, "{}", "x").number == 1
    for wrong in (-1, "1", 1.0, None):
        with pytest.raises(LedgerTampered, match="not a whole number"):
            Head.of(wrong, "x")
        with pytest.raises(LedgerTampered, match="not a whole number"):
            EntryRow.of(wrong, "{}", "x")


def test_an_entry_of_a_hundred_thousand_brackets_is_no_entry() -> None:
    from privet.ledger._hash_chain import EntryRow, parsed

    with pytest.raises(LedgerTampered):
        parsed(EntryRow(1, "[" * 100_000, "0" * 64))
