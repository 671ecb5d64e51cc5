"""`do: release`: noisy answers to questions in SQL, under differential privacy."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from privet.artifact.saving import written_whole
from privet.dataset.declaration import Declaration, Positive, Purpose
from privet.dataset.rows import Seen
from privet.guarantee.promises import ApproxDP, Promise, PureDP
from privet.verbs.verb import Bound, Done, Exposed, Options, Spending, Verb, Work, register

if TYPE_CHECKING:
    from privet.source.table import Table

# Names in SQL, as far as they could be columns: quoted, or words that are not called as functions; what stands in
# single quotes is a value. Words of the language itself are columns only where they are quoted.
_NAMES = re.compile(r"""'(?:[^']|'')*'|"((?:[^"]|"")+)"|([^\W\d]\w*)\b(?!\s*\()""")
_WORDS = re.compile(
    r"(?i)all|and|as|asc|between|by|case|cast|cross|desc|distinct|else|end|exists|false|from|full|group|having|in|inner|is|"
    r"join|left|like|limit|not|null|offset|on|or|order|outer|right|select|then|true|union|using|when|where|with"
)


class ReleaseOptions(Options):
    """One question or several about the table, under one promise for all of them."""

    sql: Annotated[str, Field(min_length=1)] | Annotated[list[str], Field(min_length=1)]
    epsilon: Positive
    delta: Annotated[Decimal, Field(gt=0, lt=1)] | None = None
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95

    @property
    def questions(self) -> list[str]:
        """All questions."""
        return [self.sql] if isinstance(self.sql, str) else list(self.sql)

    def promised(self) -> Promise:
        """The promise for all answers together."""
        return ApproxDP(self.epsilon, self.delta) if self.delta else PureDP(self.epsilon)


@register
class Release(Verb):
    """Reads the columns that its questions name."""

    name: ClassVar[str] = "release"
    output: ClassVar[str] = "answer"
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

    def promise(self, options: Any) -> Promise:
        """As stated."""
        found: Promise = options.promised()
        return found

    def spends(self, step: Bound, table: Table, accounting: str) -> Spending:
        """The plan that the release would follow, with its expected error."""
        from privet.protect.release.batching import Wishes, plan_batch
        from privet.protect.release.explaining import explained
        from privet.protect.release.running import question_of

        options = step.options
        wishes = Wishes(table=table, confidence=options.confidence)
        batch = plan_batch(options.questions, options.promised(), wishes, accounting=accounting)
        said = explained(batch.plans, None)
        return Spending(
            batch.plans[0].event, options.promised(), said.errors, said.notes, question_of(batch.plans)
        )

    def run(self, work: Work) -> Done:
        """Ask, or show again what was answered before."""
        from privet.protect.release import release

        options = work.step.options
        answers = release(
            options.questions,
            options.promised(),
            ledger=work.ledger,
            why=work.why,
            purpose=work.step.purpose_name,
            table=work.table,
            confidence=options.confidence,
        )
        records = [answer.to_json() for answer in answers]
        content = records[0] if len(records) == 1 else {"answers": records}
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        written_whole(work.to, lambda part: part.write_text(text, encoding="utf-8"))
        return Done(options.promised(), answers[0].receipt, {"answers": records})

    def exposed(self, step: Bound, path: Path, seen: Seen, folder: Path) -> tuple[Exposed, ...]:
        """The counts among the answers, as an analyst holds them."""
        from privet.artifact.answer import ReleasedAnswer
        from privet.verbs.exposed_counts import exposed_counts

        del folder
        content = json.loads(path.read_text(encoding="utf-8"))
        records = content.get("answers") if "keys" not in content else [content]
        answers = [ReleasedAnswer.from_json(record) for record in records]
        return exposed_counts(step.options.questions, answers, seen.table, step.options.promised())


def _named(sql: str) -> list[str]:
    return [
        quoted.replace('""', '"') or word
        for quoted, word in _NAMES.findall(sql)
        if quoted or (word and not _WORDS.fullmatch(word))
    ]
