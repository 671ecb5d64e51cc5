"""Linkage by splink: it gets codes, finds whom they single out, and leaves nothing behind."""

import ibis
import numpy as np
import pyarrow as pa
import pytest

from privet.engine import splink_linkage
from privet.engine._relation import Relation
from privet.errors import MissingExtra


@pytest.fixture
def relation():
    connection = ibis.duckdb.connect()
    return Relation(connection.create_table("stays", pa.table({"a": [1]})), "duckdb")


def test_without_splink_the_extra_is_named(relation, monkeypatch):
    monkeypatch.setattr(splink_linkage, "find_spec", lambda _: None)
    assert not splink_linkage.available()
    codes = np.zeros((1, 1), np.int32)
    with pytest.raises(MissingExtra, match="splink"):
        splink_linkage.linked(relation, codes, codes, [(0,)], least=0.5)


def test_codes_are_numbered_rows_with_missing_ones_missing():
    table = splink_linkage._arrow(np.array([[3, -1], [0, 2]], np.int32), ["c0", "c1"])
    assert table.to_pylist() == [
        {"unique_id": 0, "c0": 3, "c1": None},
        {"unique_id": 1, "c0": 0, "c1": 2},
    ]


@pytest.mark.skipif(not splink_linkage.available(), reason="splink is an extra")
def test_people_are_found_and_no_table_stays(relation):
    codes = np.stack([np.arange(40), np.arange(40) % 8, np.arange(40) % 5], axis=1).astype(np.int32)
    left, right, chance = splink_linkage.linked(relation, codes, codes, [(0,), (1, 2)], least=0.5)
    found = {(int(a), int(b)) for a, b, p in zip(left, right, chance, strict=True) if p >= 0.5}
    assert {(at, at) for at in range(40)} <= found
    assert relation.table.get_backend().list_tables() == ["stays"]
