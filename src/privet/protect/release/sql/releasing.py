"""Releasing and explaining SQL: its queries as one release, and then the shape that the text asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.protect.release.explaining import Explanation, explain_question
from privet.protect.release.running import release_question
from privet.protect.release.sql.scope import Catalog
from privet.protect.release.sql.selecting import read_sql

if TYPE_CHECKING:
    from privet.artifact.answer import ReleasedAnswer
    from privet.guarantee.promises import Promise
    from privet.ledger import Ledger
    from privet.source.public_tables import PublicTable
    from privet.source.query import Asked


def release_sql(
    text: str,
    promise: Promise,
    *,
    ledger: Ledger,
    why: str,
    table: Asked | None = None,
    tables: Mapping[str, Asked | PublicTable] | None = None,
    **options: Any,
) -> ReleasedAnswer:
    """Answer SQL about `table`, or about `tables` by their names; see `answering.release`."""
    question = read_sql(text, Catalog.of(table, tables))
    shares = promise.split(len(question.queries)) if len(question.queries) > 1 else [promise]
    answers = [
        release_question(query, share, ledger=ledger, why=why, **options)
        for query, share in zip(question.queries, shares, strict=True)
    ]
    return question.finished(answers)


@dataclass(frozen=True)
class SqlExplanation:
    """What a question in SQL would do: one explanation for each level, and what is done with the noisy answers."""

    levels: tuple[Explanation, ...]
    afterwards: tuple[str, ...]

    @property
    def stages(self) -> tuple[str, ...]:
        """What is done, in order."""
        return (*dict.fromkeys(stage for one in self.levels for stage in one.stages), *self.afterwards)

    @property
    def errors(self) -> tuple[str, ...]:
        """The expected error of each answer."""
        return tuple(error for one in self.levels for error in one.errors)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the error bars leave out."""
        return tuple(dict.fromkeys(note for one in self.levels for note in one.notes))

    @property
    def cost(self) -> str:
        """What it would cost."""
        return " and ".join(one.cost for one in self.levels)

    def __str__(self) -> str:
        said = "\n\n".join(str(one) for one in self.levels)
        after = [f"Afterwards, from the noisy answers alone: {line}" for line in self.afterwards]
        return "\n".join([said, *after])


def explain_sql(
    text: str,
    promise: Promise,
    *,
    table: Asked | None = None,
    tables: Mapping[str, Asked | PublicTable] | None = None,
    **options: Any,
) -> SqlExplanation:
    """What `release_sql` would do; reads no private row and spends nothing."""
    question = read_sql(text, Catalog.of(table, tables))
    shares = promise.split(len(question.queries)) if len(question.queries) > 1 else [promise]
    found = [
        explain_question(query, share, **options)
        for query, share in zip(question.queries, shares, strict=True)
    ]
    return SqlExplanation(tuple(found), question.afterwards())
