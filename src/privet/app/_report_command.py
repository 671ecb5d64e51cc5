"""`privet report`: what a run made, promised, spent and withstood, as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from privet.app import _terminal as terminal
from privet.app._policy_amounts import DEFAULT
from privet.errors import BadUsage, FileProblem, PrivetError, UnknownRecord


def command(
    where: Annotated[
        Path, typer.Argument(metavar="[WHERE]", help="A policy, the folder of its outputs, or a run.json.")
    ] = DEFAULT,
    *,
    to: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The .html (the page) or .json (its content) to write [default: both, among the run's outputs].",
        ),
    ] = None,
    public: Annotated[
        bool,
        typer.Option("--public", help="Leave out everything that was derived from the original rows."),
    ] = False,
    tradeoff: Annotated[
        Path | None,
        typer.Option(
            "--tradeoff",
            help="A trade-off to show in it, as `privet tradeoff` wrote it [default: that of the run, if it made one].",
        ),
    ] = None,
    as_json: terminal.JsonOption = False,
) -> None:
    """Write the report of the last run: promise beside evidence, budgets, risks before and after, and checklists.

    One file without scripts, for the owner of the data; with --public, for others. A plan that was made since the run is shown as planned.
    """
    from privet.artifact import outputs_around
    from privet.pipeline import RunRecord, record_standing
    from privet.report import run_report, tradeoff_of

    source = _record(where)
    loaded = RunRecord.load(source)
    record, standing = loaded.to_json(), record_standing(source, loaded)
    swept = tradeoff_of(record, outputs_around(source)) if tradeoff is None else _tradeoff(tradeoff)
    try:
        report = run_report(
            record, public=public, tradeoff=swept, coming=_coming(source, record), standing=standing
        )
        written = _written(report, source, to)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UnknownRecord(
            f"{source.name}{'' if tradeoff is None else f' or {tradeoff.name}'} does not hold what a report needs.",
            "Was it edited, or written by another version? `privet run` writes it again.",
        ) from None
    said = [*report["summary"]["findings"], report["summary"]["verdict"]]
    terminal.emit(
        {
            "audience": report["audience"],
            "files": [str(path) for path in written],
            "verdict": report["summary"]["verdict"],
            "findings": report["summary"]["findings"],
        },
        "\n".join([*said, *(f"wrote {path}" for path in written)]),
        plain=str(written[0]),
        as_json=as_json,
    )


def _record(where: Path) -> Path:
    """The record of the run that is meant."""
    from privet.artifact import OwnerOnly, inside, output_place
    from privet.pipeline import OUT, RECORD_NAME

    name = OwnerOnly(RECORD_NAME)
    if where.is_dir():
        places = [output_place(where, name), output_place(inside(where, OUT), name), where / RECORD_NAME]
    elif where.suffix in (".yaml", ".yml"):
        places = [output_place(inside(where.parent, OUT), name)]
    else:
        places = [where]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise FileProblem(
            f"there is no record of a run at {where}.",
            "`privet run` makes one; name its folder or its policy.",
        )
    return found


def _coming(source: Path, record: dict[str, Any]) -> dict[str, Any] | None:
    """A plan beside the policy that was made for the very state that the run left; any other says nothing of it."""
    from privet.artifact import outputs_around
    from privet.pipeline import RunPlan

    place = outputs_around(source.resolve()).parent / "plan.json"
    if record["ledger"] is None or not place.is_file():
        return None
    try:
        plan = RunPlan.load(place)
    except PrivetError:  # not a plan of ours, or not as we wrote it
        return None
    # Anchors say nothing of budgets: a plan is for the last entry that does.
    booked = [entry["hash"] for entry in record["ledger"]["entries"] if entry["kind"] != "anchor"]
    return plan.to_json() if plan.ledger in (record["ledger"]["head"], *booked[-1:]) else None


def _tradeoff(path: Path) -> dict[str, Any]:
    from privet.artifact import load_record
    from privet.report import checked_tradeoff

    return checked_tradeoff(load_record(path, "the record of a trade-off"))


def _written(report: dict[str, Any], source: Path, to: Path | None) -> list[Path]:
    from privet.artifact import outputs_around
    from privet.pipeline import report_signing
    from privet.report import save_report, save_report_data, save_run_page

    signing = report_signing(source, public=report["audience"] == "public")

    if to is None:
        return list(save_report(report, outputs_around(source), signing))
    if to.resolve() == source.resolve():
        raise BadUsage("the report would replace the run's record.", "Give it another name.")
    if to.suffix == ".html":
        return [save_run_page(report, to, signing)]
    if to.suffix == ".json":
        return [save_report_data(report, to, signing)]
    raise BadUsage(
        f"a report cannot be written as {to.suffix or 'a file without an ending'}.", "Use .html or .json."
    )
