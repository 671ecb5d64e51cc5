"""`privet predict`: what a released model says of new rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.app._terminal import JsonOption, emit, progress
from privet.errors import BadUsage

if TYPE_CHECKING:
    import pyarrow as pa


def command(
    model: Annotated[Path, typer.Argument(metavar="MODEL_DIR", help="The folder that `privet train` wrote.")],
    data: Annotated[str, typer.Argument(metavar="FILE", help="The rows to predict for.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Write predictions to .csv or .parquet.")],
    delimiter: Annotated[
        str | None, typer.Option(help="The CSV's delimiter, if it cannot be guessed.")
    ] = None,
    purpose: Annotated[
        str | None, typer.Option(help="What it is for; needed where the rows' data set has purposes.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Predict for each row of a table, in its order. Costs no budget: the model keeps its promise whatever is asked."""
    if out.suffix not in (".csv", ".parquet"):
        raise BadUsage(
            f"predictions cannot be saved as {out.name}.", "Use a name that ends in .csv or .parquet."
        )
    from privet.artifact import OwnerOnly, ReleasedModel, written_whole
    from privet.dataset import owner_rows
    from privet.engine import settled

    loaded = ReleasedModel.load(model)
    with progress("predicting"):
        # A prediction for each row is a row that leaves.
        table = owner_rows(data, purpose=purpose, delimiter=delimiter, makes="table")
        found = loaded.predictions(settled(table.relation))
        written_whole(out, OwnerOnly(lambda path: _fill(found, path, out.suffix)))
    record: dict[str, Any] = {
        "rows": found.num_rows,
        "columns": found.column_names,
        "target": loaded.target.name,
        "promise": loaded.promise.to_json(),
        "receipt": loaded.receipt.to_json() if loaded.receipt else None,
        "saved": str(out),
    }
    emit(
        record,
        f"{found.num_rows:,} predictions of {loaded.target.name} in {out}",
        plain=str(out),
        as_json=as_json,
    )


def _fill(table: pa.Table, path: Path, ending: str) -> None:
    from privet.artifact import write_csv

    if ending == ".parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, path)
    else:
        write_csv(table, path)
