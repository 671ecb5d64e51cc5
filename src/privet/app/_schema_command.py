"""`privet schema`: a draft of what must be public before a model can be trained; or the schema of policies, for editors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privet.app._terminal import JsonOption, emit, progress, write_file
from privet.artifact import OwnerOnly, Publishable
from privet.errors import BadUsage


def command(
    data: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="A file (CSV, Parquet, JSON lines, …) or a database URL."),
    ] = None,
    *,
    policy: Annotated[
        bool, typer.Option("--policy", help="The JSON schema of privet.yaml instead, for editors.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write it to a file: .yaml or .json.")
    ] = None,
    purpose: Annotated[
        str | None, typer.Option(help="What it is for; needed where the data set has purposes.")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="The CSV's delimiter, if it cannot be guessed.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Draft a schema from the data, for its owner's eyes: training refuses it until somebody confirms it.

    With --policy and no file: the JSON schema by which editors complete `privet.yaml`.
    """
    if policy:
        _of_policies(data, out, as_json=as_json)
        return
    if data is None:
        raise BadUsage("no data was named.", "Name a file or a database URL, or ask with --policy.")
    if out and out.suffix not in (".yaml", ".yml", ".json"):
        raise BadUsage(f"a schema cannot be saved as {out.name}.", "Use a name that ends in .yaml or .json.")
    from privet.audits import classify
    from privet.dataset import owner_rows
    from privet.engine import key_parts
    from privet.guarantee import Person
    from privet.protect.train.tabular import drafted, schema_record, schema_text

    with progress("reading"):
        table = owner_rows(data, purpose=purpose, delimiter=delimiter)
        naming = [name for name, found in classify(table).items() if found.role in ("direct", "free text")]
        naming += key_parts(table.unit.column, table.columns) if isinstance(table.unit, Person) else []
        draft = drafted(table, leave_out=naming)
    text = schema_text(out.name if out else "schema.yaml", draft)
    if out:
        write_file(out, OwnerOnly(text))
    saved = [f"saved {out}; read off the data: check and confirm it before you train with it"] if out else []
    record = {**schema_record(draft), "unconfirmed": draft.unconfirmed, "saved": str(out) if out else None}
    emit(record, "\n".join(saved) if out else text, plain=str(out) if out else text.rstrip(), as_json=as_json)


def _of_policies(data: str | None, out: Path | None, *, as_json: bool) -> None:
    """The schema of the policy file; it does not depend on any data."""
    import json

    from privet.pipeline import policy_schema

    if data is not None:
        raise BadUsage("the schema of policies is the same for all data.", "Leave the file out.")
    if out and out.suffix != ".json":
        raise BadUsage(f"a JSON schema cannot be saved as {out.name}.", "Use a name that ends in .json.")
    text = policy_schema()
    if out:
        write_file(out, Publishable(text, "holds nothing from the data"))
    words = (
        f"saved {out}; name it in the first line of the policy: # yaml-language-server: $schema=./{out.name}"
        if out
        else text
    )
    emit(json.loads(text), words, plain=str(out) if out else text.rstrip(), as_json=as_json)
