"""Every file that a command can be given: a pipe, a folder, a device, a socket, a bomb are refused at once and in our words.

Each option and argument of each command stands here as a file that is read, as a place that is written to, or as no file at
all. One that is new and stands nowhere fails a test.
"""

import json
import os
import shlex
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.app.doors import inside
from tests.pipeline.hospital import RELEASE, TRAIN, project
from typer.main import get_command

from privet.app import _cli
from privet.dataset import make_own_key, make_signing_key
from privet.pipeline import make_plan, run

SECONDS = 60  # of the clock, for all kinds together; whoever waits for a pipe waits for ever
PHRASE = {"PRIVET_PASSPHRASE": "a passphrase that is long"}
UNIT = "--unit patient_id --max-rows 1"
ASKED = f"{UNIT} --epsilon 0.1 --budget 3,1e-5"
# How each command is called; what is in braces is the argument of that name, as it is given when it is not the one tried.
CALLS = {
    "init": "init {data=stays.csv} --yes -o new.yaml",
    "audit": "audit {data=stays.csv} --quasi zip,sex",
    "audit --truth": "audit {data=stays.csv} --quasi zip,sex --auxiliary stays.csv",
    "anonymize": "anonymize {data=stays.csv} --unit row --quasi zip,sex --k 2 --max-suppressed 0.9 -o safe.csv",
    "anonymize --zip-areas": "anonymize {data=stays.csv} --unit row --recipe hipaa-safe-harbor -o safe.csv",
    "query": f"query {{data=stays.csv}} 'SELECT COUNT(*) AS n FROM stays' {ASKED}",
    "query --file": f"query {{data=stays.csv}} {ASKED}",
    "pac": f"pac {{data=stays.csv}} --count {UNIT} --nats 0.1 -o p.json",
    "pac --start": f"pac {{data=stays.csv}} --function kmeans --columns days --clusters 2 --bounds days=0:60 {UNIT} --nats 0.1 -o p.json",
    "pac --points": f"pac {{data=stays.csv}} --function forest --target readmitted --columns days --classes 0,1 --bounds days=0:60 {UNIT} --nats 0.1 -o p.json",
    "synthesize": f"synthesize {{data=stays.csv}} {ASKED} --delta 1e-6 --columns ward,sex --method mst --rows 10 -o t.parquet",
    "synthesize --test": f"synthesize {{data=stays.csv}} {ASKED} --delta 1e-6 --columns ward,sex --method mst --rows 10 -o t.parquet --html t.html",
    "synthesize --generator": "synthesize {data=notes.jsonl} --unit id --text note --epsilon 1 --delta 1e-6 --budget 3,1e-5 --rows 3 -o t.jsonl",
    "synthesize --table": f"synthesize {{data=stays.csv}} {ASKED} --delta 1e-6 --rows 10 --max-children t=2 -o t.parquet",
    "synthesize --child-schema": f"synthesize {{data=stays.csv}} {ASKED} --delta 1e-6 --rows 10 --table t=stays.csv --max-children t=2 -o t.parquet",
    "tabulate": f"tabulate {{data=stays.csv}} --levels ward --cells sex --leaves {{leaves=leaves.csv}} --keys sex=F,M {UNIT} --rho 1 --budget rho=2 -o c.json",
    "train": f"train {{data=stays.csv}} --target readmitted --columns days,sex {ASKED} --delta 1e-6 -o m",
    "pseudonymize": "pseudonymize {data=stays.csv} --column patient_id --dataset d --keys {keys=people.keys} -o ps.csv",
    "pseudonymize --vault": "pseudonymize {data=stays.csv} --column patient_id --dataset d --method vault --keys people.keys -o ps.csv",
    "lm plan": "lm plan --compute 1e14 --examples 1000000 --sequence 64 --epsilon 2 --delta 1e-8",
    "lm train": "lm train {data=notes.jsonl} --unit id --text note --records 30 --epsilon 1 --delta 1e-6 --steps 2 --batch 10 --sequence 8 --model llama-1x16 -o m",
    "lm train --held-out": "lm train notes.jsonl --unit id --text note --records 30 --epsilon 1 --delta 1e-6 --steps 2 --batch 10 --sequence 8 --model llama-1x16 -o m",
    "lm train --public": "lm train notes.jsonl --unit id --text note --records 30 --epsilon 1 --delta 1e-6 --steps 2 --batch 10 --sequence 8 --model llama-1x16 -o m",
    "lm generate": "lm generate {model=model}",
    "lm duplicates": "lm duplicates {texts=public.txt}",
    "lm canaries": "lm canaries {texts=public.txt} --record c.json -o p.jsonl",
    "lm memorization": "lm memorization {model=model} --trained {trained=public.txt} --control {control=public.txt}",
    "lm sweep": "lm sweep {texts=public.txt} --measured-on x --steps 16 -o l.json",
    "collect design": "collect design --people 100 --epsilon 1",
    "collect simulate": "collect simulate {specification=c.spec.json} --people 100",
    "collect estimate": "collect estimate {specification=c.spec.json} {reports=r.jsonl}",
    "collect change": "collect change {specification=c.spec.json} --before {before=r.jsonl} --after {after=r.jsonl}",
    "collect trend": "collect trend {specification=c.spec.json} --day 2026-01-30=r.jsonl --day {days=2026-01-31=r.jsonl}",
    "collect words": "collect words {specification=w.spec.json} {reports=r.jsonl}",
    "collect serve": "collect serve {specification=c.spec.json} --store s.db --port 1",
    "collect export": "collect export x.jsonl --store {store=s.db}",
    "suppress": "suppress {data=stays.csv} --columns ward -o x.csv",
    "mask": "mask {data=stays.csv} --column ward --keep-first 1 -o x.csv",
    "round": "round {data=stays.csv} --to days=5 -o x.csv",
    "topcode": "topcode {data=stays.csv} --above days=9 -o x.csv",
    "shift-dates": "shift-dates {data=stays.csv} --columns days --person patient_id --max-days 9 --dataset d --keys {keys=people.keys} -o x.csv",
    "microaggregate": "microaggregate {data=stays.csv} --columns days --k 3 -o x.csv",
    "swap": "swap {data=stays.csv} --columns days --share 0.1 -o x.csv",
    "rank-swap": "rank-swap {data=stays.csv} --columns days --window 1 -o x.csv",
    "pram": "pram {data=stays.csv} --column ward --keep 0.9 -o x.csv",
    "attack": "attack {of=stays.csv} --members stays.csv --control stays.csv",
    "attack --auxiliary": "attack {of=stays.csv} --members stays.csv",
    "tradeoff": f"tradeoff {{data=stays.csv}} --target readmitted {UNIT} -o tr.json",
    "tradeoff --policy": "tradeoff {data=stays.csv} --target readmitted",
    "plan": "plan -p {policy=privet.yaml} -o plan2.json",
    "approve": "approve {plan=plan.json} --key {key=ada.key}",
    "run": "run {plan=plan.json}",
    "run --policy": "run",
    "report": "report {where=out} -o r.html",
    "verify": "verify {where=out} --key {key=keys.json}",
    "predict": "predict {model=out/public/risk} {data=stays.csv} -o p.csv",
    "schema": "schema {data=stays.csv} -o s.yaml",
    "reveal": "reveal {data=stays.csv} --column patient_id --dataset d --keys {keys=people.keys} -o x.csv",
    "reveal --vault": "reveal {data=stays.csv} --column patient_id --dataset d --method vault --keys people.keys -o x.csv",
    "erase-subject": "erase-subject --vault {vault=v.db} --dataset d --domain d --token x --keys {keys=people.keys}",
    "erase": "erase 10017 --policy {policy=privet.yaml}",
    "erase --vault": "erase 10017 --dataset d --domain d --keys people.keys",
    "gc": "gc -p {policy=privet.yaml}",
    "hierarchy suggest": "hierarchy suggest {data=stays.csv} --column ward -o new.csv",
    "hierarchy check": "hierarchy check {place=h.csv}",
    "keys renew": "keys renew",
    "keys approvers": "keys approvers --needed 0",
    "keys list": "keys list {place=people.keys}",
    "keys rotate": "keys rotate {place=people.keys}",
    "ledger open": "ledger open {place=x.ledger} --epsilon 1",
    "ledger budget": "ledger budget {place=x.ledger} --nats 1",
    "ledger accept": "ledger accept --why restored",
}  # fmt: skip
# These are given in the folder of a project, where a policy says whose rows they are; the others beside bare files.
IN_A_PROJECT = {"plan", "approve", "run", "report", "verify", "predict", "erase", "gc", "ledger", "keys"}


@dataclass(frozen=True)
class Kind:
    """A kind of file by the name of its parameter: how it ends, how it is written, and whether it is parsed as nested text."""

    ending: str
    nested: bool = False
    form: str = "@"
    long: bool = True  # whether there is a limit to its size that a sparse file of a gigabyte is beyond


TABLE, YAML, RECORD = Kind(".csv", long=False), Kind(".yaml", nested=True), Kind(".json", nested=True)
BOOK = Kind(".ledger", long=False)  # opened page by page
READ: dict[str, Kind] = {
    **dict.fromkeys(
        (
            "data",
            "auxiliary",
            "truth",
            "members",
            "control",
            "trained",
            "test",
            "public",
            "population",
            "leaves",
            "start",
            "points",
        ),
        TABLE,
    ),
    **dict.fromkeys(("roles", "schema_file", "policy", "generator"), YAML),
    **dict.fromkeys(("plan", "specification", "receipt", "zip_areas", "tradeoff", "where"), RECORD),
    "of": Kind(".json", nested=True),
    "file": Kind(".sql"),
    "listed": Kind(".txt"),
    "texts": Kind(".txt"),
    "law": RECORD,
    "canaries": RECORD,
    "reference": Kind(""),
    "hierarchies": Kind(""),
    "schemas": Kind(".yaml", nested=True, form="t=@"),
    "tables": Kind(".csv", form="t=@", long=False),
    **dict.fromkeys(("reports", "before", "after"), Kind(".jsonl", long=False)),  # read in blocks
    "days": Kind(".jsonl", form="2026-01-31=@", long=False),
    "key": RECORD,
    "keys": RECORD,
    "ledger": BOOK,
    "vault": BOOK,
    "model": Kind(""),
    "tokenizer": Kind(""),
    "held_out": Kind(".txt"),
    "cache": Kind(""),
    "store": Kind(""),
}
OTHERWISE: dict[tuple[str, str], Kind | None] = {
    ("query", "keys"): None, ("pac", "keys"): None, ("tabulate", "keys"): None,  # lists of values
    ("query", "public"): Kind(".csv", form="t=@", long=False),
    ("synthesize", "prompts"): None,  # looked at where a language model answers alone
    ("synthesize", "population"): None, ("predict", "ledger"): None,
    ("attack", "of"): Kind(".json", long=False), ("attack", "truth"): None,  # opened as `--auxiliary` is
    ("hierarchy check", "place"): YAML,
    ("keys list", "place"): RECORD, ("keys rotate", "place"): RECORD, ("keys create", "place"): None,
    ("keys own", "file"): None,  # made, and never where something is
    ("ledger show", "place"): BOOK, ("ledger verify", "place"): BOOK,
    ("attack", "cache"): None, ("collect serve", "store"): None, ("collect serve", "key"): None,
    ("anonymize", "hierarchies"): None,  # a folder, whose files are read as `hierarchy check` reads them
    ("keys signing", "policy"): None, ("keys public", "policy"): None,  # the folder that it is in is all that counts
    ("erase", "keys"): None, ("reveal", "key"): None,  # as `erase-subject` reads them; the name of a key
    ("collect export", "store"): BOOK,
    ("lm train", "public"): Kind(".txt"),
}  # fmt: skip
# How a refusal tells of a file that it does not name.
TOLD: dict[str, tuple[str, ...]] = {"ledger": ("ledger",), "zip_areas": ("ZIP areas",), "store": ("store",)}
WRITTEN = {
    "apart",
    "folder",
    "to",
    "out",
    "html",
    "page",
    "record",
    "card",
    "write_roles",
    "plot",
    "output",
    "write",
}
# What is no file, by name: amounts, columns, words and addresses.
WORDS = frozenset(
    """
    above address alpha alphabet analyst architecture at attacks batch compute examples sequence steps backend below beta bins bottom bounds budget by categories cells
    class_weights classes clusters code copies column columns components confidence dataset delimiter delta delta_disclosure deployment depth domain embedder epsilon
    error exact forget fraction generator_key holdout k k_all k_map keep keep_first keep_last l likeness prefix shadows suffix windows label labels levels limit
    link max_children max_days max_groups max_risk max_rows max_suppressed mean measured_on mean_risk mechanisms models most multiples
    name nats number oracle origin pace people person placeholder population_unique presence private_texts_may_go_to purpose
    quasi queries rare records repeats rho rounds rows rules seed sensitive settings shapes share shares sign sql strength subject t target
    techniques text token top total treat trees unit values votes weights why widths window within words workers workload worlds zeros
    zone
    clipping cut each lora noise physical prompt public_steps rate sequences temperature tokens
    """.split()  # noqa: SIM905
)


def parameters() -> list[tuple[str, Any]]:
    """Every parameter of every command that takes a text or a path."""
    app = next(value for value in vars(_cli).values() if isinstance(value, typer.Typer))
    found: list[tuple[str, Any]] = []

    def walk(command: Any, path: str) -> None:
        if hasattr(command, "list_commands"):
            around = typer.Context(command)
            for name in command.list_commands(around):
                walk(command.get_command(around, name), f"{path} {name}".strip())
            return
        kinds = ("str", "Path", "list[str]", "list[Path]")
        found.extend((path, one) for one in command.params if one.bare_type() in kinds)

    walk(get_command(app), "")
    return found


def kind_of(command: str, name: str) -> Kind | None:
    if (command, name) in OTHERWISE:
        return OTHERWISE[command, name]
    if command.startswith("ledger ") and name == "place":
        return BOOK
    return READ.get(name)


def call_of(command: str, parameter: Any, file: str) -> list[str]:
    """A whole call in which this parameter names this file."""
    name, kind = parameter.name, kind_of(command, parameter.name)
    flag = next((one for one in parameter.opts if one.startswith("--")), "")
    usual = CALLS.get(f"{command} {flag}") or CALLS.get(command) or f"{command} {{{name}=}}"
    assert kind is not None
    said = kind.form.replace("@", file)
    words: list[str] = []
    given = False
    for word in shlex.split(usual):
        if word.startswith("{"):
            known, _, otherwise = word.strip("{}").partition("=")
            given = given or known == name
            words.append(said if known == name else otherwise)
        else:
            words.append(word)
    return words if given else [*words, flag, said]


TRIED = [(command, one) for command, one in parameters() if kind_of(command, one.name) is not None]


def pipe(place: Path) -> None:
    os.mkfifo(place)


def folder(place: Path) -> None:
    place.mkdir()


def endless(place: Path) -> None:
    place.symlink_to("/dev/zero")


def bound(place: Path) -> None:
    here = Path.cwd()
    os.chdir(place.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(place.name)
    finally:
        os.chdir(here)


def deep(place: Path) -> None:
    place.write_text("[" * 100_000)


def huge(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(1 << 30)  # of zeros, which take no room


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that was run, with keys, a plan, a model, and other things that commands ask for."""
    made = tmp_path_factory.mktemp("given") / "ward"
    made.mkdir()
    policy = project(made, RELEASE + TRAIN)
    keys = make_signing_key(made)
    run(policy)
    make_plan(policy).save(made / "plan.json")
    make_own_key(made / "ada.key")
    (made / "keys.json").write_text(json.dumps(keys.to_json()))
    bare = made.parent / "bare"
    bare.mkdir()
    shutil.copy(made / "stays.csv", bare / "stays.csv")
    (bare / "leaves.csv").write_text("ward\nCardiology\nSurgery\nOncology\n")
    (bare / "notes.jsonl").write_text('{"id": "a", "note": "x"}\n')
    (bare / "r.jsonl").write_text("{}\n")
    (bare / "public.txt").write_text("a text\n")
    (bare / "model").mkdir()
    for name in ("config.json", "tokenizer.json"):
        (bare / "model" / name).write_text("{}")
    (bare / "h.csv").write_text("a;*\n")
    for words in (
        "keys create people.keys",
        "pseudonymize stays.csv --column patient_id --dataset d --method vault --vault v.db --keys people.keys -o ps0.csv",
        "collect design --name c --values a,b --epsilon 1 --people 100 -o c.spec.json",
        "collect design --name w --words 4 --epsilon 1 --people 100000 -o w.spec.json",
    ):
        said = inside(*words.split(), cwd=bare, env=PHRASE)
        assert said.code == 0, said.err
    shutil.copy(bare / "people.keys", made / "people.keys")
    return made


@pytest.fixture(autouse=True)
def _no_waiting() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def test_every_text_and_path_of_every_command_stands_here() -> None:
    """A new option is a file that is tried, a place to write to, or a word: somebody says which."""
    unknown = [
        f"{command}: {one.name}"
        for command, one in parameters()
        if kind_of(command, one.name) is None
        and (command, one.name) not in OTHERWISE
        and one.name not in WORDS | WRITTEN
    ]
    assert unknown == []
    assert len(TRIED) > 60


@pytest.mark.parametrize(
    ("command", "parameter"), TRIED, ids=[f"{command}-{one.name}" for command, one in TRIED]
)
def test_what_is_no_file_is_refused_at_once(command: str, parameter: Any, ward: Path, tmp_path: Path) -> None:
    kind = kind_of(command, parameter.name)
    assert kind is not None
    makers: list[Callable[[Path], None]] = (
        [pipe, endless] if kind is TABLE else [pipe, folder, endless, bound]
    )
    makers += [deep] * kind.nested + [huge] * kind.long
    for make in makers:
        place = tmp_path / f"{make.__name__}{kind.ending}"
        make(place)
        around = ward if command.split(maxsplit=1)[0] in IN_A_PROJECT else ward.parent / "bare"
        said = inside(*call_of(command, parameter, str(place)), cwd=around, env=PHRASE)
        words = (command, parameter.name, make.__name__, said.code, said.err[-400:] + said.out[-200:])
        assert said.code not in (0, 130), words
        # It is this file that was refused, and not how the command was called.
        assert any(one in said.err + said.out for one in (place.name, *TOLD.get(parameter.name, ()))), words
        assert "Traceback" not in said.err, words
        assert "E-GENERAL-001" not in said.err + said.out, words  # an internal error
