"""Release: noisy answers to questions in SQL, under differential privacy."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from privet.artifact import Publishable, written_whole
from privet.dataset import Declaration, Positive, Purpose, Seen
from privet.evidence import read_json, record_bytes
from privet.guarantee import ApproxDP, Promise, PureDP, ZeroConcentratedDP
from privet.verbs._anonymity_models import Word
from privet.verbs._private_promise import PrivatePromise
from privet.verbs._verb import Bound, Done, Exposed, Spending, Verb, VerbWork, register
from privet.verbs._verb_options import Flag, Options

if TYPE_CHECKING:
    from privet.ledger import Ledger
    from privet.source import Table

# Names in SQL, as far as they could be columns: quoted, or words that are not called as functions; what stands in
# single quotes is a value. Words of the language itself are columns only where they are quoted.
_NAMES = re.compile(r"""'(?:[^']|'')*'|"((?:[^"]|"")+)"|([^\W\d]\w*)\b(?!\s*\()""")
_WORDS = re.compile(
    r"(?i)all|and|as|asc|between|by|case|cast|cross|desc|distinct|else|end|exists|false|from|full|group|having|in|inner|is|"
    r"join|left|like|limit|not|null|offset|on|or|order|outer|right|select|then|true|union|using|when|where|with"
)


class Budgeted(PrivatePromise):
    """What answers may cost, or what error is wanted of them."""

    error: Annotated[
        dict[str, Positive],
        Field(
            description="The error wanted of an answer: n=50, one for each. Without an epsilon, the least one is found."
        ),
        Flag(example="n=50"),
    ] = Field(default_factory=dict)
    weights: Annotated[
        list[Word] | None,
        Field(description="How much each of several questions matters: 3,1."),
        Flag(commas=True, example="3,1"),
    ] = None

    def settled(
        self, questions: list[str], about: Mapping[str, Any], ledger: Ledger | None
    ) -> tuple[PureDP | ApproxDP | ZeroConcentratedDP, dict[str, Any]]:
        """The promise, found from the error where none was given, and how it is split over the questions."""
        split: dict[str, Any] = {}
        if self.weights is not None:
            split["weights"] = list(self.weights)
        if self.error:
            from privet.protect.query import errors_by_question

            wanted = {name: str(size) for name, size in self.error.items()}
            split["error"] = errors_by_question(questions, wanted, **about)
        promise = self.promised()
        if promise is not None:
            return promise, split
        from privet.protect.query import epsilon_for

        least = epsilon_for(
            questions,
            split["error"],
            confidence=self.confidence,
            delta=None if self.delta is None else str(self.delta),
            ledger=ledger,
            **about,
        )
        found = Decimal(f"{least:.12g}")
        return (PureDP(found) if self.delta is None else ApproxDP(found, self.delta)), split


class ReleaseOptions(Budgeted):
    """One question or several about the table, under one promise for all of them."""

    sql: Annotated[
        Annotated[str, Field(min_length=1)] | Annotated[list[str], Field(min_length=1)],
        Field(
            description="SELECT … FROM … [JOIN] [WHERE] [GROUP BY] [HAVING] [ORDER BY] [LIMIT]; see docs/reference/sql.md. "
            "Several questions are one release under one promise."
        ),
    ]

    @model_validator(mode="after")
    def _promises_something(self) -> Self:
        if self.epsilon is None and self.rho is None and not self.error:
            raise PydanticCustomError(
                "missing", "an answer needs a promise: epsilon, rho, or the error that is wanted"
            )
        return self

    @property
    def questions(self) -> list[str]:
        """All questions."""
        return [self.sql] if isinstance(self.sql, str) else list(self.sql)


@register
class ReleaseVerb(Verb):
    """Reads the columns that its questions name."""

    name: ClassVar[str] = "release"
    output: ClassVar[str] = "answer"
    audience: ClassVar[Literal["owner", "public"]] = "public"
    endings: ClassVar[tuple[str, ...]] = (".json",)
    counts_rows: ClassVar[bool] = True
    options: ClassVar[type[Options]] = ReleaseOptions

    def columns(self, options: Any, declaration: Declaration, purpose: Purpose) -> tuple[str, ...]:
        """Every declared column whose name stands in a question: rather one too many than one too few.

        A question that names none counts rows. Whose rows they are is for bounding: whether a question may do more with
        that column is for the question's own check.
        """
        named = {name.casefold() for text in options.questions for name in _named(text)}
        del purpose
        unit = declaration.dataset.unit.column
        return tuple(name for name in declaration.columns if name.casefold() in named and name != unit)

    def promise(self, options: Any) -> Promise | None:
        """As stated; None where the wanted error decides it."""
        found: Promise | None = options.promised()
        return found

    def spends(self, step: Bound, table: Table, accounting: str, folder: Path) -> Spending:
        """The plan that the release would follow, with its expected error."""
        del folder
        from privet.protect.query import Wishes, explained, plan_batch, question_of

        options: ReleaseOptions = step.options
        promise, split = options.settled(options.questions, {"table": table}, None)
        wishes = Wishes(table=table, confidence=options.confidence, **split)
        batch = plan_batch(options.questions, promise, wishes, accounting=accounting)
        said = explained(batch.plans, None)
        return Spending(batch.plans[0].event, promise, said.errors, said.notes, question_of(batch.plans))

    def run(self, work: VerbWork) -> Done:
        """Ask, or show again what was answered before."""
        from privet.protect.statistical_release import release

        options: ReleaseOptions = work.options
        promise, split = options.settled(options.questions, {"table": work.table}, None)
        answers = release(
            options.questions,
            promise,
            ledger=work.book,
            why=work.why,
            purpose=work.purpose,
            analyst=work.analyst,
            table=work.table,
            confidence=options.confidence,
            **split,
        )
        records = [answer.to_json() for answer in answers]
        content = records[0] if len(records) == 1 else {"answers": records}
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        written_whole(work.place, Publishable(text, "released under a promise"))
        return Done(promise, answers[0].receipt, {"answers": records}, made=answers)

    def exposed(self, step: Bound, path: Path, seen: Seen, folder: Path) -> tuple[Exposed, ...]:
        """The counts among the answers, as an analyst holds them."""
        from privet.artifact import ReleasedAnswer
        from privet.verbs._exposed_counts import exposed_counts

        del folder
        content = read_json(record_bytes(path), what=path.name)
        records = content.get("answers") if "keys" not in content else [content]
        answers = [ReleasedAnswer.from_json(record) for record in records]
        promise, _ = step.options.settled(step.options.questions, {"table": seen.table}, None)
        return exposed_counts(step.options.questions, answers, seen.table, promise)


def _named(sql: str) -> list[str]:
    return [
        quoted.replace('""', '"') or word
        for quoted, word in _NAMES.findall(sql)
        if quoted or (word and not _WORDS.fullmatch(word))
    ]
