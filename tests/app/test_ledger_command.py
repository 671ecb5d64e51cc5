"""`privet ledger`: every command with people's text, pipes' text, JSON and exit codes."""

import csv
import io
import json
import sqlite3

import pytest

from privet.app._cli import main
from privet.errors import BadUsage, PrivetError
from privet.guarantee._events import DiscreteGaussian, DiscreteLaplace
from privet.guarantee._privacy_units import Change, Person, Row
from privet.guarantee._promise_registry import ApproxDP, KAnonymity, PureDP, ZeroConcentratedDP
from privet.ledger import Ledger
from privet.verbs._limits import read_limit, read_unit


@pytest.fixture
def run(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")

    def go(*arguments):
        with pytest.raises(SystemExit) as end:
            main(["ledger", *map(str, arguments)])
        out, err = capsys.readouterr()
        return end.value.code, out, err

    return go


@pytest.fixture
def book(tmp_path):
    """A ledger with some history; its path and receipts."""
    path = tmp_path / "book.ledger"
    with Ledger(path, limit=ApproxDP(3, "1e-6"), unit=Person("id"), accounting="zcdp") as ledger:
        ledger.open_budget(ApproxDP(1, "1e-7"), purpose="bed planning")
        receipts = [
            ledger.charge(DiscreteGaussian(20 + i), why=f"week {i}", purpose="bed planning").receipt
            for i in range(4)
        ]
        receipts.append(ledger.charge(DiscreteLaplace(50), why="=2+2 [red]x[/red]").receipt)
        ledger.record(KAnonymity(5), why="a table")
    return path, receipts


def test_open_writes_the_terms(run, tmp_path):
    path = tmp_path / "l"
    code, out, err = run(
        "open", path, "--limit", "epsilon=3,delta=1e-7", "--accounting", "zcdp",
        "--unit", "person:patient_id", "--change", "replace", "--expires", "2099-12-31", "--json",
    )  # fmt: skip
    assert (code, err) == (0, "")
    said = json.loads(out)
    with Ledger(path) as ledger:
        assert said["ledger"] == ledger.id
        assert ledger.limit == ApproxDP(3, "1e-7")
        assert ledger.unit == Person("patient_id", change=Change.REPLACE)
        assert str(ledger.expires) == "2099-12-31" == said["expires"]
        assert ledger.accounting == "zcdp"


def test_open_again_keeps_the_ledger_and_refuses_other_terms(run, tmp_path):
    path = tmp_path / "l"
    code, first, people = run("open", path, "--epsilon", "1")
    assert code == 0
    assert "is open" in people
    assert run("open", path, "--epsilon", "1")[1] == first
    code, out, _ = run("open", path, "--epsilon", "2", "--json")
    assert code == 2
    assert json.loads(out)["error"]["code"] == "E-LEDGER-007"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--delta", "1e-6"],
        ["--epsilon", "1", "--rho", "1"],
        ["--limit", "epsilon=1", "--epsilon", "1"],
        ["--limit", "epsilon"],
        ["--limit", "budget=1"],
        ["--epsilon", "-1"],
        ["--epsilon", "nan"],
        ["--epsilon", "1", "--unit", "house"],
        ["--epsilon", "1", "--unit", "row:x"],
        ["--epsilon", "1", "--expires", "2001-01-01"],
        ["--epsilon", "1", "--accounting", "zcdp"],
    ],
)
def test_open_refuses_what_it_cannot_read(run, tmp_path, arguments):
    code, _, _ = run("open", tmp_path / "l", *arguments, "--json")
    assert code == 2
    assert run("show", tmp_path / "l", "--json")[0] == 1, "a refused opening left a ledger behind"


def test_limits_and_units_as_typed():
    assert read_limit("epsilon=3, delta=1e-7") == ApproxDP(3, "1e-7")
    assert read_limit(None, epsilon="0.1") == PureDP("0.1")
    assert read_limit("epsilon=1", delta="1e-6") == ApproxDP(1, "1e-6")
    assert read_limit("rho=0.5") == ZeroConcentratedDP("0.5")
    assert read_unit("row", Change.REPLACE) == Row(Change.REPLACE)
    assert read_unit("person:a:b", Change.ADD_OR_REMOVE) == Person("a:b")
    assert read_unit(None, Change.REPLACE) is None
    with pytest.raises(BadUsage):
        read_limit("epsilon=1,epsilon=2")
    with pytest.raises(PrivetError):
        read_limit("epsilon=inf")


def test_budget_opens_a_sub_cap(run, book):
    path, _ = book
    code, out, _ = run("budget", path, "--analyst", "ines", "--limit", "epsilon=1,delta=1e-7", "--json")
    assert (code, json.loads(out)["scope"]) == (0, "analyst ines")
    assert run("budget", path, "--limit", "epsilon=1,delta=1e-7")[0] == 2
    assert run("budget", path, "--analyst", "x", "--rho", "99", "--json")[0] == 2


def test_show_says_what_is_left_and_draws_it(run, book):
    path, _ = book
    code, plain, people = run("show", path)
    assert code == 0
    assert "data set" in people
    assert "purpose bed planning" in people
    assert "burn-down" in people
    assert "█" in people
    fields = [line.split("\t") for line in plain.splitlines()]
    assert [field[:2] for field in fields] == [
        ["data set", "rho"],
        ["data set", "delta"],
        ["purpose bed planning", "rho"],
        ["purpose bed planning", "delta"],
    ]
    data = json.loads(run("show", path, "--json")[1])
    assert len(data["burn_down"]) == 6
    assert data["burn_down"] == sorted(data["burn_down"], reverse=True)
    assert data["balances"][0]["spends"] == 5
    assert data["unit"]["column"] == "id"


def test_show_of_an_unspent_ledger(run, tmp_path):
    run("open", tmp_path / "l", "--rho", "1")
    assert "Nothing was spent yet" in run("show", tmp_path / "l")[2]


def test_history_lists_entries_as_they_are(run, book):
    path, _ = book
    code, plain, people = run("history", path)
    assert code == 0
    assert len(plain.splitlines()) == 8
    assert "[red]x[/red]" in people, "a caller's text was read as markup"
    entries = json.loads(run("history", path, "--last", 2, "--json")[1])["entries"]
    assert [entry["kind"] for entry in entries] == ["spend", "promise"]


def test_verify_and_its_exit_codes(run, book, tmp_path):
    path, receipts = book
    one, several = tmp_path / "one.json", tmp_path / "several.json"
    one.write_text(json.dumps(receipts[0].to_json()))
    several.write_text(json.dumps({"receipt": [receipt.to_json() for receipt in receipts[1:]]}))
    code, out, _ = run("verify", path, "--receipt", one, "--receipt", several, "--json")
    assert code == 0
    said = json.loads(out)
    assert (said["verified"], said["entries"], said["receipts"]) == (True, 8, 5)
    code, plain, _ = run("verify", path)
    assert (code, plain.strip()) == (0, said["head"])

    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps({**receipts[0].to_json(), "cost": {"rho": "0"}}))
    assert run("verify", path, "--receipt", forged, "--json")[0] == 9

    with sqlite3.connect(path) as raw:
        raw.execute("DROP TRIGGER entries_stay")
        raw.execute("UPDATE entries SET body = replace(body, 'week 1', 'week 9')")
    raw.close()
    code, out, _ = run("verify", path, "--json")
    assert code == 9
    assert json.loads(out)["error"]["code"] == "E-LEDGER-005"
    assert "entry 4" in json.loads(out)["error"]["message"]
    assert run("export", path, "-o", tmp_path / "never.json", "--json")[0] == 9
    assert not (tmp_path / "never.json").exists()


@pytest.mark.parametrize("content", ["not json", "{}", "[]", '{"ledger": 1, "head": 2, "entry": 3}'])
def test_verify_refuses_what_is_no_receipt(run, book, tmp_path, content):
    path, _ = book
    file = tmp_path / "receipt.json"
    file.write_text(content)
    assert run("verify", path, "--receipt", file, "--json")[0] == 2
    assert run("verify", path, "--receipt", tmp_path / "missing", "--json")[0] == 1


def test_export_as_json_and_csv(run, book, tmp_path):
    path, receipts = book
    code, out, err = run("export", path)
    assert (code, err) == (0, "")
    exported = json.loads(out)
    assert exported["entries"][2]["hash"] == receipts[0].head
    code, out, _ = run("export", path, "-o", tmp_path / "book.json", "--json")
    assert json.loads(out) == {
        "file": str(tmp_path / "book.json"),
        "format": "json",
        "entries": 8,
        "head": exported["head"],
    }
    assert json.loads((tmp_path / "book.json").read_text()) == exported
    rows = list(csv.DictReader(io.StringIO(run("export", path, "--format", "csv")[1])))
    assert [row["kind"] for row in rows] == ["open", "budget", *["spend"] * 5, "promise"]
    assert rows[2]["rho"] == receipts[0].cost["rho"]
    assert rows[6]["why"] == "'=2+2 [red]x[/red]", "a spreadsheet would run it"
    assert json.loads(rows[2]["event"])["kind"] == "discrete-gaussian"


def test_export_never_overwrites_the_ledger(run, book, tmp_path):
    path, _ = book
    before = path.read_bytes()
    assert run("export", path, "-o", path)[0] == 2
    assert path.read_bytes() == before
    assert run("export", path, "-o", tmp_path / "no" / "such" / "folder")[0] == 1
    assert run("export", path, "--format", "csv", "--json")[0] == 2


@pytest.mark.parametrize("command", ["show", "history", "verify", "export"])
def test_no_ledger_is_said_and_none_is_made(run, tmp_path, command):
    code, out, _ = run(command, tmp_path / "missing", "--json")
    assert code == 1
    assert json.loads(out)["error"]["code"] == "E-LEDGER-006"
    assert list(tmp_path.iterdir()) == []


def test_incidents_are_listed_for_the_owner_and_shown_nowhere_else(run, book):
    path, receipts = book
    code, out, err = run("incidents", path)
    assert (code, out.strip()) == (0, "")
    assert "owner" in err
    assert "Nothing failed" in err
    with Ledger(path) as ledger:
        ledger.incident(receipts[1], "E-ENGINE-003", "counting by ward")
    code, out, _ = run("incidents", path)
    entry, at, named, doing = out.rstrip("\n").split("\t")
    assert (code, entry, named, doing) == (0, str(receipts[1].entry), "E-ENGINE-003", "counting by ward")
    assert at.startswith("20")
    code, out, _ = run("incidents", path, "--json")
    (told,) = json.loads(out)["owner_only"]["incidents"]
    assert (code, told["code"]) == (0, "E-ENGINE-003")
    for command in (("show",), ("history",), ("verify",), ("export",), ("export", "--format", "csv")):
        for form in ((), ("--json",)):
            if (*command, *form) == ("export", "--format", "csv", "--json"):
                continue
            _, out, err = run(command[0], path, *command[1:], *form)
            assert "counting by ward" not in out + err
            assert "E-ENGINE-003" not in out + err


def test_accept_goes_on_with_an_older_ledger_and_enters_it(run, tmp_path, monkeypatch):
    from tests.pipeline.hospital import RELEASE, project

    from privet.dataset import DataSet, make_signing_key

    policy = project(tmp_path, RELEASE)
    make_signing_key(tmp_path)
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "stays.ledger"
    with DataSet.read(policy).ledger() as ledger:
        ledger.charge(DiscreteLaplace(10), why="a count")
    old = place.read_bytes()
    with DataSet.read(policy).ledger() as ledger:
        ledger.charge(DiscreteLaplace(10), why="a count")
    place.write_bytes(old)
    assert run("accept")[0] == BadUsage.exit_code
    code, out, _ = run("accept", "--why", "the disk was lost", "--json")
    assert code == 0
    said = json.loads(out)
    assert int(said["noted"]) == int(said["found"]) + 1 == said["entry"]
    assert "the disk was lost" in run("history", place)[1]
    assert run("verify", place)[0] == 0
    with DataSet.read(policy).ledger() as ledger:
        ledger.charge(DiscreteLaplace(10), why="a count")
