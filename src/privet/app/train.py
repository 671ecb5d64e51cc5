"""`privet train`: a model of one column, under differential privacy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.app.output import JsonOption, emit, progress
from privet.app.query_options import check_outputs, file_of
from privet.errors import BadUsage

if TYPE_CHECKING:
    from privet.artifact.model import ReleasedModel
    from privet.dataset import DataSet
    from privet.source.table import Table

MOST_ROWS = 20


def command(
    data: Annotated[
        str, typer.Argument(metavar="FILE", help="A file (CSV, Parquet, JSON lines, …) or a database URL.")
    ],
    target: Annotated[str, typer.Option(help="The column to predict: classes or a number.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write the model to.")],
    epsilon: Annotated[str, typer.Option(help="Promise epsilon for the model.")],
    delta: Annotated[str, typer.Option(help="And a failure probability of delta.")] = "1e-6",
    unit: Annotated[
        str | None,
        typer.Option(help="The column that identifies a person (a,b if two do together), or 'row'."),
    ] = None,
    max_rows: Annotated[
        int, typer.Option(min=1, help="Rows of one person that may count; together they count as one.")
    ] = MOST_ROWS,
    schema: Annotated[
        Path | None,
        typer.Option(help="Public bounds and values, as `privet schema` drafts them [default: estimated]."),
    ] = None,
    columns: Annotated[str | None, typer.Option(help="The columns to learn from: a,b,c.")] = None,
    records: Annotated[
        int | None,
        typer.Option(min=1, help="About how many units there are, if public [default: estimated]."),
    ] = None,
    classes: Annotated[
        bool, typer.Option("--classes", help="The target's numbers are classes (without a schema).")
    ] = False,
    weights: Annotated[
        list[str] | None, typer.Option("--class-weight", help="Public weight of a class: yes=3. Repeatable.")
    ] = None,
    model: Annotated[str, typer.Option(help="auto, or a learner: linear, mlp, ebm, objective.")] = "auto",
    test: Annotated[
        str | None, typer.Option(help="A table kept apart, to measure on: exact figures, for its owner.")
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(help="Draw how training went, for the owner alone: losses, clipped shares, epsilon."),
    ] = None,
    twin: Annotated[
        bool,
        typer.Option(
            "--twin", help="Also measure a twin without privacy on the test table, for the owner alone."
        ),
    ] = False,
    ledger: Annotated[
        str | None, typer.Option(help="The ledger that books it [default: FILE.ledger].")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help="If there is no ledger yet, its limit: 3,1e-6 [default: this promise].")
    ] = None,
    why: Annotated[str, typer.Option(help="The reason, for the ledger.")] = "trained on the command line",
    purpose: Annotated[str | None, typer.Option(help="Also charge this purpose's budget.")] = None,
    analyst: Annotated[str | None, typer.Option(help="Also charge this analyst's budget.")] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="The CSV's delimiter, if it cannot be guessed.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Train a model that predicts a column and keeps a promise; it is booked before it is fitted."""
    from privet.guarantee.promises import ApproxDP

    promise = ApproxDP(epsilon, delta)
    _check_folder(out, data)
    _check_page(html, out, data)
    if twin and test is None:
        raise BadUsage("a twin is measured on a test table.", "Add --test FILE, rows that were kept apart.")
    from privet.dataset import DataSet

    owner = DataSet.of(data)
    table = opened(owner, unit, max_rows, delimiter, purpose)
    used = None if columns is None else [name.strip() for name in columns.split(",") if name.strip()]
    held = _test_table(test, data, target, delimiter)
    given_weights = _weights(weights)
    from privet.app.limits import read_budget
    from privet.protect.train import train
    from privet.protect.train.diary import TrainingDiary
    from privet.protect.train.tabular.training import refuse_unfit

    diary = TrainingDiary() if html or twin else None
    refuse_unfit(table, promise, target=target, model=model, schema=schema, columns=used, records=records)
    own = promise if owner.existing_ledger(ledger) is None else None  # a ledger that this model uses up
    limit = own if budget is None else read_budget(budget)
    with owner.ledger(ledger, limit=limit) as book, progress("training") as step:
        trained = train(
            table,
            promise,
            target=target,
            ledger=book,
            why=why,
            model=model,
            schema=schema,
            columns=used,
            records=records,
            classes=classes or None,
            class_weights=given_weights,
            purpose=purpose,
            analyst=analyst,
            progress=lambda taken, steps: step(f"step {taken} of {steps}"),
            diary=diary,
        )
        place = book.place
    trained.save(out)
    measured, alone = _measured(trained, held), _twin(trained, table, held) if twin else {}
    if diary is not None and html is not None:
        from privet.report.training_page import save_training_page

        diary.measure(measured, alone)
        save_training_page(diary, html)
    _say(trained, measured, out, place, as_json=as_json, twin=alone, page=html)


def opened(
    owner: DataSet, unit: str | None, max_rows: int, delimiter: str | None, purpose: str | None
) -> Table:
    """The table with its unit. What nobody said is taken from names of columns alone, never from their values.

    Columns that are called like names, numbers or addresses of a person are not learned from. A choice that values decide
    would tell about them.
    """
    import pyarrow as pa

    from privet.audit.classification import classify
    from privet.dataset.statement import ASK_UNIT, Statement
    from privet.engine.rewriting import kind_type
    from privet.errors import UnitNotStated
    from privet.guarantee.units import Person, Row
    from privet.source import Role, open_table

    Statement(unit, delimiter=delimiter).refuse_beside(owner)
    if owner.declaration is not None:
        return owner.table(purpose=purpose)
    if unit is None:
        raise UnitNotStated("say whose presence is hidden.", ASK_UNIT)
    whose = Row() if unit == "row" else Person(unit, max_rows=max_rows)
    table = owner.table(unit=whose, delimiter=delimiter)
    headings = pa.schema([(name, kind_type(kind)) for name, kind in table.columns.items()]).empty_table()
    named = classify(open_table(headings))
    hidden = {name: Role.DIRECT for name, found in named.items() if found.role == "direct" and name != unit}
    return replace(table, roles={**hidden, **table.roles})


def _check_page(html: Path | None, out: Path, data: str) -> None:
    """Refuse pages that could not be written, or that would leave the house with the model."""
    if html is None:
        return
    if html.suffix not in (".html", ".htm"):
        raise BadUsage(f"a page cannot be saved as {html.name}.", "Use a name that ends in .html.")
    check_outputs(data, None, html)
    if out.resolve() in html.resolve().parents:
        raise BadUsage(
            "the page is for the owner alone and does not go into the model's folder.",
            "Write it somewhere else; nothing was spent.",
        )


def _check_folder(out: Path, data: str) -> None:
    from privet.artifact.model import RECORD
    from privet.artifact.removal import refuse_ledgers

    if "://" not in data and out.resolve() == file_of(data).resolve():
        raise BadUsage("the model would be written over the data.", "Name a folder; nothing was spent.")
    if not out.resolve().parent.is_dir():
        raise BadUsage(f"the folder around {out.name} does not exist.", "Create it first; nothing was spent.")
    free = not out.exists() or (out / RECORD).is_file() or (out.is_dir() and not any(out.iterdir()))
    refuse_ledgers(out)
    if not free:
        raise BadUsage(f"{out.name} is there and holds no model.", "Name a new folder; nothing was spent.")


def _test_table(test: str | None, data: str, target: str, delimiter: str | None) -> Table | None:
    if test is None:
        return None
    from privet.source import open_table

    if "://" not in test and file_of(test).resolve() == file_of(data).resolve():
        raise BadUsage(
            "the test table is the training table: its figures would be about people whom the promise hides.",
            "Keep some rows apart in a file of their own.",
        )
    table = open_table(test, delimiter=delimiter)
    if target not in table.columns:
        raise BadUsage(f"the test table has no column {target!r}.", "Give one that has the answers.")
    return table


def _weights(given: list[str] | None) -> dict[str, float] | None:
    if not given:
        return None
    found = {}
    for text in given:
        name, _, number = text.rpartition("=")
        try:
            found[name] = float(number)
        except ValueError:
            raise BadUsage("--class-weight could not be read.", "Write --class-weight yes=3.") from None
    return found


def _measured(trained: ReleasedModel, held: Table | None) -> dict[str, float]:
    if held is None:
        return {}
    from privet.engine.rewriting import settled
    from privet.protect.train.tabular.evaluating import metrics

    return metrics(trained, settled(held.relation))


def _twin(trained: ReleasedModel, table: Table, held: Table | None) -> dict[str, float]:
    from privet.engine.rewriting import settled
    from privet.protect.train.tabular.twin import twin_metrics

    assert held is not None
    return twin_metrics(trained, table, settled(held.relation))


def _say(
    trained: ReleasedModel,
    measured: dict[str, float],
    out: Path,
    ledger: str,
    *,
    as_json: bool,
    twin: dict[str, float],
    page: Path | None,
) -> None:
    from privet.guarantee.units import unit_in

    record: dict[str, Any] = {
        "epsilon": float(getattr(trained.promise, "epsilon", 0)),
        "delta": float(getattr(trained.promise, "delta", 0)),
        "unit": trained.unit.get("column", "row"),
        "metrics": measured,
        "receipt": trained.receipt.to_json() if trained.receipt else None,
        "target": trained.target.to_json(),
        "kind": trained.fitted.kind,
        "columns": list(trained.features.names),
        "settings": dict(trained.fitted.settings),
        "sentence": trained.promise.sentence_about(unit_in(trained.unit)),
        "notes": list(trained.notes),
        "ledger": ledger,
        "model": str(out),
        "owner_only": {"twin": twin, "page": str(page) if page else None},
    }
    lines = [str(trained), f"hidden: {_whom(trained)}", *trained.notes]
    if measured:
        shown = ", ".join(f"{name} {value:.4g}" for name, value in measured.items())
        lines.append(f"on the test table (exact, for its owner): {shown}")
    if twin:
        shown = ", ".join(f"{name} {value:.4g}" for name, value in twin.items())
        lines.append(f"a twin without privacy (for the owner alone, not kept): {shown}")
    if page:
        lines.append(f"drawn in {page}: for the owner alone")
    lines += [f"booked in {ledger}", f"saved {out}"]
    emit(record, "\n".join(lines), plain=str(out), as_json=as_json)


def _whom(trained: ReleasedModel) -> str:
    column = trained.unit.get("column")
    return (
        f"everything of one {column!r}, of at most {trained.unit.get('max_rows')} rows"
        if column
        else "one row"
    )
