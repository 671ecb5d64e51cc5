"""Rows set aside: found again by their places, a block at a time, and gone with their file."""

import os
import stat

import numpy as np
import pyarrow as pa
import pytest

from privet.engine._row_store import BLOCK, RowStore
from privet.engine._spill_folder import spill_folder
from privet.errors import FileProblem, UnsafePath

SCHEMA = pa.schema([("n", pa.int64()), ("t", pa.string())])


def batches(*sizes):
    start = 0
    for size in sizes:
        numbers = list(range(start, start + size))
        texts = [None if n % 7 == 0 else f"é{n}" for n in numbers]
        yield pa.record_batch([pa.array(numbers, pa.int64()), pa.array(texts)], schema=SCHEMA)
        start += size


@pytest.mark.parametrize("sizes", [(1,), (BLOCK,), (BLOCK + 1,), (3, 0, 700, 1, 2 * BLOCK), (100,) * 20])
def test_rows_are_found_by_their_places_however_they_came(sizes):
    store = RowStore.written(batches(*sizes), SCHEMA, None)
    assert store.size == sum(sizes)
    whole = pa.Table.from_batches(store.batches())
    assert whole.column("n").to_pylist() == list(range(store.size))
    places = np.unique(np.random.default_rng(0).integers(0, store.size, 40))
    found = store.at(places)
    assert found.column("n").to_pylist() == places.tolist()
    assert found.column("t").to_pylist() == [None if n % 7 == 0 else f"é{n}" for n in places.tolist()]
    assert store.at(np.zeros(0, np.int64)).num_rows == 0


def test_only_blocks_that_hold_a_wanted_row_are_read(monkeypatch):
    store = RowStore.written(batches(40 * BLOCK), SCHEMA, None)
    read = []
    block = RowStore._block
    monkeypatch.setattr(RowStore, "_block", lambda self, number: read.append(number) or block(self, number))
    store.at(np.array([3, 5, 7 * BLOCK, 39 * BLOCK + 9]))
    assert read == [0, 7, 39]


def test_without_a_place_no_file_is_left(tmp_path):
    before = set(spill_folder().iterdir())
    store = RowStore.written(batches(10), SCHEMA, None)
    assert set(spill_folder().iterdir()) == before
    assert store.at(np.array([9])).column("n").to_pylist() == [9], "and it can still be read"


def test_at_a_place_it_is_its_owners_and_can_be_opened_again(tmp_path):
    place = tmp_path / "run" / "rows.arrow"
    store = RowStore.written(batches(300, 5), SCHEMA, place)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    again = RowStore.opened(place)
    assert again.size == 305
    assert again.digest() == store.digest()
    assert RowStore.opened(place, lambda digest: digest == store.digest()).size == 305
    with pytest.raises(FileProblem, match="not those that were set aside"):
        RowStore.opened(place, lambda digest: digest != store.digest())
    other = RowStore.written(batches(300, 6), SCHEMA, tmp_path / "other.arrow")
    assert other.digest() != store.digest()


def test_rows_in_pieces_have_the_digest_of_rows_at_once():
    assert (
        RowStore.written(batches(100, 500), SCHEMA, None).digest()
        == RowStore.written(batches(600), SCHEMA, None).digest()
    )


def test_no_rows_at_all():
    store = RowStore.written(iter(()), SCHEMA, None)
    assert store.size == 0
    assert list(store.batches()) == [] or all(batch.num_rows == 0 for batch in store.batches())


@pytest.mark.parametrize("content", [b"", b"something else", None])
def test_a_file_that_is_none_is_refused(tmp_path, content):
    place = tmp_path / "rows.arrow"
    if content is not None:
        place.write_bytes(content)
    with pytest.raises(FileProblem, match="set aside"):
        RowStore.opened(place)


def test_a_batch_that_fails_leaves_no_file(tmp_path):
    def failing():
        yield from batches(5)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        RowStore.written(failing(), SCHEMA, tmp_path / "rows.arrow")
    assert not (tmp_path / "rows.arrow").exists()


def test_a_link_or_a_pipe_in_its_place_is_refused_at_once(tmp_path):
    RowStore.written(batches(10), SCHEMA, tmp_path / "rows.arrow")
    (tmp_path / "link.arrow").symlink_to(tmp_path / "rows.arrow")
    os.mkfifo(tmp_path / "pipe.arrow")
    for name in ("link.arrow", "pipe.arrow"):
        with pytest.raises(UnsafePath):
            RowStore.opened(tmp_path / name)
