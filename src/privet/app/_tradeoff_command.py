"""`privet tradeoff`: what protections keep and give away, measured side by side, and one of them proposed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from privet._outgoing_text import tab_line
from privet.app import _terminal as terminal
from privet.app import _verb_command as verb_command
from privet.app._output_files import file_of
from privet.app._table_outputs import check_outputs
from privet.errors import BadUsage
from privet.pipeline import TradeoffOptions, asked_under
from privet.pipeline import TradeoffVerb as Verb
from privet.verbs import (
    MOST_ROWS,
    Flag,
    LimitedRecording,
    Options,
    Request,
    RolesStated,
    RowsAsked,
    carried_out,
    stated_roles,
)

if TYPE_CHECKING:
    from privet.pipeline import Tradeoff


class Terms(Options):
    """Whose rows count how much, and on whose terms."""

    max_rows: Annotated[
        int | None,
        Field(gt=0, description=f"Rows of one person that may count [default: {MOST_ROWS}]."),
        Flag(example="20"),
    ] = None
    policy: Annotated[
        Path | None,
        Field(description="Take roles, unit, bounds and what is allowed from this policy."),
        Flag(names=("--policy", "-p"), file="in"),
    ] = None


class TradeoffBooking(LimitedRecording):
    """Where private models are booked, if they are."""

    ledger: Annotated[
        str | None, Field(description="Charge every private model to this ledger [default: owner-only].")
    ] = None


class TradeoffOutputs(Options):
    """What to write."""

    out: Annotated[
        Path | None,
        Field(description="Write the record: .json."),
        Flag(names=("--out", "-o"), file="out", example="tradeoff.json"),
    ] = None
    page: Annotated[
        Path | None,
        Field(description="Write the page: .html."),
        Flag(names=("--html",), file="out", example="tradeoff.html"),
    ] = None


def _run(said: verb_command.CommandInput) -> None:
    rows, terms, files = said.of(RowsAsked), said.of(Terms), said.of(TradeoffOutputs)
    _check_files(rows.data, files.out, files.page)
    roles = stated_roles(said.of(RolesStated))
    asked = Request.of(said.of(TradeoffOptions), rows, terms, said.of(TradeoffBooking), roles=roles)
    if terms.policy is not None:
        asked = asked_under(terms.policy, asked)
    with terminal.progress("sweeping") as advance:
        found: Tradeoff = carried_out(Verb(), asked, to=files.out, say=advance).made
    if files.page is not None:
        from privet.report import save_tradeoff_page

        save_tradeoff_page(found.to_json(), files.page)
    _say(found, files.out, files.page, as_json=said.as_json)


command = verb_command.command(
    RowsAsked, RolesStated, Terms, TradeoffOptions, TradeoffBooking, TradeoffOutputs, run=_run
)


def _check_files(data: str, out: Path | None, page: Path | None) -> None:
    if out or page:
        check_outputs(None, page, out)
    for path in (out, page):
        if path and "://" not in data and path.resolve() == file_of(data).resolve():
            raise BadUsage("the result would be written over the data.", "Give it another name.")


def _say(found: Tradeoff, out: Path | None, page: Path | None, *, as_json: bool) -> None:
    saved = "".join(f"\nsaved {path}" for path in (out, page) if path)
    record: dict[str, Any] = {
        **found.to_json(),
        "file": str(out) if out else None,
        "page": str(page) if page else None,
    }
    plain = "\n".join(
        tab_line([point.technique, point.label, f"{point.utility.value:.6g}", f"{point.risk.value:.6g}"])
        for point in found.points
    )
    terminal.emit(record, str(found) + saved, plain=plain, as_json=as_json)
