"""`privet example`: write a made-up data set to try things on."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

from privet import errors
from privet.app import _terminal as terminal
from privet.artifact import Publishable, refuse_ledgers, written_whole


class What(enum.StrEnum):
    """The data sets that can be made."""

    HOSPITAL = "hospital"
    VOTERS = "voters"
    TRUTH = "truth"


def command(
    what: Annotated[
        What,
        typer.Argument(
            help="hospital: stays of patients; voters: a public roll that holds some of them; "
            "truth: who of the roll is which patient."
        ),
    ],
    *,
    to: Annotated[Path, typer.Option("--output", "-o", help="The file to write, .csv or .parquet.")],
    patients: Annotated[
        int, typer.Option(min=1, help="Patients of the hospital; each has some 2.5 stays.")
    ] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same bytes.")] = 7,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file if it exists.")] = False,
    as_json: terminal.JsonOption = False,
) -> None:
    """Write a made-up hospital, or the public roll beside it. Nobody in them exists."""
    from privet import examples

    _writable(to, overwrite=overwrite)
    table = examples.hospital(patients, seed)
    if what is not What.HOSPITAL:
        table = (examples.voter_roll if what is What.VOTERS else examples.linkage_truth)(table, seed=seed)
    written_whole(to, Publishable(lambda part: examples.write(part, table), "holds nothing from the data"))
    data = {"file": str(to), "rows": table.num_rows, "columns": table.column_names, "seed": seed}
    terminal.emit(data, f"{table.num_rows:,} rows in {to}", plain=str(to), as_json=as_json)


def _writable(to: Path, *, overwrite: bool) -> None:
    """Refuse before the work: a wrong ending, no directory, or a file that might be somebody's data."""
    if to.suffix.lower() not in {".csv", ".parquet"}:
        raise errors.BadExample(
            "an example is written as CSV or Parquet.", "End the file name in .csv or .parquet."
        )
    refuse_ledgers(to)
    if not to.parent.is_dir():
        raise errors.FileProblem(f"there is no directory {to.parent}.", "Make it first.")
    if to.exists() and not overwrite:
        raise errors.FileProblem(f"{to} exists already.", "Name another file, or add --overwrite.")
