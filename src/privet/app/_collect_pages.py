"""Pages of collections, and `privet collect change` and `privet collect trend`: two sets of reports, and days in a row."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from privet.app import _terminal as terminal
from privet.app._output_files import check_outputs
from privet.errors import BadUsage
from privet.verbs import Flag, Options, SpecificationOptions

if TYPE_CHECKING:
    from privet.app._verb_command import CommandInput
    from privet.artifact import ReleasedAnswer
    from privet.attacks import AttackReport
    from privet.protect.collect import Collection

# Enough to show an epsilon that is far off, in seconds; `privet attack SPEC` takes more.
_DRAWS, _REPEATS = 4_000, 5


class PageOutput(Options):
    """A page that everybody may see."""

    html: Annotated[
        Path | None,
        Field(description="Write a public page: promise, estimates, pictures."),
        Flag(file="out", example="page.html"),
    ] = None
    attacked: Annotated[
        bool, Field(description="Attack the client on made-up people first, and set that beside the promise.")
    ] = False


class ChangeOptions(SpecificationOptions):
    """Two sets of reports of one collection."""

    before: Annotated[
        list[str],
        Field(min_length=1, description="Reports of the first group or week."),
        Flag(example="week1.parquet"),
    ]
    after: Annotated[
        list[str],
        Field(min_length=1, description="Reports of the second one."),
        Flag(example="week2.parquet"),
    ]
    confidence: Annotated[float, Field(ge=0.5, lt=1, description="Of each interval.")] = 0.95
    out: Annotated[
        str | None,
        Field(description="Write the answer here (.json or .parquet)."),
        Flag(names=("-o", "--output"), file="out"),
    ] = None


class TrendOptions(SpecificationOptions):
    """Reports of several days."""

    days: Annotated[
        dict[str, str],
        Field(min_length=2, description="Reports of a day: 2026-01-31=reports.parquet."),
        Flag(names=("--day",), example="2026-01-31=monday.parquet"),
    ]
    values: Annotated[
        list[str] | None, Field(description="These values alone: a,b,c."), Flag(commas=True)
    ] = None
    confidence: Annotated[float, Field(ge=0.5, lt=1, description="Of each interval.")] = 0.95
    out: Annotated[
        str | None,
        Field(description="Write the answer here (.json or .parquet)."),
        Flag(names=("-o", "--output"), file="out"),
    ] = None


def check_page(page: PageOutput, out: str | None, reports: str) -> None:
    """Refuse outputs that cannot be written before any report is counted."""
    if page.attacked and page.html is None:
        raise BadUsage("attacks stand on the page.", "Add --html page.html, or use privet attack SPEC.")
    check_outputs(reports, None if out is None else Path(out), page.html)


def write_page(page: PageOutput, specification: str, **shown: Any) -> list[str]:
    """Write the page where one was asked for, and say so."""
    if page.html is None:
        return []
    from privet.protect.collect import Collection
    from privet.report import save_collection_page

    collection = Collection.load(specification)

    attacks = attacked(collection) if page.attacked else None
    save_collection_page(collection, page.html, attacks=attacks, **shown)
    return [f"saved {page.html}"]


def attacked(collection: Collection) -> AttackReport:
    """What attacks on the client reach with made-up people; as many reports of each as a person gives in a week or a lifetime."""
    from privet.attacks import attack

    terms = collection.over_time
    reports = {"report": 1, "day": 7 * terms.drawn, "lifetime": terms.drawn}[terms.per]
    with terminal.progress("attacking"):
        return attack(collection, draws=_DRAWS, repeats=_REPEATS, reports=min(reports, 50))


def change(said: CommandInput) -> None:
    """Compare two sets."""
    from privet.dataset import estimate_change
    from privet.protect.collect import Collection

    options, page = said.of(ChangeOptions), said.of(PageOutput)
    check_page(page, options.out, options.before[0])
    found = Collection.load(options.specification)
    with terminal.progress("counting reports") as advance:
        answer = estimate_change(
            options.before, options.after, found, confidence=options.confidence, progress=advance
        )
    _say(said, answer, options.out, write_page(page, options.specification, change=answer), column=2)


def trend(said: CommandInput) -> None:
    """Follow days."""
    from privet.dataset import estimate_trend
    from privet.protect.collect import Collection

    options, page = said.of(TrendOptions), said.of(PageOutput)
    check_page(page, options.out, next(iter(options.days.values())))
    found = Collection.load(options.specification)
    reports = {_day(day): place for day, place in options.days.items()}
    known = {str(value): value for value in getattr(found.question, "values", ())}
    wanted: list[Any] | None = (
        None if options.values is None else [known.get(value, value) for value in options.values]
    )
    with terminal.progress("counting reports") as advance:
        answer = estimate_trend(
            reports, found, values=wanted, confidence=options.confidence, progress=advance
        )
    _say(said, answer, options.out, write_page(page, options.specification, trend=answer))


def _say(
    said: CommandInput, answer: ReleasedAnswer, out: str | None, lines: list[str], column: int = 0
) -> None:
    if out is not None:
        answer.save(out)
        lines = [f"saved {out}", *lines]
    notes = [note for note in answer.notes if note not in answer.warnings()]
    text = "\n".join([str(answer), *notes, *lines])
    terminal.emit(answer.to_json(), text, plain=plain_rows(answer, column), as_json=said.as_json)


def plain_rows(answer: ReleasedAnswer, place: int = 0) -> str:
    """Keys and one column with its interval, for other programs."""
    column = answer.answers[place]
    rows = zip(*answer.keys.values(), column.values, column.low, column.high, strict=True)
    return "\n".join("\t".join("" if one is None else str(one) for one in row) for row in rows)


def _day(text: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise BadUsage("a day could not be read.", "Write --day 2026-01-31=reports.parquet.") from None
