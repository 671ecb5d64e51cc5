"""`privet train`: a model of one column, under differential privacy."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from privet.app import _verb_command as verb_command
from privet.app._output_files import check_outputs, file_of
from privet.app._terminal import emit, progress
from privet.errors import BadUsage
from privet.verbs import (
    MOST_ROWS,
    SEED,
    BookingOptions,
    Done,
    Flag,
    Options,
    Request,
    RowsAsked,
    TrainOptions,
    TrainVerb,
    carried_out,
    completed,
    forget_completed,
    has_completed,
    mark_completed,
    opened_alone,
)

if TYPE_CHECKING:
    from privet.artifact import ReleasedModel
    from privet.source import Table


class Capped(Options):
    """How much of one person counts."""

    max_rows: Annotated[
        int | None,
        Field(
            gt=0,
            description=f"Rows of one person that may count; together they count as one [default: {MOST_ROWS}].",
        ),
        Flag(example="20"),
    ] = None


class TrainOutputs(Options):
    """What to write, and what to measure for the owner."""

    out: Annotated[
        Path,
        Field(description="The folder to write the model to."),
        Flag(names=("--out", "-o"), file="out", example="model"),
    ]
    test: Annotated[
        str | None,
        Field(description="A holdout, to measure on: exact figures, for its owner."),
    ] = None
    html: Annotated[
        Path | None,
        Field(description="Draw how training went, for the owner alone: losses, clipped shares, epsilon."),
        Flag(file="out"),
    ] = None
    twin: Annotated[
        bool,
        Field(description="Also measure a twin without privacy on the test table, for the owner alone."),
    ] = False


def _run(said: verb_command.CommandInput) -> None:
    options, files = said.of(TrainOptions), said.of(TrainOutputs)
    rows = said.of(RowsAsked)
    _check_folder(files.out, rows.data)
    _check_page(files.html, files.out, rows.data)
    if files.twin and files.test is None:
        raise BadUsage("a twin is measured on a test table.", "Add --test FILE, a holdout.")
    held = _test_table(files.test, rows, options.target, said.of(BookingOptions).purpose)
    asked = Request.of(options, rows, said.of(Capped), said.of(BookingOptions))
    with _taken_up(files.out) as scratch:
        done = completed(TrainVerb(), asked, scratch, _outputs(files))
        if done is not None:
            measured, alone = _figures(done, held, twin=files.twin)
        else:
            _begin_anew(scratch)
            done, measured, alone = _trained(asked, files, held, scratch)
        _destroy_seeds(scratch)
        _say(
            done.made,
            measured,
            files.out,
            str(done.ledger),
            opened_alone(done),
            as_json=said.as_json,
            twin=alone,
            page=files.html,
        )
        sys.stdout.flush()


def _trained(
    asked: Request, files: TrainOutputs, held: Table | None, scratch: Path
) -> tuple[Done, dict[str, float], dict[str, float]]:
    """The model and the page; that they stand is noted before the seed is destroyed."""
    with progress("training") as step:
        watched = bool(files.html or files.twin)
        done = carried_out(TrainVerb(), asked, to=files.out, say=step, watched=watched, scratch=scratch)
    measured, alone = _figures(done, held, twin=files.twin)
    if files.html is not None:
        from privet.report import save_training_page

        done.log.measure(measured, alone)
        save_training_page(done.log, files.html)
    mark_completed(scratch, asked, done, _outputs(files))
    return done, measured, alone


def _outputs(files: TrainOutputs) -> tuple[Path, ...]:
    return (files.out,) if files.html is None else (files.out, files.html)


def _figures(done: Done, held: Table | None, *, twin: bool) -> tuple[dict[str, float], dict[str, float]]:
    """On the test table, of the model and of its twin."""
    return _measured(done.made, held), _twin(done.made, done.table, held) if twin else {}


@contextlib.contextmanager
def _taken_up(out: Path) -> Iterator[Path]:
    """Where a training keeps what it needs to be taken up, beside its model; gone once all that was asked for was said.

    A command that is killed and given again finds it there, and pays nothing twice.
    """
    from privet.artifact import discard_empty, own_folder

    place = own_folder(out.absolute().with_name(f".{out.absolute().name}.training"))
    try:
        yield place
        forget_completed(place)
    finally:
        discard_empty(place)


def _begin_anew(scratch: Path) -> None:
    """What is left of a training that had come to its end, and is not what is asked now, is no part of this one."""
    if has_completed(scratch):
        _destroy_seeds(scratch)
        forget_completed(scratch)


def _destroy_seeds(scratch: Path) -> None:
    from privet.protect.train import destroy

    destroy(scratch / SEED)


command = verb_command.command(RowsAsked, Capped, TrainOptions, BookingOptions, TrainOutputs, run=_run)


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
    from privet.artifact import RECORD, refuse_ledgers

    if "://" not in data and out.resolve() == file_of(data).resolve():
        raise BadUsage("the model would be written over the data.", "Name a folder; nothing was spent.")
    if not out.resolve().parent.is_dir():
        raise BadUsage(f"the folder around {out.name} does not exist.", "Create it first; nothing was spent.")
    free = not out.exists() or (out / RECORD).is_file() or (out.is_dir() and not any(out.iterdir()))
    refuse_ledgers(out)
    if not free:
        raise BadUsage(f"{out.name} is there and holds no model.", "Name a new folder; nothing was spent.")


def _test_table(test: str | None, rows: RowsAsked, target: str, purpose: str | None) -> Table | None:
    if test is None:
        return None
    from privet.dataset import DataSet, owner_rows

    if DataSet.of(rows.data).declares(test):
        raise BadUsage(
            "the test table is the training table: its figures would be about people whom the promise hides.",
            "Keep some rows apart in a file of their own.",
        )
    table = owner_rows(test, purpose=purpose, delimiter=rows.delimiter)
    if target not in table.columns:
        raise BadUsage(f"the test table has no column {target!r}.", "Give one that has the answers.")
    return table


def _measured(trained: ReleasedModel, held: Table | None) -> dict[str, float]:
    if held is None:
        return {}
    from privet.engine import settled
    from privet.protect.train.tabular import metrics

    return metrics(trained, settled(held.relation))


def _twin(trained: ReleasedModel, table: Table, held: Table | None) -> dict[str, float]:
    from privet.engine import settled
    from privet.protect.train.tabular import twin_metrics

    assert held is not None
    return twin_metrics(trained, table, settled(held.relation))


def _say(
    trained: ReleasedModel,
    measured: dict[str, float],
    out: Path,
    ledger: str,
    opened: list[str],
    *,
    as_json: bool,
    twin: dict[str, float],
    page: Path | None,
) -> None:
    from privet.guarantee import unit_in

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
        "ledger_note": opened[0] if opened else None,
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
    lines += [f"booked in {ledger}", *opened, f"saved {out}"]
    emit(record, "\n".join(lines), plain=str(out), as_json=as_json)


def _whom(trained: ReleasedModel) -> str:
    column = trained.unit.get("column")
    return (
        f"everything of one {column!r}, of at most {trained.unit.get('max_rows')} rows"
        if column
        else "one row"
    )
