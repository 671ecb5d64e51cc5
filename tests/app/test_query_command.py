"""`privet query` as a person types it."""

import json
from pathlib import Path

import pytest
from tests.app.doors import Said, inside

import privet as pv
from privet.examples import hospital, write
from privet.ledger import Ledger

SQL = "SELECT ward, COUNT(*) AS n, AVG(days) AS days FROM t GROUP BY ward"
UNIT = ["--unit", "patient_id", "--max-rows", "6", "--max-groups", "2", "--bounds", "days=0:60"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("query")
    write(place / "patients.csv", hospital(patients=1500, seed=7))
    return place


@pytest.fixture
def folder(made):
    """The files as nobody has booked them yet: each test has ledgers of its own."""
    for link in [*made.glob("*.ledger.link"), *made.glob("*.csv.ledger*")]:
        link.unlink(missing_ok=True)
    return made


def _privet(folder: Path, *arguments: str, status: int = 0) -> Said:
    done = inside(*arguments, cwd=folder, env={"NO_COLOR": "1"})
    assert done.code == status, done.err
    assert "Traceback" not in done.err
    return done


def test_a_question_is_read_and_planned_once(folder, monkeypatch):
    """Also where a new ledger is opened for it: what is opened is what was planned."""
    from privet.protect.query import _batch, _question

    called = []
    for module, name in ((_question, "read_sql"), (_batch, "make_plans")):
        real = getattr(module, name)

        def counting(*given, real=real, name=name, **named):
            called.append(name)
            return real(*given, **named)

        monkeypatch.setattr(module, name, counting)
    ledger = ["--ledger", "once.ledger", "--budget", "3,1e-5"]
    _privet(folder, "query", "patients.csv", SQL, "--epsilon", "1", "--delta", "1e-6", *UNIT, *ledger)
    assert called == ["read_sql", "make_plans"]


def test_an_answer_with_its_files(folder):
    ledger = ["--ledger", "first.ledger", "--budget", "3,1e-5"]
    done = _privet(
        folder, "query", "patients.csv", SQL, "--epsilon", "1", "--delta", "1e-6", *UNIT, *ledger,
        "-o", "answer.parquet", "--card", "card.html", "--json",
    )  # fmt: skip
    said = json.loads(done.out)
    assert said["promise"]["epsilon"] == "1"
    assert "Internal medicine" in said["keys"]["ward"]
    assert [answer["name"] for answer in said["answers"]] == ["n", "days"]
    assert float(said["receipt"]["remaining"]["epsilon"]) == pytest.approx(2)
    assert "odds that a given person" in (folder / "card.html").read_text(encoding="utf-8")
    assert (folder / "answer.parquet").exists()
    again = _privet(
        folder,
        "query",
        "patients.csv",
        SQL,
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
        *UNIT,
        "--ledger",
        "first.ledger",
    )
    assert again.out.splitlines()[0].split("\t") == [
        "ward",
        "n",
        "n_low",
        "n_high",
        "days",
        "days_low",
        "days_high",
    ]
    assert "left in the budget: epsilon 2" in again.err


def test_public_keys_need_no_delta(folder):
    keys = ["--keys", "ward=Surgery,Oncology", "--ledger", "keys.ledger", "--budget", "1"]
    said = json.loads(
        _privet(folder, "query", "patients.csv", SQL, "--epsilon", "0.5", *UNIT, *keys, "--json").out
    )
    assert said["keys"]["ward"] == ["Surgery", "Oncology"]


def test_explaining_creates_no_ledger(folder):
    done = _privet(
        folder,
        "query",
        "patients.csv",
        SQL,
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
        *UNIT,
        "--explain",
        "--ledger",
        "none.ledger",
    )
    assert "Show a group only if" in done.out
    assert not (folder / "none.ledger").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["--epsilon", "1"], 2, "whose presence"),
        (["--unit", "patient_id", "--max-rows", "6"], 2, "needs a promise"),
        (["--epsilon", "0", *UNIT, "--budget", "1"], 2, "greater than 0"),
        (["--epsilon", "nan", *UNIT, "--budget", "1"], 2, "finite number"),
        (["--epsilon", "1", "--unit", "patient_id"], 2, "must be capped"),
        (["--epsilon", "1", "--unit", "pateint_id", "--max-rows", "2", "--budget", "1"], 2, "patient_id"),
        (["--epsilon", "1", *UNIT], 2, "no ledger"),
        (["--epsilon", "1", *UNIT, "--budget", "2"], 2, "E-RELEASE-002"),
        (["--epsilon", "1", "--delta", "1e-6", *UNIT, "--budget", "0.5,1e-5"], 8, "0.5 short"),
        (["--epsilon", "1", "--rho", "1", *UNIT], 2, "rho is a promise of its own"),
        (["--epsilon", "1", *UNIT, "--budget", "1", "-o", "x.xlsx"], 2, "x.xlsx"),
        (["--epsilon", "1", *UNIT, "--budget", "1", "-o", "nowhere/x.json"], 2, "does not exist"),
        (["--epsilon", "1", *UNIT, "--bounds", "days", "--budget", "1"], 2, "--bounds"),
        (["--epsilon", "1", *UNIT, "--bounds", "dys=0:60", "--budget", "1"], 2, "days"),
    ],
)
def test_bad_input_says_what_to_do_and_books_nothing(folder, tmp_path, arguments, status, says):
    done = _privet(
        folder,
        "query",
        "patients.csv",
        SQL,
        *arguments,
        "--ledger",
        str(tmp_path / "bad.ledger"),
        "--json",
        status=status,
    )
    error = json.loads(done.out)["error"]
    assert says in json.dumps(error)
    if (tmp_path / "bad.ledger").exists():
        shown = json.loads(_privet(folder, "ledger", "show", str(tmp_path / "bad.ledger"), "--json").out)
        assert all(
            float(spent) == pytest.approx(0)
            for balance in shown["balances"]
            for spent in balance["spent"].values()
        )


def test_a_missing_file_or_broken_rows_are_said_clearly(folder):
    (folder / "broken.csv").write_text("patient_id,ward,days\n1,A,2\n2,B\n3,C,4,5,secret-canary\n")
    for name in ("missing.csv", "broken.csv"):
        done = _privet(
            folder,
            "query",
            name,
            SQL,
            "--epsilon",
            "1",
            "--delta",
            "1e-6",
            *UNIT,
            "--budget",
            "2,1e-5",
            status=2,
        )
        assert "E-SOURCE" in done.err
        assert "secret-canary" not in done.err


def test_an_answer_is_never_written_over_the_data_or_a_folder(folder):
    write(folder / "data.parquet", hospital(patients=10, seed=7))
    before = (folder / "data.parquet").read_bytes()
    (folder / "folder.json").mkdir()
    asked = ["data.parquet", "SELECT COUNT(*) AS n FROM t", *UNIT, "--epsilon", "1", "--budget", "3"]
    _privet(folder, "query", *asked, "-o", "./data.parquet", status=2)
    _privet(folder, "query", *asked, "-o", "folder.json", status=2)
    assert (folder / "data.parquet").read_bytes() == before
    assert not (folder / "data.parquet.ledger").exists()


def test_a_column_is_declared_once(folder):
    asked = ["patients.csv", "SELECT SUM(days) AS n FROM t", *UNIT, "--bounds", "days=0:9", "--epsilon", "1"]
    assert "twice" in _privet(folder, "query", *asked, "--ledger", "x.ledger", "--budget", "3", status=2).err


def test_a_row_that_cannot_be_read_leaves_no_ledger_behind(folder):
    """It is found after everything else was admitted, just before the booking."""
    good = (folder / "patients.csv").read_text(encoding="utf-8")
    (folder / "torn.csv").write_text(good + "1,2\n", encoding="utf-8")
    asked = ["torn.csv", "SELECT COUNT(*) FROM t", *UNIT, "--epsilon", "1", "--budget", "3"]
    assert _privet(folder, "query", *asked, status=2).err
    assert [path.name for path in folder.glob("torn*")] == ["torn.csv"]


def test_a_table_in_a_database_file_has_one_ledger_however_it_is_spelled(folder):
    import duckdb

    with duckdb.connect(folder / "one.duckdb") as connection:
        connection.execute("CREATE TABLE stays AS SELECT i AS patient_id, 1 AS days FROM range(9) r(i)")
    for spelled in ("one.duckdb", "one.duckdb#stays", "one.duckdb#main.stays"):
        asked = [spelled, "SELECT COUNT(*) AS n FROM t", *UNIT, "--epsilon", "1", "--budget", "2"]
        _privet(folder, "query", *asked, "--again", status=8 if "main" in spelled else 0)
    assert [path.name for path in folder.glob("one.*ledger")] == ["one.duckdb.ledger"]


@pytest.mark.parametrize(
    "changes",
    [
        ["nonsense here"],
        ["SELECT nope, COUNT(*) FROM t GROUP BY nope"],
        ["SELECT COUNT(*) FROM t; DROP TABLE t"],
        ["SELECT ward, COUNT(*) FROM t GROUP BY ward"],  # unknown keys without a delta
        ["SELECT COUNT(*) FROM t", "--max-rows", "patients=³"],
        ["SELECT COUNT(*) FROM t", "--pace", "0"],
    ],
    ids=["no SQL", "unknown column", "one of two", "no delta", "no number", "no pace"],
)
def test_a_refused_question_leaves_no_ledger_behind(folder, changes):
    done = _privet(
        folder, "query", "patients.csv", *changes, *UNIT, "--epsilon", "1", "--ledger", "never.ledger",
        "--budget", "3", status=2,
    )  # fmt: skip
    assert "error" in done.err
    assert not list(folder.glob("never.ledger*"))


def test_an_answer_leaves_at_the_pace_that_was_asked_for(folder):
    import time

    begun = time.monotonic()
    _privet(
        folder, "query", "patients.csv", "SELECT COUNT(*) AS n FROM t", *UNIT, "--epsilon", "1",
        "--ledger", "paced.ledger", "--budget", "3", "--pace", "6",
    )  # fmt: skip
    assert time.monotonic() - begun >= 6


def test_an_answer_is_not_saved_over_a_ledger(folder):
    book = folder / "kept.json"
    Ledger(book, limit=pv.PureDP(3)).close()
    done = _privet(
        folder, "query", "patients.csv", "SELECT COUNT(*) FROM t", *UNIT, "--epsilon", "1", "--ledger", "kept.json",
        "--out", "kept.json", status=1,
    )  # fmt: skip
    assert "is a ledger" in done.err
    with Ledger(book) as ledger:
        assert ledger.balance().spends == 0
