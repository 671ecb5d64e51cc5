"""`privet schema`: a draft of what must be public before a model can be trained."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privet.app.output import JsonOption, emit, progress, write_file
from privet.errors import BadUsage


def command(
    data: Annotated[
        str, typer.Argument(metavar="FILE", help="A file (CSV, Parquet, JSON lines, …) or a database URL.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write it to a file: .yaml or .json.")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="The CSV's delimiter, if it cannot be guessed.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Draft a schema from the data, for its owner's eyes: training refuses it until somebody confirms it."""
    if out and out.suffix not in (".yaml", ".yml", ".json"):
        raise BadUsage(f"a schema cannot be saved as {out.name}.", "Use a name that ends in .yaml or .json.")
    from privet.audit.classification import classify
    from privet.protect.train.tabular.drafting import drafted, schema_record, schema_text
    from privet.source import open_table

    with progress("reading"):
        table = open_table(data, delimiter=delimiter)
        naming = [name for name, found in classify(table).items() if found.role in ("direct", "free text")]
        draft = drafted(table, leave_out=naming)
    text = schema_text(out.name if out else "schema.yaml", draft)
    if out:
        write_file(out, text)
    saved = [f"saved {out}; read off the data: check and confirm it before you train with it"] if out else []
    record = {**schema_record(draft), "unconfirmed": draft.unconfirmed, "saved": str(out) if out else None}
    emit(record, "\n".join(saved) if out else text, plain=str(out) if out else text.rstrip(), as_json=as_json)
