"""Every verb with something to ask of it, and the three doors it can be asked through."""

import datetime
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest
import yaml
from tests.pipeline.small_ward import ROLES, rows

import privet as pv
from privet.app._cli import main
from privet.dataset import DataSet
from privet.errors import PrivetError
from privet.ledger import Ledger
from privet.pipeline._run import run
from privet.pipeline._sweep_settings import Sweep
from privet.pipeline._tradeoff import tradeoff
from privet.protect import transform as transforms
from privet.protect.tabulate import spine
from privet.protect.transform.pseudonyms import find_keys
from privet.verbs._verb import verbs
from privet.verbs._verb_options import spelled

DOORS = ("library", "command line", "policy")
COMMANDS = {
    "release": "query",
    "estimate": "collect estimate",
    "train-language-model": "lm train",
}  # of verbs whose command has another name
SOURCES = {"estimate": "reports.csv"}  # of verbs that read something else than rows about people
BOUNDS = {"age": [18, 90], "dose": [0, 7]}
VALUES = {"area": ["A", "B", "C"], "back": [True, False]}
SECRET = "k5=" + "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
MADE = "made"  # how the names of all outputs begin
TARGETS: dict[str, dict[str, Any]] = {
    "anonymize": {"k": 3, "l": {"illness": 2}, "search": "local", "max_suppressed": 0.3}
}

# What is asked of each verb. A verb that is not here fails a test.
ASKED: dict[str, dict[str, Any]] = {
    **TARGETS,
    "attack": {"of": "earlier", "attacks": ["homogeneity"]},
    "audit": {"fraction": 0.5},
    "estimate": {"specification": "illness.json", "delta": 1e-6},
    "mask": {"column": ["illness"]},
    "microaggregate": {"columns": ["age"], "k": 3},
    "pac": {"nats": "1/4", "mean": ["age"], "by": ["area"]},
    "pram": {"column": "illness", "keep": 0.8},
    "pseudonymize": {"column": ["illness"], "dataset": "ward"},
    "rank-swap": {"columns": ["age"], "window": 0.1},
    "release": {"sql": "SELECT area, COUNT(*) AS n FROM ward GROUP BY area", "epsilon": 0.5},
    "round": {"multiples": {"age": 10}},
    "shift-dates": {"columns": ["seen"], "person": "person", "max_days": 3, "dataset": "ward"},
    "suppress": {"rare": {"illness": 3}},
    "swap": {"columns": ["illness"], "share": 0.2},
    "synthesize": {"epsilon": 1, "delta": 1e-6, "rows": 50, "method": "mst", "columns": ["age", "area", "back"]},
    "tabulate": {"levels": ["area"], "cells": ["back"], "leaves": "areas.csv", "epsilon": 0.5, "delta": 1e-6},
    "topcode": {"above": {"age": 80}},
    "tradeoff": {"target": "back", "techniques": ["anonymize"], "k": [3], "k_all": [3], "repeats": 1},
    "train": {"target": "back", "epsilon": 1, "delta": 1e-6, "columns": ["age", "area"], "records": 120, "model": "linear"},
    "train-language-model": {"text": "illness", "epsilon": 1, "delta": 1e-6, "records": 40, "steps": 2, "batch": 20, "sequence": 8, "model": "llama-1x16"},
}  # fmt: skip
# The column of what is asked that is exchanged for another, where the verb is told a column.
COLUMN = {
    "anonymize": "illness", "mask": "illness", "microaggregate": "age", "pac": "age", "pram": "illness", "pseudonymize": "illness",
    "rank-swap": "age", "round": "age", "shift-dates": "seen", "suppress": "illness", "swap": "illness",
    "synthesize": "age", "tabulate": "area", "topcode": "age", "tradeoff": "back", "train": "age",
    "train-language-model": "illness",
}  # fmt: skip
SPENDING = ("estimate", "pac", "release", "synthesize", "tabulate", "train", "train-language-model")
BOOKED = (*SPENDING, "anonymize")
NEED_A_UNIT = (*(verb for verb in BOOKED if verb not in SOURCES), "tradeoff")  # a report is its own unit


def furnished(folder: Path) -> None:
    """The rows, a public list of places, and reports with the specification that they were made by."""
    table = rows(120)
    days = [datetime.date(2026, 1, 1) + datetime.timedelta(days=at % 90) for at in range(table.num_rows)]
    pyarrow.csv.write_csv(table.append_column("seen", pa.array(days)), folder / "ward.csv")
    (folder / "areas.csv").write_text("area\nA\nB\nC\n", encoding="utf-8")
    both = []
    for name, epsilon in (("illness", 2), ("dear", 10)):
        asked = pv.OneOf(["flu", "cold", "none"])
        spec = pv.Collection(name, asked, pv.LocalDP(epsilon), "grr", shuffler=100)
        spec.save(folder / f"{name}.json")
        reports = spec.randomize(["flu", "cold"] * 60)
        both.append(reports.cast(pa.schema([("collection", pa.string()), ("value", pa.int64())])))
    pyarrow.csv.write_csv(pa.concat_tables(both), folder / "reports.csv")


def declared(folder: Path, *steps: dict[str, Any], unit: bool = True, verb: str = "", **purpose: Any) -> Path:
    """A declaration of what the verb reads, with one purpose, and steps for it."""
    columns: dict[str, Any] = {}
    source = SOURCES.get(verb, "ward.csv")
    for name, role in {**ROLES, "seen": "insensitive"}.items():
        known = {"bounds": BOUNDS.get(name), "values": VALUES.get(name)}
        columns[name] = {"role": role, **{part: value for part, value in known.items() if value is not None}}
    used = ["age", "area", "illness", "back", "seen"]
    whose = {"unit": {"column": "person", "max_rows": 3}} if unit else {}
    if source == "reports.csv":
        columns, used = (
            {name: {"role": "sensitive"} for name in ("collection", "value")},
            ["collection", "value"],
        )
        whose = {"unit": {"column": "row", "change": "replace"}} if unit else {}
    outputs = ["answer", "audit", "hierarchy", "model", "records", "report", "table", "twin"]
    said = {
        "version": 1,
        "dataset": {"source": source, **whose, "ledger": "ward.csv.ledger", "budget": {"epsilon": 9, "delta": 0.001}, "nats": 2},
        "columns": columns,
        "purposes": {
            "beds": {
                "use": "planning beds",
                "basis": "GDPR Art. 6(1)(e)",
                "columns": used,
                "outputs": outputs,
                "recipients": ["internal"],
                "budget": {"epsilon": 5, "delta": 0.0005},
                "expires": "2099-01-01",
                **purpose,
            }
        },
        "steps": list(steps),
    }  # fmt: skip
    (folder / "privet.yaml").write_text(yaml.safe_dump(said, sort_keys=False), encoding="utf-8")
    return folder / "privet.yaml"


def words(verb: str, options: dict[str, Any]) -> list[str]:
    """Options as a command line has them, by the declaration's own spelling."""
    first: list[str] = []
    found: list[str] = []
    for one in spelled(verbs()[verb].options):
        if one.field not in options:
            continue
        value, flag = options[one.field], one.names[0]
        if one.argument or one.field == "sql":
            first.append(str(value))
        elif one.shape == "pairs":
            found += [part for key, item in value.items() for part in (flag, f"{key}={item}")]
        elif one.shape == "commas":
            found += [flag, ",".join(map(str, value))]
        else:
            found += [
                part for item in (value if isinstance(value, list) else [value]) for part in (flag, str(item))
            ]
    return [*first, *found]


def ending(verb: str) -> str:
    return verbs()[verb].endings[0]


def through_command_line(
    folder: Path,
    verb: str,
    options: dict[str, Any],
    capsys: Any,
    *,
    purpose: str | None = "beds",
    more: tuple[str, ...] = (),
) -> str | None:
    """The code of the refusal, or None."""
    out = ["--public" if verb == "audit" else "-o", str(folder / f"{MADE}{ending(verb)}")]
    data = [SOURCES.get(verb, "ward.csv")]
    if verb == "attack":
        options = {**options, "of": earlier(folder)}
        data = ["--members", "ward.csv"]
    for_what = [] if purpose is None else ["--purpose", purpose]
    capsys.readouterr()
    asked = words(verb, options)
    first = [asked.pop(0)] if verb == "estimate" else []  # the specification stands before the reports
    with pytest.raises(SystemExit) as ended:
        main([*COMMANDS.get(verb, verb).split(), *first, *data, *asked, *for_what, *out, *more, "--json"])
    said = json.loads(capsys.readouterr().out)
    code: str | None = said["error"]["code"] if ended.value.code else None
    return code


def asked_as(
    how: str,
    folder: Path,
    capsys: Any,
    monkeypatch: pytest.MonkeyPatch,
    *,
    purpose: str | None = "beds",
    more: tuple[str, ...] = (),
) -> str | None:
    """One question through `privet query` in one of its ways: the code of the refusal, or None."""
    sql, epsilon = ASKED["release"]["sql"], ["--epsilon", str(ASKED["release"]["epsilon"])]
    (folder / "question.sql").write_text(f"{sql};\n", encoding="utf-8")
    asked = {
        "once": [sql],
        "from a file": ["--file", "question.sql"],
        "explained": [sql, "--explain"],
        "in a shell": ["--repl"],
        "explained in a shell": ["--repl"],
    }[how]
    typed = f".explain {sql};\n" if how == "explained in a shell" else f"{sql};\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    for_what = [] if purpose is None else ["--purpose", purpose]
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["query", "ward.csv", *asked, *epsilon, *for_what, *more, "--json"])
    rest, said = capsys.readouterr().out.strip(), []
    while rest:
        document, end = json.JSONDecoder().raw_decode(rest)
        said.append(document)
        rest = rest[end:].strip()
    codes = [one["error"]["code"] for one in said if "error" in one]
    return codes[0] if codes else None


def through_policy(
    folder: Path, verb: str, options: dict[str, Any], purpose: str | None = "beds", **declares: Any
) -> str | None:
    for_what = {} if purpose is None else {"purpose": purpose}
    before = (
        [{"do": "anonymize", "name": "earlier", "purpose": "beds", **TARGETS["anonymize"]}]
        if verb == "attack"
        else []
    )
    try:
        step = {"do": verb, "name": MADE, **for_what, **options}
        run(declared(folder, *before, step, verb=verb, **declares))
    except PrivetError as problem:
        return problem.code
    return None


def earlier(folder: Path) -> str:
    """A table that was made before, to be attacked."""
    place = folder / "earlier.parquet"
    if not place.exists():
        data = DataSet.read(folder / "privet.yaml")
        table = data.table(purpose="beds")
        with data.ledger() as book:
            pv.anonymize(table, *_anonymity(dict(TARGETS["anonymize"])), ledger=book, why="earlier", out=place,
                         search="local", max_suppressed=0.3)  # fmt: skip
    return str(place)


def _anonymity(asked: dict[str, Any]) -> list[Any]:
    promise: Any = pv.KAnonymity(asked["k"])
    for column, number in asked["l"].items():
        promise &= pv.LDiversity(column, number)
    return [promise]


def through_library(
    folder: Path,
    verb: str,
    options: dict[str, Any],
    *,
    purpose: str | None = "beds",
    ledger: str | None = None,
) -> str | None:
    """As a program would: the columns it needs of the data set, and the verb's function."""
    try:
        data = DataSet.read(folder / "privet.yaml")
        known = verbs()[verb]
        thing = earlier(folder) if verb == "attack" else ""
        one = data.purposes["beds"]
        wanted = known.columns(known.options.model_validate(options), data.declaration, one)
        columns = [name for name in wanted if name != "person"]
        table = data.table(purpose=purpose, columns=columns)
        with data.ledger() if ledger is None else Ledger(ledger, limit=pv.ApproxDP(9, 0.001)) as book:
            LIBRARY[verb](table, book, {**options, "of": thing}, folder / f"{MADE}{ending(verb)}")
    except PrivetError as problem:
        return problem.code
    return None


def _tabulate(table: Any, book: Any, asked: dict[str, Any], out: Path) -> None:
    places = pv.KeySet.from_file(out.parent / asked["leaves"], *asked["levels"])
    asked_for = spine(table, asked["levels"], asked["cells"], leaves=places)
    promise = pv.ApproxDP(asked["epsilon"], asked["delta"])
    pv.release(asked_for, promise, ledger=book, why="one", purpose="beds").save(out)


def _train(table: Any, book: Any, asked: dict[str, Any], out: Path) -> None:
    rest = {name: value for name, value in asked.items() if name not in ("epsilon", "delta", "of")}
    promise = pv.ApproxDP(asked["epsilon"], asked["delta"])
    pv.train(table, promise, ledger=book, why="one", purpose="beds", **rest).save(out)


def _train_language_model(table: Any, book: Any, asked: dict[str, Any], out: Path) -> None:
    named = ("model", "sequence", "steps", "batch")
    pv.train_language_model(
        table, pv.ApproxDP(asked["epsilon"], asked["delta"]), ledger=book, why="one", purpose="beds",
        records=asked["records"], text=asked["text"], recipe=pv.LanguageRecipe(**{name: asked[name] for name in named}),
    ).save(out)  # fmt: skip


def _synthesize(table: Any, book: Any, asked: dict[str, Any], out: Path) -> None:
    rest = {name: value for name, value in asked.items() if name not in ("epsilon", "delta", "of")}
    promise = pv.ApproxDP(asked["epsilon"], asked["delta"])
    pv.synthesize(table, promise, ledger=book, why="one", purpose="beds", **rest).save(out)


def _release(table: Any, book: Any, asked: dict[str, Any], out: Path) -> None:
    (answer,) = pv.release(
        [asked["sql"]], pv.PureDP(asked["epsilon"]), ledger=book, why="one", purpose="beds", table=table
    )
    answer.save(out)


def _swept(table: Any, book: Any, asked: dict[str, Any], out: Path) -> None:
    del book
    sweep = Sweep(k=tuple(asked["k"]), k_all=tuple(asked["k_all"]), repeats=1)
    tradeoff(table, target=asked["target"], techniques=asked["techniques"], sweep=sweep).save(out)


def _estimate(table: Any, book: Any, asked: dict[str, Any], out: Path) -> None:
    spec = pv.Collection.load(out.parent / asked["specification"])
    pv.estimate(table, spec, ledger=book, why="one", delta=asked["delta"], purpose="beds").save(out)


def _pac(table: Any, book: Any, asked: dict[str, Any], out: Path) -> None:
    question = table.group_by(*asked["by"]).agg(
        **{f"mean of {name}": pv.mean(name) for name in asked["mean"]}
    )
    pv.release(question, pv.PacPrivacy(asked["nats"]), ledger=book, why="one", purpose="beds").save(out)


LIBRARY: dict[str, Callable[[Any, Any, dict[str, Any], Path], Any]] = {
    "anonymize": lambda table, book, asked, out: pv.anonymize(
        table, *_anonymity(asked), ledger=book, why="one", out=out, search="local", max_suppressed=0.3
    ),
    "attack": lambda table, book, asked, out: pv.attack(
        asked["of"], members=table, attacks=asked["attacks"]
    ).save(out),
    "audit": lambda table, book, asked, out: pv.audit(table, unit=table.unit, fraction=asked["fraction"]),
    "estimate": _estimate,
    "mask": lambda table, book, asked, out: transforms.mask(table, asked["column"][0]).write(out),
    "microaggregate": lambda table, book, asked, out: transforms.microaggregate(
        table, asked["columns"], asked["k"]
    ).write(out),
    "pac": _pac,
    "pram": lambda table, book, asked, out: transforms.pram(table, asked["column"], keep=asked["keep"]).write(out),
    "pseudonymize": lambda table, book, asked, out: pv.pseudonymize(
        table, asked["column"][0], keys=find_keys(), dataset=asked["dataset"]
    ).write(out),
    "rank-swap": lambda table, book, asked, out: transforms.rank_swap(
        table, asked["columns"], window=asked["window"]
    ).write(out),
    "release": _release,
    "round": lambda table, book, asked, out: transforms.round_to(table, *next(iter(asked["multiples"].items()))).write(out),
    "shift-dates": lambda table, book, asked, out: transforms.shift_dates(
        table, asked["columns"], person="person", keys=find_keys(), dataset="ward", max_days=3
    ).write(out),
    "suppress": lambda table, book, asked, out: transforms.suppress_rare(table, *next(iter(asked["rare"].items()))).write(out),
    "swap": lambda table, book, asked, out: transforms.swap(table, asked["columns"], share=asked["share"]).write(out),
    "synthesize": _synthesize,
    "tabulate": _tabulate,
    "topcode": lambda table, book, asked, out: transforms.code_ends(table, "age", above=asked["above"]["age"]).write(out),
    "tradeoff": _swept,
    "train": _train,
    "train-language-model": _train_language_model,
}  # fmt: skip


def exchanged(said: Any, old: str, new: str) -> Any:
    """What is asked, with another column in the place of one."""
    if isinstance(said, dict):
        return {exchanged(name, old, new): exchanged(value, old, new) for name, value in said.items()}
    if isinstance(said, list):
        return [exchanged(one, old, new) for one in said]
    return new if said == old else said


def booked(folder: Path) -> list[dict[str, Any]]:
    """What the ledger says of releases, without what differs from one time to the next."""
    place = folder / "ward.csv.ledger"
    if not place.exists():
        return []
    with Ledger(place) as book:
        entries = [one.body for one in book.history() if one.kind in ("spend", "promise")]
    keep = ("cost", "event", "promise", "purpose", "unit", "scopes", "data")
    return [{name: body[name] for name in keep if name in body} for body in entries]


def made(folder: Path) -> list[str]:
    """What was written for whoever asked."""
    return [
        one.name
        for place in (folder, folder / "out" / "owner", folder / "out" / "public")
        for one in place.glob(f"{MADE}*")
    ]
