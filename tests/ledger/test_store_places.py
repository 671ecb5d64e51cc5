"""Which store a place names, and how long it waits."""

import pytest

from privet.errors import BadBooking
from privet.ledger._postgres_store import PostgresStore
from privet.ledger._sqlite_store import SqliteStore
from privet.ledger._store_places import LONGEST, open_store


def test_an_address_is_postgresql_and_anything_else_a_file(tmp_path):
    for scheme in ("postgresql", "postgres"):
        store = open_store(f"{scheme}://nobody@localhost:1/none#book", timeout=1)
        assert isinstance(store, PostgresStore)
    file = open_store(str(tmp_path / "postgresql.ledger"), timeout=1)
    assert isinstance(file, SqliteStore)
    assert not file.exists()


@pytest.mark.parametrize("timeout", [-1, LONGEST + 1, float("nan"), float("inf")])
def test_patience_is_at_most_a_day(tmp_path, timeout):
    with pytest.raises(BadBooking):
        open_store(str(tmp_path / "a.ledger"), timeout=timeout)


@pytest.mark.parametrize("timeout", [0, 24 * 60 * 60])
def test_no_patience_and_a_day_are_allowed(tmp_path, timeout):
    assert open_store(str(tmp_path / "a.ledger"), timeout=timeout)
