"""Connections that several threads use: who waits for whom, what a stream survives, and what stays behind."""

import copy
import os
import pickle
import subprocess
import sys
import threading

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from privet.engine import _engine_results as running
from privet.engine._connections import alone
from privet.engine._engine_results import fetch, stream
from privet.engine._open_relation import open_anything, open_frame
from privet.engine._owner_only import number_of_rows
from privet.engine._public_joins import join_public
from privet.errors import AnotherProcess, MalformedSource

ROWS = 50
PEOPLE = pa.table({"id": list(range(ROWS)), "ward": ["a", "b"] * (ROWS // 2)})
WARDS = pa.table({"ward": ["a", "b"], "floor": [1, 2]})


def in_thread(work):
    """Start work in another thread, and say whether it is done within a moment."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(0.5)
    return thread


@pytest.fixture(params=["frame", "parquet", "csv", "caller's", "postgres"])
def people(request, tmp_path, monkeypatch):
    """A table on a connection of ours, of the caller's and of PostgreSQL, in small batches."""
    monkeypatch.setattr(running, "_BATCH", 7)
    if request.param == "frame":
        return open_frame(PEOPLE)
    if request.param == "caller's":
        import ibis

        return open_anything(ibis.duckdb.connect().create_table("people", PEOPLE)).relation
    if request.param == "postgres":
        from tests.conftest import Engine

        return Engine("postgres", request.getfixturevalue("postgres_backend")).load(PEOPLE)
    path = tmp_path / f"people.{request.param}"
    {"parquet": parquet.write_table, "csv": csv.write_csv}[request.param](PEOPLE, path)
    return open_anything(path).relation


def test_a_stream_is_whole_though_questions_come_in_between(people):
    joined = join_public(people, WARDS, ["ward"])
    found, other = [], stream(joined.table)
    for at, batch in enumerate(stream(joined.table)):
        found.append(batch)
        assert number_of_rows(joined) == ROWS
        if at == 1:
            assert next(other).num_rows > 0
    whole = pa.Table.from_batches(found).sort_by("id")
    assert whole["id"].to_pylist() == list(range(ROWS))
    assert whole["floor"].to_pylist() == [1, 2] * (ROWS // 2)
    assert sum(batch.num_rows for batch in other) < ROWS  # it went on where it was


def test_a_stream_that_is_given_up_holds_nothing(people):
    begun = stream(people.table)
    next(begun)
    del begun
    done = threading.Event()
    in_thread(lambda: number_of_rows(people) == ROWS and done.set())
    assert done.wait(120)


def test_a_cursor_that_is_given_up_is_closed_by_the_next_who_asks(postgres_backend, monkeypatch):
    from tests.conftest import Engine

    monkeypatch.setattr(running, "_BATCH", 7)
    relation = Engine("postgres", postgres_backend).load(PEOPLE)
    begun = stream(relation.table)
    next(begun)

    def open_cursors():
        with postgres_backend.con.cursor() as cursor:
            return cursor.execute("SELECT count(*) FROM pg_cursors WHERE is_holdable").fetchone()[0]

    assert open_cursors() == 1
    begun.close()
    assert number_of_rows(relation) == ROWS
    assert open_cursors() == 0
    assert sum(batch.num_rows for batch in stream(relation.table)) == ROWS
    assert open_cursors() == 0


def test_one_thread_at_a_time_and_again_inside():
    relation, done = open_frame(PEOPLE), threading.Event()
    with alone(relation.table.get_backend()):
        assert number_of_rows(relation) == ROWS
        waiting = in_thread(lambda: number_of_rows(relation) == ROWS and done.set())
        assert waiting.is_alive()
    assert done.wait(120)


def test_other_tables_do_not_wait():
    held, other, done = open_frame(PEOPLE), open_frame(PEOPLE), threading.Event()
    with alone(held.table.get_backend()):
        in_thread(lambda: number_of_rows(other) == ROWS and done.set())
        assert done.wait(120)


def test_two_backends_over_one_connection_wait_for_each_other():
    import duckdb
    import ibis

    connection, done = duckdb.connect(), threading.Event()
    connection.execute("CREATE TABLE people (id INTEGER)")
    one, other = (ibis.duckdb.from_connection(connection) for _ in range(2))
    relation = open_anything(other.table("people")).relation
    with alone(one):
        assert in_thread(lambda: number_of_rows(relation) == 0 and done.set()).is_alive()
    assert done.wait(120)


def test_public_tables_do_not_pile_up():
    relation = open_frame(PEOPLE)
    connection = relation.table.get_backend().con

    def views():
        return connection.execute(
            "SELECT count(*) FROM duckdb_views() WHERE temporary AND NOT internal"
        ).fetchone()

    before = views()
    joined = join_public(relation, WARDS, ["ward"])
    for _ in range(3):
        assert number_of_rows(joined) == ROWS
        assert sum(batch.num_rows for batch in stream(joined.table)) == ROWS
    assert views() == before


def test_an_engine_that_fails_is_free_for_the_next():
    relation, done = open_frame(pa.table({"text": ["1", "x"]})), threading.Event()
    broken = relation.table.select(number=relation.table["text"].cast("int64"))
    for _ in range(2):
        with pytest.raises(MalformedSource):
            fetch(broken, "duckdb")
        with pytest.raises(MalformedSource):
            list(stream(broken))
    in_thread(lambda: number_of_rows(relation) == 2 and done.set())
    assert done.wait(120)


CLOCK = """
import datetime
import pyarrow as pa
from privet.engine._open_relation import open_frame
from privet.engine._engine_results import fetch, stream

moment = datetime.datetime(2026, 1, 1, 23, 30, tzinfo=datetime.UTC)
relation = open_frame(pa.table({"at": pa.array([moment], pa.timestamp("us", "UTC"))}))
hour = relation.table.select(hour=relation.table["at"].hour(), text=relation.table["at"].cast("string"))
print(pa.Table.from_batches(stream(hour)).to_pylist() == fetch(hour, "duckdb").to_pylist())
print(fetch(hour, "duckdb")["hour"].to_pylist())
"""


def test_streams_see_the_same_clock():
    """A second conversation has the settings of the first, wherever the machine stands."""
    told = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CLOCK],
        env={**os.environ, "TZ": "Asia/Tokyo"},
        capture_output=True,
        text=True,
        timeout=200,
        check=True,
    )
    assert told.stdout.split() == ["True", "[23]"]


@pytest.mark.parametrize("hand_over", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_table_is_not_handed_to_another_process(hand_over):
    import ibis

    for relation in (
        open_frame(PEOPLE),
        open_anything(ibis.duckdb.connect().create_table("p", PEOPLE)).relation,
    ):
        with pytest.raises(AnotherProcess, match="E-ENGINE-008"):
            hand_over(relation)
