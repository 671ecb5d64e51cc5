"""One verb, three doors: the library, the command line and a policy do the same, book the same and refuse the same."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow.csv
import pytest
import yaml
from tests.pipeline.small_ward import ROLES, rows
from typer.main import get_command

import privet as pv
from privet.app.cli import app, main
from privet.app.verb_commands import SUMMARIES, home_of
from privet.dataset import DataSet
from privet.errors import PrivetError
from privet.ledger import Ledger
from privet.pipeline.policy_schema import policy_schema
from privet.pipeline.running import run
from privet.verbs.options import spelled
from privet.verbs.verb import verbs

COMMANDS = {
    "anonymize": "anonymize",
    "train": "train",
    "release": "query",
}  # verbs with a command made from them
BOUNDS = {"age": [18, 90], "dose": [0, 7]}
VALUES = {"area": ["A", "B", "C"], "back": [True, False]}


@pytest.fixture
def ward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pyarrow.csv.write_csv(rows(120), tmp_path / "ward.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def declared(folder: Path, *steps: dict[str, Any], **purpose: Any) -> Path:
    """A declaration with one purpose, and steps for it."""
    columns: dict[str, Any] = {}
    for name, role in ROLES.items():
        known = {"bounds": BOUNDS.get(name), "values": VALUES.get(name)}
        columns[name] = {"role": role, **{part: value for part, value in known.items() if value is not None}}
    said = {
        "version": 1,
        "dataset": {
            "source": "ward.csv",
            "unit": {"column": "person", "max_rows": 3},
            "ledger": "ward.csv.ledger",
            "budget": {"epsilon": 9, "delta": 0.001},
        },
        "columns": columns,
        "purposes": {
            "beds": {
                "use": "planning beds",
                "basis": "GDPR Art. 6(1)(e)",
                "columns": ["age", "area", "illness", "back"],
                "outputs": ["answer", "model", "table"],
                "recipients": ["internal"],
                "budget": {"epsilon": 5, "delta": 0.0005},
                "expires": "2099-01-01",
                **purpose,
            }
        },
        "steps": [{"purpose": "beds", "name": "one", **step} for step in steps],
    }
    (folder / "privet.yaml").write_text(yaml.safe_dump(said, sort_keys=False), encoding="utf-8")
    return folder / "privet.yaml"


def words(options: dict[str, Any]) -> list[str]:
    """Options of a step as a command line has them."""
    found: list[str] = []
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if isinstance(value, dict):
            found += [part for key, one in value.items() for part in (flag, f"{key}={one}")]
        elif isinstance(value, list):
            found += [flag, ",".join(map(str, value))]
        else:
            found += [flag, str(value)]
    return found


def through_command_line(folder: Path, verb: str, options: dict[str, Any], capsys: Any) -> str | None:
    """The code of the refusal, or None."""
    asked = dict(options)
    sql = [asked.pop("sql")] if "sql" in asked else []
    out = {"anonymize": "safe.parquet", "train": "model", "release": "answer.json"}[verb]
    given = [
        COMMANDS[verb],
        "ward.csv",
        *sql,
        *words(asked),
        "--purpose",
        "beds",
        "-o",
        str(folder / out),
        "--json",
    ]
    with pytest.raises(SystemExit) as ended:
        main(given)
    said = json.loads(capsys.readouterr().out)
    return said["error"]["code"] if ended.value.code else None


def through_policy(folder: Path, verb: str, options: dict[str, Any]) -> str | None:
    try:
        run(declared(folder, {"do": verb, **options}))
    except PrivetError as problem:
        return problem.code
    return None


def through_library(folder: Path, verb: str, options: dict[str, Any]) -> str | None:
    asked = dict(options)
    try:
        data = DataSet.read(folder / "privet.yaml")
        table = data.table(purpose="beds")
        with data.ledger() as book:
            if verb == "anonymize":
                promise = pv.KAnonymity(asked.pop("k"))
                for column, number in asked.pop("l", {}).items():
                    promise &= pv.LDiversity(column, number)
                pv.anonymize(table, promise, ledger=book, why="one", out=folder / "lib.parquet", **asked)
            elif verb == "train":
                promise = pv.ApproxDP(asked.pop("epsilon"), asked.pop("delta"))
                pv.train(table, promise, ledger=book, why="one", purpose="beds", **asked)
            else:
                promise = pv.PureDP(asked.pop("epsilon"))
                pv.release([asked.pop("sql")], promise, ledger=book, why="one", purpose="beds", table=table)
    except PrivetError as problem:
        return problem.code
    return None


def booked(folder: Path) -> list[dict[str, Any]]:
    """What the ledger says of releases, without what differs from one time to the next."""
    place = folder / "ward.csv.ledger"
    if not place.exists():
        return []
    with Ledger(place) as book:
        entries = [one.body for one in book.history() if one.kind in ("spend", "promise")]
    keep = ("cost", "event", "promise", "purpose", "unit", "scopes", "data")
    return [{name: body[name] for name in keep if name in body} for body in entries]


def through(door: str, folder: Path, verb: str, options: dict[str, Any], capsys: Any) -> str | None:
    if door == "policy":
        return through_policy(folder, verb, options)
    if door == "library":
        return through_library(folder, verb, options)
    return through_command_line(folder, verb, options, capsys)


ASKED = {
    "anonymize": {"k": 3, "l": {"illness": 2}, "search": "local", "max_suppressed": 0.3},
    "train": {"target": "back", "epsilon": 1, "delta": 1e-6, "columns": ["age", "area"], "records": 120, "model": "linear"},
    "release": {"sql": "SELECT area, COUNT(*) AS n FROM ward GROUP BY area", "epsilon": 0.5},
}  # fmt: skip


@pytest.mark.parametrize("verb", sorted(ASKED))
def test_the_same_is_booked_through_every_door(verb: str, ward: Path, capsys: Any) -> None:
    found = {}
    for door in ("library", "command line", "policy"):
        for place in ward.glob("ward.csv.ledger*"):
            place.rename(ward / f"{door.replace(' ', '-')}-{place.name}.old")
        declared(ward)
        assert through(door, ward, verb, ASKED[verb], capsys) is None, door
        found[door] = booked(ward)
        assert len(found[door]) == 1
    assert found["library"] == found["command line"] == found["policy"]


REFUSED = {
    "a column outside the purpose": ("release", {"sql": "SELECT SUM(dose) AS n FROM ward", "epsilon": 0.5}, {}),
    "a table where none may be made": ("anonymize", ASKED["anonymize"], {"outputs": ["answer"]}),
    "a model where none may be made": ("train", ASKED["train"], {"outputs": ["answer"]}),
    "an answer where none may be given": ("release", ASKED["release"], {"outputs": ["table"]}),
    "a purpose that has ended": ("release", ASKED["release"], {"expires": "2001-01-01"}),
    "rows for others": ("anonymize", ASKED["anonymize"], {"recipients": ["the press"]}),
    "more than the budget": ("release", {**ASKED["release"], "epsilon": 6}, {}),
    "a model of more than the budget": ("train", {**ASKED["train"], "epsilon": 6}, {}),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(REFUSED))
def test_what_one_door_refuses_all_doors_refuse(case: str, ward: Path, capsys: Any, monkeypatch: Any) -> None:
    verb, options, purpose = REFUSED[case]
    monkeypatch.setitem(globals(), "declared", lambda folder, *steps: _declared(folder, *steps, **purpose))
    found = {}
    for door in ("library", "command line", "policy"):
        declared(ward)
        found[door] = through(door, ward, verb, options, capsys)
        assert found[door] is not None, f"{door} lets it pass"
        assert booked(ward) == [], f"{door} books what it refuses"
        assert not [one for one in ward.iterdir() if one.name in ("safe.parquet", "model", "answer.json")]
    # A policy says at once, with its place in the file, what others say one by one: its codes are its own.
    assert found["library"].split("-")[1] == found["command line"].split("-")[1]


_declared = declared


# --- options ------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", sorted(COMMANDS))
def test_every_option_of_a_verb_stands_on_the_command_line_and_in_the_schema(verb: str) -> None:
    known = verbs()[verb]
    group = get_command(app)
    command = group.get_command(None, COMMANDS[verb])
    flags = {name for parameter in command.params for name in parameter.opts}
    arguments = {parameter.name for parameter in command.params if parameter.param_type_name == "argument"}
    lacking = [
        one.field
        for one in spelled(known.options)
        if not set(one.names) & flags and one.field not in arguments
    ]
    assert lacking == []
    steps = json.loads(policy_schema())["properties"]["steps"]["items"]["oneOf"]
    (step,) = [one for one in steps if one["properties"]["do"]["const"] == verb]
    fields = {field.alias or name for name, field in known.options.model_fields.items()}
    assert fields <= set(step["properties"])
    for name, field in known.options.model_fields.items():
        assert field.description, f"{verb}.{name} says nothing"
        assert step["properties"][field.alias or name]["description"] == field.description


@pytest.mark.parametrize("name", sorted(SUMMARIES))
def test_commands_of_verbs_are_made_from_declarations(name: str) -> None:
    """Nothing is spelled by hand in the module of the command: it would be said twice."""
    text = Path(str(import_module(home_of(name)).__file__)).read_text(encoding="utf-8")
    assert "typer.Option" not in text
    assert "typer.Argument" not in text
