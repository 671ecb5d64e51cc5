"""One verb, three doors: the library, the command line and a policy do the same, book the same and refuse the same."""

import json
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.conformance import doors
from tests.conformance.doors import (
    ASKED,
    BOOKED,
    COLUMN,
    COMMANDS,
    DOORS,
    NEED_A_UNIT,
    SPENDING,
    booked,
    exchanged,
    made,
)
from tests.evidence.keys import OWNER as ADA
from tests.evidence.keys import SINCE
from typer.main import get_command

import privet as pv
from privet.app._cli import app
from privet.app._command_group import SUMMARIES, home_of
from privet.dataset import DataSet, Statement, demand_approval, make_signing_key
from privet.engine import _engine_results as running
from privet.errors import PolicyBreach, PrivetError
from privet.evidence import KeyHistory, Signing
from privet.pipeline._policy_schema import policy_schema
from privet.pipeline._run import run
from privet.pipeline._run_plan import RunPlan
from privet.pipeline._run_planner import make_plan
from privet.protect import admitted
from privet.source import AccessTerms, open_table
from privet.verbs._verb import spends, verbs
from privet.verbs._verb_options import spelled


@pytest.fixture
def ward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    doors.furnished(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PRIVET_KEYS", doors.SECRET)
    return tmp_path


def through(
    door: str, folder: Path, verb: str, options: dict[str, Any], capsys: Any, **more: Any
) -> str | None:
    """The code of the refusal, or None; the declaration says what `more` says of the purpose."""
    purpose = more.pop("purpose", "beds")
    if door == "policy":
        return doors.through_policy(folder, verb, options, purpose, **more)
    doors.declared(folder, verb=verb, **more)
    if door == "library":
        return doors.through_library(folder, verb, options, purpose=purpose)
    return doors.through_command_line(folder, verb, options, capsys, purpose=purpose)


def test_every_verb_is_asked_something() -> None:
    known = verbs()
    assert set(ASKED) == set(known) == set(doors.LIBRARY)
    assert set(SPENDING) == {name for name, verb in known.items() if spends(verb)}
    assert set(BOOKED) == {name for name, verb in known.items() if spends(verb) or verb.records}
    told_a_column = {
        name for name, verb in known.items() if {"column", "columns"} & set(verb.options.model_fields)
    }
    assert told_a_column <= set(COLUMN)


@pytest.mark.parametrize("verb", sorted(ASKED))
def test_the_same_is_booked_through_every_door(verb: str, ward: Path, capsys: Any) -> None:
    found = {}
    for door in DOORS:
        for place in [*ward.glob("*.csv.ledger*"), *ward.glob("earlier.parquet"), *ward.glob("out")]:
            place.rename(ward / f"{door.replace(' ', '-')}-{place.name}.old")
        assert through(door, ward, verb, ASKED[verb], capsys) is None, door
        found[door] = booked(ward)
        # What is attacked was made, and recorded, before.
        assert len(found[door]) == (1 if verb in (*BOOKED, "attack") else 0), door
    assert found["library"] == found["command line"] == found["policy"]
    (place,) = (ward / "out").glob(f"*/{doors.MADE}*")
    assert place.parent.name == verbs()[verb].audience
    others = {one.stat().st_mode & 0o044 for one in (place, *place.rglob("*"))}
    assert others == ({0o044} if verbs()[verb].audience == "public" else {0})
    # What is given away was released under a promise, or it would not be.
    assert (verbs()[verb].audience == "public") == (verb in BOOKED)


# What every door refuses: what the purpose says, what is asked, and the codes of library, command line and policy. A policy
# says at once, with its place in the file, what others say one by one: what is lacking there is a gap.
REFUSALS: dict[str, tuple[dict[str, Any], str, tuple[str, str, str]]] = {
    "an unknown column": ({}, "nowhere", ("E-POLICY-001", "E-POLICY-001", "E-POLICY-001")),
    "a column outside the purpose": ({}, "dose", ("E-POLICY-002", "E-POLICY-002", "E-POLICY-002")),
    "no purpose": ({"purpose": None}, "", ("E-DATASET-004", "E-DATASET-004", "E-POLICY-003")),
    "a purpose that makes other things": ({"outputs": []}, "", ("E-POLICY-002", "E-POLICY-002", "E-POLICY-002")),
    "a purpose for others": ({"recipients": ["the press"]}, "", ("E-POLICY-002", "E-POLICY-002", "E-POLICY-002")),
    "a purpose whose use is not said": ({"use": "TO BE STATED"}, "", ("E-POLICY-003", "E-POLICY-003", "E-POLICY-003")),
    "a purpose whose recipients are not said": ({"recipients": ["TO BE STATED", "internal"]}, "", ("E-POLICY-003", "E-POLICY-003", "E-POLICY-003")),
    "a purpose without a legal basis": ({"basis": "TO BE STATED"}, "", ("E-POLICY-003", "E-POLICY-003", "E-POLICY-003")),
    "a purpose overdue for review": ({"review": "2001-01-01"}, "", ("E-POLICY-003", "E-POLICY-003", "E-POLICY-003")),
    "a purpose that has ended": ({"expires": "2001-01-01"}, "", ("E-POLICY-002", "E-POLICY-002", "E-POLICY-002")),
}  # fmt: skip


@pytest.mark.parametrize("case", sorted(REFUSALS))
@pytest.mark.parametrize("verb", sorted(ASKED))
def test_what_one_door_refuses_all_doors_refuse(verb: str, case: str, ward: Path, capsys: Any) -> None:
    declares, column, codes = REFUSALS[case]
    if column and verb not in COLUMN and verb != "release":
        return  # it is told no column
    options = exchanged(ASKED[verb], COLUMN.get(verb, ""), column) if column else ASKED[verb]
    if column and verb == "release":
        options = {"sql": f"SELECT SUM({column}) AS n FROM ward", "epsilon": 0.5}
    if verb == "attack":  # what is attacked was made while that was allowed
        doors.declared(ward)
        doors.earlier(ward)
    before = booked(ward)
    for door, code in zip(DOORS, codes, strict=True):
        found = through(door, ward, verb, options, capsys, **declares)
        assert found is not None, f"{door} lets it pass"
        if (verb, case) not in OWN_WORDS:
            assert found == code, door
        assert booked(ward) == before, f"{door} books what it refuses"
        assert made(ward) == [], f"{door} writes what it refuses"


# --- questions ----------------------------------------------------------------------------------

ASKED_HOW = ("once", "from a file", "explained", "in a shell", "explained in a shell")


@pytest.mark.parametrize("case", sorted(case for case, (_, column, _) in REFUSALS.items() if not column))
@pytest.mark.parametrize("how", ASKED_HOW)
def test_a_question_passes_the_same_gate_however_it_is_asked(
    how: str, case: str, ward: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`privet query` opens tables of its own, for a shell and for several of them: the rules are those of all verbs."""
    declares, _, (_, code, _) = REFUSALS[case]
    declares = dict(declares)
    purpose = declares.pop("purpose", "beds")
    doors.declared(ward, **declares)
    assert doors.asked_as(how, ward, capsys, monkeypatch, purpose=purpose) == code
    assert booked(ward) == []
    assert made(ward) == []


@pytest.mark.parametrize("how", ASKED_HOW)
def test_a_question_meets_the_one_ledger_and_the_unit_however_it_is_asked(
    how: str, ward: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = partial(doors.asked_as, how, ward, capsys, monkeypatch)
    assert ask(purpose=None) == "E-DATASET-002"  # of a bare file, whose rows they are
    doors.declared(ward)
    assert ask(more=("--unit", "person")) == "E-DATASET-005"  # which the declaration says
    assert ask(more=("--ledger", "other.ledger")) == "E-DATASET-001"
    assert booked(ward) == []
    assert ask() is None
    assert len(booked(ward)) == (0 if how.startswith("explained") else 1)


@pytest.mark.parametrize("case", sorted(case for case, (_, column, _) in REFUSALS.items() if not column))
def test_what_would_be_refused_is_not_explained(case: str, ward: Path, capsys: Any) -> None:
    declares, _, (_, code, _) = REFUSALS[case]
    declares = dict(declares)
    purpose = declares.pop("purpose", "beds")
    doors.declared(ward, **declares)
    found = doors.through_command_line(
        ward, "tabulate", ASKED["tabulate"], capsys, purpose=purpose, more=("--explain",)
    )
    assert found == code


def test_every_verb_that_reads_rows_asks_the_same_gate(
    ward: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The very same functions are called by a question and by a verb that goes through a request."""
    called: list[str] = []

    def watched(owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def noted(*given: Any, **named: Any) -> Any:
            called.append(name)
            return real(*given, **named)

        monkeypatch.setattr(owner, name, noted)

    for owner, name in (
        (Statement, "refuse_beside"),
        (DataSet, "allowed"),
        (DataSet, "ledger"),
        (AccessTerms, "admit"),
    ):
        watched(owner, name)
    doors.declared(ward)
    found = {}
    for verb in ("release", "tabulate"):
        called.clear()
        assert doors.through_command_line(ward, verb, ASKED[verb], capsys) is None
        found[verb] = set(called)
    assert found["release"] == found["tabulate"] == {"refuse_beside", "allowed", "ledger", "admit"}


# A question in SQL that names a column which does not exist is refused by the reader of SQL.
OWN_WORDS = {("release", "an unknown column"), ("release", "a column outside the purpose")}


UNFOUNDED = {"basis": "none claimed: a trial for internal use", "recipients": ["internal", "university"]}


@pytest.mark.parametrize("verb", ["anonymize", "mask", "release"])
def test_what_has_no_legal_basis_is_made_for_internal_use_alone(verb: str, ward: Path, capsys: Any) -> None:
    """Through every door, though the purpose names others; only a program and a policy can say whom a thing is for."""
    for door in DOORS:
        for place in [*ward.glob("*.csv.ledger*"), *ward.glob("out"), *ward.glob(f"{doors.MADE}*")]:
            place.rename(ward / f"{door.replace(' ', '-')}-{place.name}.old")
        assert through(door, ward, verb, ASKED[verb], capsys, **UNFOUNDED) is None, door
    asked = {**ASKED[verb], "recipient": "university"}
    assert doors.through_policy(ward, verb, asked, **UNFOUNDED) == "E-POLICY-002"
    table = DataSet.read(doors.declared(ward, **UNFOUNDED)).table(purpose="beds")
    with pytest.raises(PolicyBreach, match="is for internal, not for 'university'"):
        admitted([table], verbs()[verb].output, ledger=None, recipient="university")
    founded = DataSet.read(doors.declared(ward, recipients=["internal", "university"])).table(purpose="beds")
    assert admitted([founded], verbs()[verb].output, ledger=None, recipient="university") == "beds"


@pytest.mark.parametrize("verb", SPENDING)
def test_more_than_the_budget_is_refused_everywhere(verb: str, ward: Path, capsys: Any) -> None:
    more = {"pac": {"nats": "3"}, "estimate": {"specification": "dear.json"}}.get(verb, {"epsilon": 6})
    found = {door: through(door, ward, verb, {**ASKED[verb], **more}, capsys) for door in DOORS}
    assert set(found.values()) == {"E-LEDGER-001"}, found
    assert booked(ward) == []
    assert made(ward) == []


@pytest.mark.parametrize("verb", BOOKED)
def test_a_second_ledger_is_refused_wherever_one_can_be_named(verb: str, ward: Path, capsys: Any) -> None:
    """A policy names the data set's own, and no other."""
    doors.declared(ward, verb=verb)
    line = doors.through_command_line(ward, verb, ASKED[verb], capsys, more=("--ledger", "other.ledger"))
    program = doors.through_library(ward, verb, ASKED[verb], ledger=str(ward / "other.ledger"))
    assert line == program == "E-DATASET-001"
    assert made(ward) == []


@pytest.mark.parametrize("verb", NEED_A_UNIT)
def test_without_a_unit_nothing_is_promised(verb: str, ward: Path, capsys: Any) -> None:
    assert doors.through_command_line(ward, verb, ASKED[verb], capsys, purpose=None) == "E-DATASET-002"
    assert doors.through_policy(ward, verb, ASKED[verb], unit=False) == "E-POLICY-003"
    roles = {**doors.ROLES, "seen": "insensitive"}
    table = open_table(ward / "ward.csv", roles=roles, keys={"back": [True, False]})
    with pv.Ledger(ward / "bare.ledger", limit=pv.ApproxDP(9, 0.001)) as book, pytest.raises(PrivetError):
        doors.LIBRARY[verb](table, book, ASKED[verb], ward / f"{doors.MADE}{doors.ending(verb)}")
    assert made(ward) == []


# --- approval by a second person ----------------------------------------------------------------


def demanded(ward: Path, needed: int = 1, verb: str = "") -> None:
    """The owner demands that plans are approved."""
    data = DataSet.read(doors.declared(ward, verb=verb))
    make_signing_key(ward)
    signing = data.signing()
    assert signing is not None
    with data.ledger() as book:
        demand_approval(book, signing, [ADA.public] if needed else [], needed)


@pytest.mark.parametrize("verb", BOOKED)
def test_what_is_booked_is_approved_first_through_every_door(verb: str, ward: Path, capsys: Any) -> None:
    """The rule is the ledger's, so that no door does without it; an approved plan of the same verb passes."""
    demanded(ward, verb=verb)
    for door in DOORS:
        assert through(door, ward, verb, ASKED[verb], capsys) == "E-EVIDENCE-004", door
        assert booked(ward) == [], f"{door} books what nobody approved"
        assert made(ward) == [], f"{door} writes what nobody approved"
    step = {"do": verb, "name": doors.MADE, "purpose": "beds", **ASKED[verb]}
    place = doors.declared(ward, step, verb=verb)
    plan = make_plan(place).approved_by(Signing(ADA, KeyHistory.first(ADA, SINCE)))
    assert running_a_plan(place, plan)
    assert len(booked(ward)) == 1
    for door in ("library", "command line"):  # also where it would cost nothing more
        assert through(door, ward, verb, ASKED[verb], capsys) == "E-EVIDENCE-004", door


def running_a_plan(place: Path, plan: RunPlan) -> bool:
    return bool(run(place, plan).steps)


@pytest.mark.parametrize("how", [how for how in ASKED_HOW if not how.startswith("explained")])
def test_a_question_is_approved_first_however_it_is_asked(
    how: str, ward: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    demanded(ward)
    assert doors.asked_as(how, ward, capsys, monkeypatch) == "E-EVIDENCE-004"
    assert booked(ward) == []
    demanded(ward, 0)
    assert doors.asked_as(how, ward, capsys, monkeypatch) is None
    assert len(booked(ward)) == 1


def test_a_ledger_that_a_program_opens_itself_is_bound_as_well(ward: Path) -> None:
    demanded(ward)
    found = doors.through_library(ward, "release", ASKED["release"], ledger=str(ward / "ward.csv.ledger"))
    assert found == "E-EVIDENCE-004"
    assert booked(ward) == []


# --- plans --------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", sorted(set(ASKED) - {"attack"}))
def test_a_plan_reads_no_row(verb: str, ward: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine refuses to hand out rows of the data set while the plan is made; public files may be read."""
    step = {"do": verb, "name": doors.MADE, "purpose": "beds", **ASKED[verb]}
    place = doors.declared(ward, step, verb=verb)
    asked = make_plan(place)  # loads everything that a plan takes
    reading = {name: getattr(running, name) for name in ("fetch", "planned", "read_through", "stream")}

    def guarded(read: Any) -> Any:
        def refusing(thing: Any, *more: Any, **named: Any) -> Any:
            table = getattr(thing, "table", thing)
            assert not {"person", "collection"} & set(running._source_columns(table)), "a row was read"
            return read(thing, *more, **named)

        return refusing

    for module in [one for name, one in sys.modules.items() if name.startswith("privet.")]:
        for name, read in reading.items():
            if getattr(module, name, None) is read:
                monkeypatch.setattr(module, name, guarded(read))
    with pytest.raises(AssertionError, match="a row was read"):
        running.fetch(open_table(ward / "ward.csv").relation.table, "duckdb")
    assert [step.cost for step in make_plan(place).steps] == [step.cost for step in asked.steps]


# --- options ------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", sorted(ASKED))
def test_every_option_of_a_verb_stands_on_the_command_line_and_in_the_schema(verb: str) -> None:
    known = verbs()[verb]
    command: Any = get_command(app)
    for word in COMMANDS.get(verb, verb).split():
        command = command.get_command(None, word)
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


def test_a_question_is_read_and_planned_once(
    ward: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where its ledger is made with the booking."""
    import sqlglot

    from privet.protect.query import _batch as batching

    counted: list[str] = []

    def counting(name: str, work: Any) -> Any:
        def counted_work(*given: Any, **named: Any) -> Any:
            counted.append(name)
            return work(*given, **named)

        return counted_work

    monkeypatch.setattr(batching, "plan_batch", counting("planned", batching.plan_batch))
    monkeypatch.setattr(sqlglot, "parse", counting("read", sqlglot.parse))
    more = ("--unit", "person", "--max-rows", "3", "--keys", "area=A,B,C", "--budget", "3")
    assert (
        doors.through_command_line(ward, "release", ASKED["release"], capsys, purpose=None, more=more) is None
    )
    assert sorted(counted) == ["planned", "read"]
