"""`privet init`: a first policy for a table, from an audit of it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.app import output
from privet.app.policies import DEFAULT
from privet.errors import BadUsage, NothingToAudit

if TYPE_CHECKING:
    from privet.audit import Audit
    from privet.pipeline.drafting import Said


def command(
    data: Annotated[str, typer.Argument(metavar="DATA", help="A file or a database URL.")],
    *,
    to: Annotated[Path, typer.Option("--output", "-o", help="The policy file to write.")] = DEFAULT,
    yes: Annotated[
        bool,
        typer.Option("--yes", "-y", help="Ask nothing: a trial for internal use that can be run at once."),
    ] = False,
    delimiter: Annotated[
        str | None, typer.Option(help="The CSV's delimiter, if it cannot be guessed.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file if it exists.")] = False,
    as_json: output.JsonOption = False,
) -> None:
    """Write a policy for a table: roles as an audit finds them, one purpose, and first steps.

    What only people can say stays open, and the policy does not run until they have said it. With --yes the purpose is a trial for internal use.
    """
    from privet.audit.auditing import STAGES
    from privet.dataset.yaml_positions import placed
    from privet.ledger import clock
    from privet.pipeline.drafting import audited, draft
    from privet.pipeline.policy import check_policy
    from privet.pipeline.policy_schema import NAME as SCHEMA_NAME
    from privet.pipeline.policy_schema import policy_schema

    if to.exists() and not overwrite:
        raise BadUsage(f"{to} is there already.", "Name another file with -o, or add --overwrite.")
    if not to.resolve().parent.is_dir():
        raise BadUsage(f"the folder of {to} does not exist.", "Create it first.")
    try:
        with output.progress("opening", total=STAGES) as advance:
            found = audited(data, delimiter, advance)
    except NothingToAudit as nothing:
        raise NothingToAudit(
            nothing.fact,
            "A policy would have nothing to use here: take a table with more than identifiers, or give them keyed "
            "pseudonyms with privet pseudonymize.",
        ) from None
    said = _said(found, yes=yes, ask=not as_json)
    text = draft(found, _from(data, to), said, today=clock.now().date(), delimiter=delimiter)
    policy = check_policy(placed(text, to.name))
    output.write_file(to.resolve().parent / SCHEMA_NAME, policy_schema())
    output.write_file(to, text)
    unit = policy.dataset.unit.column
    open_parts = [] if yes else _open(text)
    lines = [
        f"wrote {to} and {SCHEMA_NAME} beside it",
        f"hides: {'each row by itself' if unit == 'row' else f'everything of one {unit!r}'} (a guess: confirm it)",
        f"columns: {len(policy.columns)}, of which the purpose may use {len(policy.purposes['first-use'].columns)}",
    ]
    if len(policy.columns) == 1:
        lines.append(
            "only one column was found: if the file has more, name what stands between them: --delimiter"
        )
    if open_parts:
        lines.append(f"to be said by somebody: {', '.join(open_parts)}")
    asked = "" if to == DEFAULT else f" --policy {shlex.quote(str(to))}"
    first = "say these, then: " if open_parts else ""
    lines.append(f"next: {first}privet plan{asked}")
    record = {
        "policy": str(to),
        "schema": SCHEMA_NAME,
        "unit": unit,
        "columns": {name: column.role for name, column in policy.columns.items()},
        "open": open_parts,
    }
    output.emit(record, "\n".join(lines), plain=str(to), as_json=as_json)


def _from(data: str, to: Path) -> str:
    """The source as seen from the policy's folder."""
    if "://" in data:
        return data
    folder = to.resolve().parent
    name, mark, part = data.partition("#")
    place = Path(name).resolve()
    inside = place.relative_to(folder).as_posix() if place.is_relative_to(folder) else place.as_posix()
    return inside + mark + part


def _said(found: Audit, *, yes: bool, ask: bool) -> Said:
    from privet.pipeline.drafting import Said

    if yes:
        return Said.trial()
    if not ask or sys.stdin is None or not sys.stdin.isatty() or not sys.stderr.isatty():
        return Said()
    blank = Said()
    columns = ["row", *found.columns]
    unit = typer.prompt("Whose rows are they? A column, or row", default=found.unit.column or "row", err=True)
    if unit not in columns:
        raise BadUsage("there is no such column.", "Name a column of the table, or row.")
    use = typer.prompt("What will the data be used for?", default="", show_default=False, err=True)
    basis = typer.prompt("On which legal basis?", default="", show_default=False, err=True)
    whom = typer.prompt("For whom? a,b,c", default="internal", err=True)
    recipients = tuple(one.strip() for one in whom.split(",") if one.strip())
    return Said(
        use.strip() or blank.use, basis.strip() or blank.basis, recipients or blank.recipients, str(unit)
    )


def _open(text: str) -> list[str]:
    from privet.pipeline.checking import OPEN

    return [line.split(":")[0].strip() for line in text.splitlines() if OPEN in line]
