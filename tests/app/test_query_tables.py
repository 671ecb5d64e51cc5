"""`privet query` over several tables: files, database files, and a PostgreSQL server that does the work itself."""

import json

import duckdb
import pytest
from tests.app.doors import inside
from tests.protect.query.sql.registers import patients, visits

JOIN = "SELECT sex, COUNT(*) AS n, SUM(cost) AS c FROM patients JOIN visits USING (id) GROUP BY sex"
CAPS = ["--unit", "id", "--max-rows", "patients=1", "--max-rows", "visits=4", "--max-groups", "1"]
KNOWN = ["--bounds", "visits.cost=0:10", "--keys", "sex=F,M", "--bounds", "day=2026-01-01:2026-04-30"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("tables")
    with duckdb.connect(str(place / "records.duckdb")) as database:
        for name, rows in (("patients", patients()), ("visits", visits())):
            database.register("rows", rows)
            database.execute(f"CREATE TABLE {name} AS SELECT * FROM rows")
            database.execute(f"COPY rows TO '{place / name}.csv' (HEADER)")
            database.unregister("rows")
    return place


@pytest.fixture
def folder(made):
    """The files as nobody has booked them yet: each test has ledgers of its own."""
    for link in [*made.glob("*.ledger.link"), *made.glob("*.csv.ledger*")]:
        link.unlink(missing_ok=True)
    return made


def _ask(folder, data, sql, *more):
    done = inside("query", data, sql, "--epsilon", "40", *CAPS, *KNOWN, *more, "--json", cwd=folder)
    assert done.code == 0, done.out + done.err
    return done.json()


def _near(said):
    found = {one["name"]: one["values"] for one in said["answers"]}
    assert said["keys"]["sex"] == ["F", "M"]
    assert found["n"] == pytest.approx([150, 150], abs=8)
    assert sum(found["c"]) == pytest.approx(1350, abs=60)


def test_tables_of_one_database_file_are_joined(folder):
    _near(_ask(folder, "records.duckdb", JOIN, "--ledger", "a.ledger", "--budget", "100"))


def test_two_files_are_joined(folder):
    more = ["--table", "visits=visits.csv", "--ledger", "b.ledger", "--budget", "100"]
    _near(_ask(folder, "patients.csv", JOIN, *more))


def test_windows_come_from_the_bounds_of_a_date(folder):
    sql = "SELECT DATE_TRUNC('month', day) AS m, COUNT(*) AS n FROM visits GROUP BY m"
    said = _ask(folder, "records.duckdb", sql, "--ledger", "c.ledger", "--budget", "100")
    assert said["keys"]["m"] == ["2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01"]


def test_what_is_missing_is_said(folder):
    no_cap = inside(
        "query", "records.duckdb", "SELECT COUNT(*) FROM visits", "--epsilon", "1", "--unit", "id",
        "--max-rows", "patients=1", "--ledger", "d.ledger", "--budget", "9", cwd=folder,
    )  # fmt: skip
    assert no_cap.code == 2
    assert "--max-rows visits=20" in no_cap.err
    twice = inside(
        "query", "patients.csv", JOIN, "--epsilon", "1", *CAPS, "--table", "patients=visits.csv", cwd=folder
    )
    assert twice.code == 2
    assert "two tables are called" in twice.err


def _served(postgres_backend):
    """The server's address, with the two tables in it."""
    connection = postgres_backend.con
    with connection.cursor() as cursor, connection.transaction():
        cursor.execute("CREATE SCHEMA IF NOT EXISTS public")
        cursor.execute("DROP TABLE IF EXISTS public.patients, public.visits")
        cursor.execute("CREATE TABLE public.patients (id bigint, sex text, age double precision)")
        cursor.execute(
            "CREATE TABLE public.visits (id bigint, ward text, day date, cost double precision, nights bigint)"
        )
        for name, rows in (("patients", patients()), ("visits", visits())):
            with cursor.copy(f"COPY public.{name} FROM STDIN") as copy:
                for row in rows.to_pylist():
                    copy.write_row(tuple(row.values()))
    connection.commit()
    return f"postgresql://postgres@/postgres?host={connection.info.host}"


def test_a_database_server_does_the_work_and_only_aggregates_leave_it(postgres_backend, tmp_path):
    address = _served(postgres_backend)
    explained = inside(
        "query", address, JOIN, "--epsilon", "1", *CAPS, *KNOWN, "--explain", "--json", cwd=tmp_path
    )
    assert explained.code == 0, explained.err
    assert json.loads(explained.out)["cost"].startswith("epsilon = 1")
    assert list(tmp_path.iterdir()) == []
    refused = inside("query", address, JOIN, "--epsilon", "1", *CAPS, *KNOWN, cwd=tmp_path)
    assert refused.code == 2
    assert "needs a ledger" in refused.err
    _near(_ask(tmp_path, address, JOIN, "--ledger", "x.ledger", "--budget", "100"))


def test_the_statement_that_reaches_the_server_adds_up_there(postgres_backend, tmp_path, monkeypatch):
    import privet as pv
    from privet.dataset import DataSet
    from privet.dataset._dataset_tables import Tables
    from privet.dataset._statement import Statement
    from privet.engine import _engine_results as running

    address = _served(postgres_backend)
    said = Statement("id", ["patients=1", "visits=4"], ["1"], ["visits.cost=0:10"], ["sex=F,M"])
    tables = Tables(DataSet.of(address), said)
    sent = []

    def watched(table, engine, words, fetch=running.fetch):
        sent.append((table.get_backend(), words))
        rows = fetch(table, engine, words)
        assert rows.num_rows <= 2
        return rows

    monkeypatch.setattr("privet.engine._sealed_aggregates.fetch", watched)
    with pv.Ledger(tmp_path / "y.ledger", limit=pv.PureDP(100)) as ledger:
        pv.release(JOIN, pv.PureDP(40), ledger=ledger, why="test", **tables.question())
    ((backend, statement),) = sent
    assert "GROUP BY" in statement
    with backend.con.cursor() as cursor:
        cursor.execute(f"EXPLAIN {statement}")
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "Aggregate" in plan
    assert "WindowAgg" in plan
    assert "patients" in plan
    assert "visits" in plan
