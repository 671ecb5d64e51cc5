"""Estimate: what people answered, from reports that they randomised themselves, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from privet.dataset import DataSet, Declaration, Purpose
from privet.errors import BadUsage
from privet.guarantee import Change, Promise, Row
from privet.verbs._request import Request
from privet.verbs._request_execution import book_for, carried_out
from privet.verbs._verb import Bound, Done, Spending, Verb, VerbWork, register
from privet.verbs._verb_options import Flag, Options

if TYPE_CHECKING:
    from privet.artifact import ReleasedAnswer
    from privet.protect.collect import Collection
    from privet.source import Table


class EstimateOptions(Options):
    """Whose reports they are, what is promised of the estimate, and how it is shown."""

    specification: Annotated[
        str,
        Field(description="The specification, as `privet collect design -o` writes it."),
        Flag(argument=True, file="in", example="emoji.json"),
    ]
    delta: Annotated[
        float | None,
        Field(
            gt=0,
            lt=1,
            description="Promise and book what the declared shuffler makes of the reports, at this delta [default: the "
            "local promise, which costs no budget].",
        ),
        Flag(example="1e-8"),
    ] = None
    top: Annotated[int | None, Field(ge=1, description="Show the most frequent alone.")] = None
    confidence: Annotated[float, Field(ge=0.5, lt=1, description="Of each interval.")] = 0.95


@register
class Estimate(Verb):
    """Reads reports. What people paid on their devices is recorded; what a shuffler leaves of it, if asked for, is booked."""

    name: ClassVar[str] = "estimate"
    output: ClassVar[str] = "answer"
    audience: ClassVar[Literal["owner", "public"]] = "public"
    records: ClassVar[bool] = True
    endings: ClassVar[tuple[str, ...]] = (".json", ".parquet")
    options: ClassVar[type[Options]] = EstimateOptions
    beside: ClassVar[tuple[str, ...]] = ("specification",)

    def gaps(self, options: Any, declaration: Declaration, purpose: Purpose) -> list[tuple[str, str]]:
        """A shuffler's promise is about one report."""
        del purpose
        if options.delta is None or declaration.dataset.unit.value() == Row(Change.REPLACE):
            return []
        said = "a shuffler hides what one report says: declare unit: {column: row, change: replace}"
        return [("delta", said)]

    def pays(self, options: Any) -> bool:
        """With a delta."""
        return options.delta is not None

    def spends(self, step: Bound, table: Table, accounting: str, folder: Path) -> Spending | None:
        """What the shuffled reports cost, by the specification alone; nothing where the local promise is enough."""
        del accounting
        options: EstimateOptions = step.options
        if options.delta is None:
            return None
        from privet.protect.collect import report_question, shuffled_promise

        found = specified(options, folder)
        event = found.shuffled_event(options.delta)
        question = report_question(found, table.fingerprint, options.delta)
        return Spending(event, shuffled_promise(event), question=question)

    def promise_beside(self, options: Any, folder: Path) -> Promise | None:
        """That of each report, as the specification says."""
        return specified(options, folder).promise

    def own_limit(self, options: Any) -> Promise | None:
        """A ledger that holds this one release."""
        from privet.protect.collect import shuffled_promise

        return shuffled_promise(specified(options, Path()).shuffled_event(options.delta))

    def bare_table(self, data: DataSet, asked: Request) -> Table:
        """A report is its own unit: what it says is hidden, not that it is there."""
        return data.table(unit=Row(Change.REPLACE), delimiter=asked.delimiter)

    def refuse(self, table: Table, options: Any, columns: tuple[str, ...] | None, folder: Path) -> None:
        """Rows that are no reports of this specification."""
        del columns
        from privet.protect.collect import refuse_other_columns

        refuse_other_columns(table, specified(options, folder))

    def run(self, work: VerbWork) -> Done:
        """Count the reports, enter the estimate, and write it."""
        from privet.protect.collect import estimate

        options: EstimateOptions = work.options
        found = specified(options, work.folder)
        made = estimate(
            work.table,
            found,
            confidence=options.confidence,
            top=options.top,
            ledger=work.ledger,
            why=work.why,
            delta=options.delta,
            purpose=work.purpose,
            analyst=work.analyst,
            progress=work.say,
        )
        if work.to is not None:
            made.save(work.to)
        facts = {
            "collection": found.name,
            "fingerprint": found.fingerprint,
            "oracle": found.oracle,
            "epsilon_of_a_report": float(found.epsilon),
            "over_time": found.over_time.says(),
            "notes": list(made.notes),
            "stages": list(made.provenance.stages),
        }
        return Done(made.promise, made.receipt, facts, made=made)


def specified(options: EstimateOptions, folder: Path) -> Collection:
    """The specification, from its file beside the declaration."""
    from privet.protect.collect import Collection

    return Collection.load(folder / options.specification)


def estimated_reports(
    asked: Request,
    reports: Sequence[str],
    *,
    words: bool = False,
    to: Path | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> ReleasedAnswer:
    """The answer that reports give, one or several files of them; of unknown words where these are asked for.

    Reports that a declaration speaks for are had on its terms; others are read as they lie, and entered where there is a ledger.
    """
    from privet.protect.collect import TextOf, estimate

    options: EstimateOptions = asked.options
    found = specified(options, Path())
    if words != isinstance(found.question, TextOf):
        raise BadUsage(
            "this specification asks for words."
            if not words
            else "this specification does not ask for words.",
            f"Use privet collect {'estimate' if words else 'words'}.",
        )
    every = [DataSet.of(one) for one in reports]
    verb = Estimate()
    if any(data.declaration is not None for data in every):
        if len(every) > 1:
            raise BadUsage("a declared data set is estimated by itself.", "Name its reports alone.")
        made: ReleasedAnswer = carried_out(verb, asked, to=to, say=say).made
        return made
    with book_for(verb, every[0], asked) as (ledger, _):
        answer = estimate(
            list(reports),
            found,
            confidence=options.confidence,
            top=options.top,
            ledger=ledger,
            why=asked.why,
            delta=options.delta,
            purpose=asked.purpose,
            analyst=asked.analyst,
            progress=say,
        )
    if to is not None:
        answer.save(to)
    return answer
