"""Where reports come from: every source gives the same tallies, and bad lines cost themselves alone."""

import gzip
import json
import sqlite3
from contextlib import closing
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.app.doors import inside
from tests.protect.collect.specifications import ALL, collection, values_for

import privet as pv
from privet.engine import _reader_process, report_store
from privet.errors import BadUsage, ForeignReports, NoSuchTable, PrivetError, SourceUnreachable
from privet.protect.collect._collected import SparseCells
from privet.protect.collect._report_sources import collected_from, line_schema


def same(one, two) -> bool:
    for name, cells in one.cells.items():
        other = two.cells[name]
        if isinstance(cells, SparseCells):
            if not (
                np.array_equal(cells.places, other.places) and np.array_equal(cells.counts, other.counts)
            ):
                return False
        elif not np.array_equal(cells, other):
            return False
    return one.reports == two.reports and {k: int(v) for k, v in one.counts.items()} == two.counts


@pytest.mark.parametrize("kind", ALL)
def test_files_give_what_the_table_gives(kind: str, tmp_path) -> None:
    made = collection(kind)
    table = made.randomize(values_for(kind, 300))
    whole = collected_from(table, made)
    pq.write_table(table, tmp_path / "reports.parquet")
    assert same(whole, collected_from(tmp_path / "reports.parquet", made))
    lines = "\n".join(made.lines(table))
    (tmp_path / "reports.jsonl").write_text(lines + "\n")
    assert same(whole, collected_from(str(tmp_path / "reports.jsonl"), made))
    (tmp_path / "reports.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    assert same(whole, collected_from(tmp_path / "reports.jsonl.gz", made))


@pytest.mark.parametrize("kind", ["grr", "olh", "pem"])
def test_reports_that_are_named_twice_are_refused(tmp_path, kind: str, monkeypatch) -> None:
    """They would count double, with intervals as if twice as many people had been asked."""
    made = collection(kind)
    table, other = (made.randomize(values_for(kind, 300)) for _ in range(2))
    path = tmp_path / "reports.parquet"
    pq.write_table(table, path)
    (tmp_path / "linked.parquet").symlink_to(path)
    (tmp_path / "second.parquet").hardlink_to(path)
    monkeypatch.chdir(tmp_path)
    for again in (path, "reports.parquet", "./linked.parquet", tmp_path / "second.parquet"):
        with pytest.raises(BadUsage, match="named twice"):
            pv.estimate([path, other, again], made)
    with pytest.raises(BadUsage, match="named twice"):
        pv.estimate([table, table], made)
    if kind != "pem":
        with pytest.raises(BadUsage, match="named twice"):
            pv.estimate_change(path, [other, "reports.parquet"], made)
        with pytest.raises(BadUsage, match="named twice"):
            pv.estimate_trend({date(2026, 1, day): table for day in (1, 2)}, made)
        pv.estimate_change(path, other, made)
    pv.estimate([path, other], made)


@pytest.mark.parametrize("kind", ["grr", "olh", "pem"])
def test_several_sources_add_up(kind: str, tmp_path) -> None:
    made = collection(kind)
    table = made.randomize(values_for(kind, 300))
    pq.write_table(table.slice(100), tmp_path / "reports.parquet")
    said = []
    both = collected_from([table.slice(0, 100), tmp_path / "reports.parquet"], made, said.append)
    assert same(collected_from(table, made), both)
    assert said[-1] == "300 reports counted"


def test_bad_lines_cost_themselves_alone(tmp_path) -> None:
    made = collection("flh")
    lines = made.lines(made.randomize(values_for("flh", 200)))
    bad = [
        "{", "[]", "null", "5", '"x"', "{}", '{"collection":5}', "\x00", "[" * 5_000, lines[0][:-5], lines[0] + lines[1],
        lines[0].replace('"value":', '"value":1.5,"x":'), lines[0].replace('"hash":', '"hash":"a","x":'),
        lines[0].replace(made.fingerprint, "0" * 32), json.dumps({"collection": made.fingerprint, "hash": 1}),
        lines[0].replace('"hash":', '"hash":-5,"x":'), lines[0].replace('"hash":', '"hash":99999999999999999999,"x":'),
        "x" * 5_000_000, "\udcff".encode("utf-8", "surrogateescape").decode("latin-1"),
    ]  # fmt: skip
    mixed = [
        line
        for place, good in enumerate(lines)
        for line in ([good, bad[place]] if place < len(bad) else [good])
    ]
    (tmp_path / "r.jsonl").write_text("\n".join(mixed), encoding="latin-1")
    found = collected_from(tmp_path / "r.jsonl", made)
    assert (found.reports, found.left_out) == (200, len(bad))


def test_rows_that_do_not_fit_are_left_out_by_the_engine_too(tmp_path) -> None:
    made = collection("grr")
    table = pa.table(
        {
            "collection": [made.fingerprint] * 5 + ["other", None, made.fingerprint + "-not-private"],
            "value": pa.array([0, 1, -1, 12, None, 3, 3, 4], pa.int64()),
        }
    )
    pq.write_table(table, tmp_path / "r.parquet")
    found = collected_from(tmp_path / "r.parquet", made)
    assert (found.reports, found.left_out, found.seeded) == (3, 5, 1)
    assert found.cells[""].tolist() == [1, 1, 0, 0, 1] + [0] * 7
    for values in ([0.0, 1.0, float("nan"), 2.5], ["1", "2", "x", "99"]):
        pq.write_table(
            pa.table({"collection": [made.fingerprint] * 4, "value": values}), tmp_path / "o.parquet"
        )
        found = collected_from(tmp_path / "o.parquet", made)
        assert (found.reports, found.left_out) == (2, 2)


def test_reports_of_others_alone_are_refused(tmp_path) -> None:
    made = collection("grr")
    pq.write_table(collection("grr", 1).randomize(["v1"] * 4), tmp_path / "r.parquet")
    with pytest.raises(ForeignReports):
        pv.estimate(tmp_path / "r.parquet", made)
    with pytest.raises(ForeignReports):
        collected_from([], made)
    for odd in (5, tmp_path / "nothing.parquet", tmp_path / "nothing.jsonl", "x.docx"):
        with pytest.raises(PrivetError):
            pv.estimate(odd, made)


def test_lines_have_a_schema() -> None:
    assert line_schema(collection("olh")).names == ["collection", "seed", "value"]


@pytest.fixture
def store(postgres_backend, tmp_path):
    """Where a collector keeps reports, as `privet collect serve --store` names it."""
    connection = postgres_backend.con
    name = f"estimated_{tmp_path.name.lower().replace('-', '_')}"
    import psycopg

    # On a connection of its own: the shared one is never left in another mode, which other tests would meet.
    with psycopg.connect(host=connection.info.host, user="postgres", autocommit=True) as own:
        own.execute(f"CREATE DATABASE {name}")
    return f"postgresql://postgres@/{name}?host={connection.info.host}"


def test_a_collectors_file_is_estimated_where_it_lies_and_as_its_refusal_says(tmp_path: Path) -> None:
    made, place = collection("grr"), tmp_path / "reports.db"
    table = made.randomize(values_for("grr", 300))
    held = report_store(str(place))
    held.begin("spec")
    held.put([(f"{number:032x}", line) for number, line in enumerate(made.lines(table))], {})
    for named in (place, str(place), f"{place}#reports"):
        assert same(collected_from(named, made), collected_from(table, made))
    with pytest.raises(ForeignReports):
        collected_from(f"{place}#counts", made)
    (tmp_path / "reports.db-wal").write_bytes(b"what a collector that was stopped left")
    if not _reader_process._used():
        pytest.skip("this system has no process without rights")
    with pytest.raises(SourceUnreachable) as refused:
        collected_from(place, made)
    command = refused.value.hint.split("`")[3].replace("FILE", "reports.db").split()
    assert inside(*command[1:], cwd=tmp_path).code == 0
    assert same(collected_from(tmp_path / "reports.jsonl", made), collected_from(table, made))


def test_a_file_of_several_tables_none_of_which_is_reports_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "other.db"
    with closing(sqlite3.connect(place)) as book:
        book.execute("CREATE TABLE a (x)")
        book.execute("CREATE TABLE b (x)")
    with pytest.raises(NoSuchTable, match="2 tables"):
        collected_from(place, collection("grr"))


@pytest.mark.parametrize("kind", ["grr", "olh", "oue"])
def test_a_collectors_store_is_estimated_where_it_lies(kind: str, store: str) -> None:
    made = collection(kind)
    table = made.randomize(values_for(kind, 300))
    lines = made.lines(table)
    held = report_store(store)
    held.begin("spec")
    held.put([(f"{number:032x}", line) for number, line in enumerate([*lines, "{", "[]"])], {})
    found = collected_from(store, made)
    assert same(collected_from(table, made), found)
    assert found.left_out == 2
    assert same(found, collected_from(f"{store}#reports", made))
