"""`privet suppress`, `mask`, `round`, `topcode`, `shift-dates`, `microaggregate`, `swap`, `rank-swap`, `pram`: one transform each."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.app.output import JsonOption
from privet.app.rewriting import (
    ColumnsOption,
    DataArgument,
    DatasetOption,
    DelimiterOption,
    KeysOption,
    OutOption,
    finish,
    listed,
    number,
    opened,
    pairs,
)
from privet.errors import BadUsage

if TYPE_CHECKING:
    from privet.protect.anonymize.rewritten import Rewritten


class Towards(Enum):
    """What a value is drawn from anew."""

    MARGINAL = "marginal"
    UNIFORM = "uniform"


def suppress(
    data: DataArgument,
    out: OutOption,
    columns: Annotated[str, typer.Option(help="Columns to leave out, separated by commas.")] = "",
    rare: Annotated[
        list[str] | None, typer.Option(help="Values in fewer rows become missing: diagnosis=5. Repeatable.")
    ] = None,
    values: Annotated[
        list[str] | None, typer.Option(help="These values become missing: ward=ICU,Hospice. Repeatable.")
    ] = None,
    delimiter: DelimiterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Leave out columns, or make rare or named values missing."""
    from privet.protect.anonymize.transforms import suppress_cells, suppress_columns, suppress_rare
    from privet.source import col

    named = pairs(values, "--values", "ward=ICU,Hospice")
    steps: list[_Step] = [
        (suppress_rare, (column, _whole(text, "--rare")), {})
        for column, text in pairs(rare, "--rare", "diagnosis=5").items()
    ]
    steps += [
        (suppress_cells, (column, col(column).one_of(*listed(text))), {}) for column, text in named.items()
    ]
    if listed(columns):
        steps.append((suppress_columns, (listed(columns),), {}))
    table = opened(data, out, delimiter, as_text=named)
    finish(_chained(table, steps), out, as_json=as_json)


def mask(
    data: DataArgument,
    out: OutOption,
    column: Annotated[list[str], typer.Option(help="The column. Repeatable.")],
    keep_first: Annotated[int, typer.Option(help="Characters to leave readable at the start.")] = 0,
    keep_last: Annotated[int, typer.Option(help="Characters to leave readable at the end.")] = 0,
    sign: Annotated[str, typer.Option(help="The sign that hides.")] = "*",
    same_length: Annotated[
        bool, typer.Option("--same-length", help="As many signs as characters, not four.")
    ] = False,
    placeholder: Annotated[str | None, typer.Option(help="One word for every value, such as <name>.")] = None,
    number_as: Annotated[
        str | None, typer.Option("--number", metavar="PREFIX", help="Number the values: User_ gives User_01.")
    ] = None,
    delimiter: DelimiterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Hide a part of each text, put one word in its place, or number the values."""
    from privet.protect.anonymize import transforms

    if placeholder is not None and number_as is not None:
        raise BadUsage("a column is either numbered or gets a placeholder.", "Choose one.")
    if placeholder is not None:
        steps: list[_Step] = [(transforms.placeholder, (name, placeholder), {}) for name in column]
    elif number_as is not None:
        steps = [(transforms.numbered, (name, number_as), {}) for name in column]
    else:
        options = {"keep_first": keep_first, "keep_last": keep_last, "sign": sign, "same_length": same_length}
        steps = [(transforms.mask, (name,), options) for name in column]
    finish(_chained(opened(data, out, delimiter, as_text=column), steps), out, as_json=as_json)


def round_(
    data: DataArgument,
    out: OutOption,
    to: Annotated[list[str], typer.Option(help="The column and what to round it to: age=5. Repeatable.")],
    down: Annotated[bool, typer.Option("--down", help="To the multiple below, not to the nearest.")] = False,
    delimiter: DelimiterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Round numbers to multiples."""
    from privet.protect.anonymize.transforms import round_to

    wanted = pairs(to, "--to", "age=5")
    steps: list[_Step] = [
        (round_to, (name, number(text, "--to")), {"down": down}) for name, text in wanted.items()
    ]
    finish(_chained(opened(data, out, delimiter, typed=wanted), steps), out, as_json=as_json)


def topcode(
    data: DataArgument,
    out: OutOption,
    above: Annotated[
        list[str] | None, typer.Option(help="Values above become this one: age=89. Repeatable.")
    ] = None,
    below: Annotated[
        list[str] | None, typer.Option(help="Values below become this one: age=18. Repeatable.")
    ] = None,
    top: Annotated[
        list[str] | None, typer.Option(help="What values above become, if not the edge: age=90.")
    ] = None,
    bottom: Annotated[
        list[str] | None, typer.Option(help="What values below become, if not the edge.")
    ] = None,
    delimiter: DelimiterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Code the ends of a range: every value above (or below) an edge becomes one and the same."""
    from privet.protect.anonymize.transforms import code_ends

    edges: dict[str, dict[str, Any]] = {}
    for word, given in (("above", above), ("below", below), ("top", top), ("bottom", bottom)):
        for column, text in pairs(given, f"--{word}", "age=89").items():
            edges.setdefault(column, {})[word] = _edge(text, f"--{word}")
    steps: list[_Step] = [(code_ends, (column,), options) for column, options in edges.items()]
    finish(_chained(opened(data, out, delimiter, typed=edges), steps), out, as_json=as_json)


def shift_dates(
    data: DataArgument,
    out: OutOption,
    columns: ColumnsOption,
    person: Annotated[str, typer.Option(help="The column that says whose date it is.")],
    max_days: Annotated[int, typer.Option(help="The largest shift, back or forth.")],
    dataset: DatasetOption,
    domain: Annotated[str | None, typer.Option(help="What persons are called [default: the column].")] = None,
    zone: Annotated[
        str | None, typer.Option(help="On which clock moments with a time zone are moved: Europe/Berlin.")
    ] = None,
    keys: KeysOption = None,
    delimiter: DelimiterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Move all dates of a person by the same secret number of days."""
    from privet.protect.anonymize.pseudonyms import find_keys
    from privet.protect.anonymize.transforms import shift_dates as shift

    ring = find_keys(keys)
    result = shift(
        opened(data, out, delimiter, typed=listed(columns), as_text=[person]),
        listed(columns),
        person=person,
        keys=ring,
        dataset=dataset,
        domain=domain,
        max_days=max_days,
        zone=zone,
    )
    finish(result, out, as_json=as_json, more={"key": ring.current.id})


def microaggregate(
    data: DataArgument,
    out: OutOption,
    columns: ColumnsOption,
    k: Annotated[int, typer.Option("--k", help="Rows in a group, at least.")],
    delimiter: DelimiterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Replace numbers by the mean of a group of at least k rows that are alike."""
    from privet.protect.anonymize.transforms import microaggregate as aggregate

    finish(
        aggregate(opened(data, out, delimiter, typed=listed(columns)), listed(columns), k),
        out,
        as_json=as_json,
    )


def swap(
    data: DataArgument,
    out: OutOption,
    columns: ColumnsOption,
    share: Annotated[float, typer.Option(help="The share of records that exchange values: 0.1.")],
    within: Annotated[str, typer.Option(help="Only between records alike in these columns.")] = "",
    delimiter: DelimiterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let a share of the records exchange values with a partner at random."""
    from privet.protect.anonymize.transforms import swap as exchange

    result = exchange(opened(data, out, delimiter), listed(columns), share=share, within=listed(within))
    finish(result, out, as_json=as_json)


def rank_swap(
    data: DataArgument,
    out: OutOption,
    columns: ColumnsOption,
    window: Annotated[float, typer.Option(help="How far apart ranks may be, as a share of the rows: 0.05.")],
    delimiter: DelimiterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Exchange each number or date with one of a near rank."""
    from privet.protect.anonymize.transforms import rank_swap as exchange

    table = opened(data, out, delimiter, typed=listed(columns))
    finish(exchange(table, listed(columns), window=window), out, as_json=as_json)


def pram(
    data: DataArgument,
    out: OutOption,
    column: Annotated[str, typer.Option(help="The column of categories.")],
    keep: Annotated[float, typer.Option(help="The probability that a value stays.")],
    towards: Annotated[
        Towards, typer.Option(help="Draw from the column's own shares, or from all values alike.")
    ] = Towards.MARGINAL,
    delimiter: DelimiterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Keep each value with a probability, else draw it anew (post-randomisation)."""
    from privet.protect.anonymize.transforms import pram as randomise

    finish(
        randomise(opened(data, out, delimiter), column, keep=keep, towards=towards.value),
        out,
        as_json=as_json,
    )


COMMANDS: dict[str, Callable[..., None]] = {
    "suppress": suppress,
    "mask": mask,
    "round": round_,
    "topcode": topcode,
    "shift-dates": shift_dates,
    "microaggregate": microaggregate,
    "swap": swap,
    "rank-swap": rank_swap,
    "pram": pram,
}

_Step = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def _chained(table: Any, steps: list[_Step]) -> Rewritten:
    from privet.protect.anonymize.rewritten import Rewritten

    if not steps:
        raise BadUsage("nothing to do was named.", "Add --help to see what the command takes.")
    result = Rewritten(table, {})
    for transform, arguments, options in steps:
        result = result.then(transform, *arguments, **options)
    return result


def _whole(text: str, option: str) -> int:
    found = number(text, option)
    if not isinstance(found, int):
        raise BadUsage(f"{option} needs a whole number.", f"Write {option} diagnosis=5.")
    return found


def _edge(text: str, option: str) -> int | float | datetime.date:
    try:
        return datetime.date.fromisoformat(text) if text.count("-") == 2 else number(text, option)
    except ValueError:
        raise BadUsage(f"{option} needs a number or a date.", f"Write {option} age=89.") from None
