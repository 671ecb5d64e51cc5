"""`privet anonymize`: change a table until a promise about linking holds, and lose as little as possible."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from privet.app import _terminal as terminal
from privet.app import _verb_command as verb_command
from privet.app._table_outputs import check_outputs
from privet.artifact import sign_file
from privet.verbs import (
    AnonymizeOptions,
    AnonymizeVerb,
    Flag,
    Options,
    Recording,
    Request,
    RolesStated,
    RowsAsked,
    carried_out,
    stated_roles,
)

if TYPE_CHECKING:
    from privet.artifact import ReleasedTable


class AnonymizeOutputs(Options):
    """What to write, and where."""

    out: Annotated[
        Path | None,
        Field(description="The file to write: .parquet or .csv."),
        Flag(names=("--out", "-o"), file="out", example="safe.parquet"),
    ] = None
    page: Annotated[Path | None, Field(description="Write a page about it: .html."), Flag(file="out")] = None
    show_rows: Annotated[
        bool, Field(description="On the page, also rows before and after: for the owner only.")
    ] = False
    record: Annotated[
        Path | None, Field(description="Write the record without the rows: .json."), Flag(file="out")
    ] = None


def _run(said: verb_command.CommandInput) -> None:
    files = said.of(AnonymizeOutputs)
    check_outputs(files.out, files.page, files.record)
    roles = stated_roles(said.of(RolesStated))
    asked = Request.of(said.of(AnonymizeOptions), said.of(RowsAsked), said.of(Recording), roles=roles)
    with terminal.progress("searching") as step:
        done = carried_out(AnonymizeVerb(), asked, to=files.out, say=step)
    released: ReleasedTable = done.made
    if files.page:
        from privet.report import save_anonymize_page

        save_anonymize_page(released, files.page, rows=files.show_rows)
    if files.record:
        sign_file(released.save(files.record), done.signing)
    _say(released, [path for path in (files.out, files.page, files.record) if path], as_json=said.as_json)


command = verb_command.command(
    RowsAsked, RolesStated, AnonymizeOptions, Recording, AnonymizeOutputs, run=_run
)


def _say(released: ReleasedTable, saved: list[Path], *, as_json: bool) -> None:
    found = released.found
    data: dict[str, Any] = {
        "loss": found.loss,
        "metric": found.metric,
        "output_type": found.output_type,
        "levels": found.levels,
        "suppressed_rows": found.suppressed_rows,
        "published_rows": released.after.rows,
        "classes": found.classes,
        "nodes_evaluated": found.nodes_evaluated,
        "optimal": found.optimal,
        "search": found.search,
        "missing": found.missing,
        "seconds": found.seconds,
        **{name: value for name, value in released.to_json().items() if name not in {"found", "schema"}},
        "saved": [str(path) for path in saved],
    }
    human = "\n".join([str(released), *(f"saved {path}" for path in saved)])
    terminal.emit(data, human, plain=f"{found.loss!r}", as_json=as_json)
