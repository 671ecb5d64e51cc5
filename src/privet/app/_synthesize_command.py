"""`privet synthesize`: a synthetic twin of a table, under differential privacy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from privet.app import _verb_command as verb_command
from privet.app._output_files import check_outputs
from privet.app._released_numbers import RowsOfOne, say_plan
from privet.app._terminal import emit, progress
from privet.errors import BadUsage, PrivetError
from privet.verbs import (
    BookingOptions,
    Flag,
    Options,
    Request,
    RowsAsked,
    SynthesizeOptions,
    SynthesizeVerb,
    attack_words,
    carried_out,
    opened_alone,
    refuse_parts,
    save_parts,
    twin_fidelity,
)

if TYPE_CHECKING:
    from privet.artifact import ReleasedTwin, ReleasedTwins
    from privet.source import Table
    from privet.verbs import Done


class TablesOfOne(RowsOfOne):
    """How much of one person counts, in this table and in others."""

    tables: Annotated[
        dict[str, str],
        Field(description="Another table of the same persons, whose twin joins this one's: stays=stays.csv."),
        Flag(names=("--table",), example="stays=stays.csv"),
    ] = Field(default_factory=dict)
    max_children: Annotated[
        dict[str, Annotated[int, Field(gt=0)]],
        Field(description="Rows of another table that one person may add: stays=10."),
        Flag(example="stays=10"),
    ] = Field(default_factory=dict)


class SynthesizeOutputs(Options):
    """What to write."""

    out: Annotated[
        Path,
        Field(
            description="The file to write the twin to: .parquet, .csv or .jsonl; with other tables, a folder."
        ),
        Flag(names=("--out", "-o"), file="out", example="twin.parquet"),
    ]
    card: Annotated[
        Path | None,
        Field(description="Also write a public card: promise, price, and what was measured with noise."),
        Flag(file="out"),
    ] = None
    html: Annotated[
        Path | None,
        Field(description="Draw how good the twin is on rows kept apart, for the owner alone."),
        Flag(file="out"),
    ] = None
    test: Annotated[
        str | None,
        Field(description="The rows kept apart, for --html [default: those of --holdout]."),
    ] = None
    apart: Annotated[
        Path | None,
        Field(
            description="Also write the rows used and those of --holdout to a folder, for the owner alone: to attack the twin with."
        ),
        Flag(example="apart"),
    ] = None
    explain: Annotated[
        bool, Field(description="Say what would be spent and what would be lost, and stop.")
    ] = False
    again: Annotated[bool, Field(description="Spend for fresh measurements of what was measured before.")] = (
        False
    )


def _run(said: verb_command.CommandInput) -> None:
    rows, files = said.of(RowsAsked), said.of(SynthesizeOutputs)
    options = said.of(SynthesizeOptions)
    check_outputs(rows.data, files.out, files.card, endings=SynthesizeVerb.endings, own="twins.json")
    check_outputs(rows.data, None, files.html)
    if files.html is not None and files.card is not None and files.html.resolve() == files.card.resolve():
        raise BadUsage(
            "the owner's page and the card for anybody cannot be one file.",
            "Give them two names; nothing was spent.",
        )
    if not files.out.suffix and (files.card or files.html or files.apart):
        raise BadUsage(
            "cards, pages and rows kept apart are of one table, and a folder is for twins of several.",
            "Leave --card, --html and --apart out; nothing was spent.",
        )
    if files.apart is not None:
        refuse_parts(files.apart, options.holdout)
    held = _kept_apart(files, rows, options, said.of(BookingOptions).purpose)
    asked = Request.of(options, rows, said.of(TablesOfOne), said.of(BookingOptions), again=files.again)
    if files.explain:
        say_plan(SynthesizeVerb(), asked, as_json=said.as_json)
        return
    with progress("synthesizing") as step:
        done = carried_out(SynthesizeVerb(), asked, to=files.out, say=step)
        if files.card is not None:
            from privet.report import save_twin_card

            save_twin_card(done.made, files.card)
        if files.html is not None:
            step("measuring how good the twin is")
            _draw(done, held, options, files.out, files.html)
        if files.apart is not None:
            assert done.table is not None
            assert done.held is not None
            save_parts(done.table, done.held, files.apart)
    _say(done, files, options.holdout, as_json=said.as_json)


command = verb_command.command(
    RowsAsked, TablesOfOne, SynthesizeOptions, BookingOptions, SynthesizeOutputs, run=_run
)


def _draw(done: Done, held: Table | None, options: SynthesizeOptions, out: Path, page: Path) -> None:
    """The owner's page; where it cannot be, what was made and paid for by then is said with the refusal."""
    from privet.report import save_twin_page

    try:
        measured = twin_fidelity(done.made, done.held if held is None else held, options)
    except PrivetError as refused:
        raise type(refused)(
            f"the twin is saved as {out} and booked in {done.ledger}, and its page could not be drawn: {refused.fact}",
            f"{refused.hint} The same twin again costs nothing.",
        ) from None
    save_twin_page(measured, page)


def _kept_apart(
    files: SynthesizeOutputs, rows: RowsAsked, options: SynthesizeOptions, purpose: str | None
) -> Table | None:
    """The rows of a file to measure on; an error, before anything is spent, where there would be none."""
    if files.test is None:
        if files.html is not None and not options.holdout:
            raise BadUsage(
                "how good a twin is shows on rows that were kept apart from it.",
                "Add --holdout 0.2, or --test FILE; nothing was spent.",
            )
        return None
    if files.html is None:
        raise BadUsage("a test table is for the owner's page.", "Add --html PAGE; nothing was spent.")
    from privet.dataset import DataSet, owner_rows

    if DataSet.of(rows.data).declares(files.test):
        raise BadUsage(
            "the test table is the table itself: it would show how well the twin remembers.",
            "Keep some rows apart in a file of their own, or add --holdout 0.2.",
        )
    return owner_rows(files.test, purpose=purpose, delimiter=rows.delimiter)


def _say(done: Done, files: SynthesizeOutputs, share: float | None, *, as_json: bool) -> None:
    twin: ReleasedTwin | ReleasedTwins = done.made
    ledger = str(done.ledger)
    lines = [str(twin), f"booked in {ledger}", *opened_alone(done), f"saved {files.out}"]
    if files.card is not None:
        lines.append(f"a card for anybody: {files.card}")
    if files.html is not None:
        lines.append(f"drawn in {files.html}: for the owner alone")
    attack = None if files.apart is None else attack_words(files.out, files.apart, twin.promise)
    if attack is not None:
        lines.append(
            f"the rows used and those kept apart are in {files.apart}, for the owner alone. Attack the twin:"
        )
        lines.append(f"  {attack}")
    elif share and files.out.suffix:
        lines.append(
            "some people were kept apart, as a control for attacks: the same again with --apart FOLDER writes them down, and costs nothing"
        )
    pages = {"card": str(files.card) if files.card else None}
    owner = {
        "page": str(files.html) if files.html else None,
        "apart": str(files.apart) if files.apart else None,
        "attack": attack,
    }
    opened = done.opened.to_json() if done.opened else None
    record = {
        **twin.to_json(),
        "ledger": ledger,
        "opened": opened,
        "saved": str(files.out),
        **pages,
        "owner_only": owner,
    }
    emit(record, "\n".join(lines), plain=str(files.out), as_json=as_json)
