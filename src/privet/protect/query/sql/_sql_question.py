"""What SQL asks for, and what is done with the noisy answers afterwards.

HAVING, ORDER BY, LIMIT and expressions over aggregates look at released numbers only: they are computed from the
release alone and cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from privet.artifact import Answer, Draw, NoiseTerm, ReleasedAnswer
from privet.engine import expressions as tree
from privet.guarantee import Event
from privet.protect.query.sql._noisy_expressions import ReleasedRow, combined, truth, value_of
from privet.source import Query, worded

LEVEL = "level"


@dataclass(frozen=True)
class Ordered:
    """One part of ORDER BY."""

    by: tree.Expression
    descending: bool
    missing_first: bool


@dataclass(frozen=True)
class AnswerColumn:
    """One column of the SELECT list: what it is called and how it is computed from keys and answers."""

    name: str
    of: tree.Expression
    digits: int | None = None  # of ROUND


@dataclass(frozen=True)
class SqlQuestion:
    """One query for each level of grouping, and the shape in which their answers are shown."""

    queries: tuple[Query, ...]
    keys: tuple[AnswerColumn, ...]
    columns: tuple[AnswerColumn, ...]
    having: tree.Expression | None = None
    order: tuple[Ordered, ...] = ()
    limit: int | None = None
    offset: int = 0
    text: str = field(default="", repr=False)

    @property
    def is_plain(self) -> bool:
        """Whether the answer to the one query is shown as it is."""
        renamed = any(one.of != tree.Column(one.name) or one.digits is not None for one in self.shown)
        cut = self.having is not None or self.order or self.limit is not None or self.offset
        query = self.queries[0]
        whole = len(self.keys) == len(query.keys) and len(self.columns) == len(query.aggregates)
        return len(self.queries) == 1 and whole and not renamed and not cut

    @property
    def shown(self) -> tuple[AnswerColumn, ...]:
        """Keys and columns."""
        return (*self.keys, *self.columns)

    def afterwards(self) -> tuple[str, ...]:
        """What is done with the noisy answers, as sentences."""
        said = [
            f"Compute {one.name} = {worded(one.of)} from the noisy values."
            for one in self.columns
            if not isinstance(one.of, tree.Column)
        ]
        if self.having is not None:
            said.append(f"Show only rows whose noisy values meet {worded(self.having)}.")
        if self.order:
            said.append("Sort by noisy values and keys.")
        if self.limit is not None or self.offset:
            said.append("Cut the sorted rows.")
        return tuple(said)

    def notes(self) -> tuple[str, ...]:
        """What the reader of a cut or sorted table must know."""
        if self.having is None and self.limit is None:
            return ()
        return (
            "Rows were chosen by their noisy values: those shown as large are more often too large than too small.",
        )

    def finished(self, answers: Sequence[ReleasedAnswer]) -> ReleasedAnswer:
        """The table that the question asks for, from the answers to its queries."""
        rows = [
            ReleasedRow(level, answer, at)
            for level, answer in enumerate(answers)
            for at in range(len(answer))
        ]
        if self.having is not None:
            rows = [row for row in rows if truth(self.having, row)]
        for part in reversed(self.order):
            rows = _sorted(rows, [self._sorted_by(part.by, row) for row in rows], part)
        last = None if self.limit is None else self.offset + self.limit
        rows = rows[self.offset : last]
        first = answers[0]
        levels = {LEVEL: tuple(self._level(row) for row in rows)} if len(answers) > 1 else {}
        shown = {one.name: tuple(value_of(one.of, row) for row in rows) for one in self._keys(answers)}
        source = first.provenance
        question = "\n".join([*(one.provenance.question for one in answers), *self._said()])
        stages = [stage for one in answers for stage in one.provenance.stages]
        return replace(
            first,
            keys={**levels, **shown},
            answers=tuple(self._answer(one, rows, answers) for one in self._columns(first)),
            provenance=replace(
                source, question=question, stages=(*dict.fromkeys(stages), *self.afterwards())
            ),
            notes=tuple(dict.fromkeys([*(note for one in answers for note in one.notes), *self.notes()])),
        )

    def _sorted_by(self, by: tree.Expression, row: ReleasedRow) -> Any:
        """What a row is sorted by: where it is shown, as it is shown, so that what cannot be told sorts as missing."""
        if isinstance(by, tree.Column) or by not in {one.of for one in self.columns}:
            return value_of(by, row)
        return combined(by, row, row.answer.confidence).span[0]

    def _keys(self, answers: Sequence[ReleasedAnswer]) -> list[AnswerColumn]:
        """The keys asked for, and the labels of an answer that is a table of its own."""
        own = {name for query in self.queries for name in query.keys}
        labels = [name for name in answers[0].keys if name not in own]
        return [*self.keys, *(AnswerColumn(name, tree.Column(name)) for name in labels)]

    def _columns(self, first: ReleasedAnswer) -> list[AnswerColumn]:
        """The columns asked for; an aggregate that stands alone may answer in several."""
        asked = {name for name, aggregate in self.queries[0].aggregates if aggregate.alone}
        if not asked:
            return list(self.columns)
        return [AnswerColumn(answer.name, tree.Column(answer.name)) for answer in first.answers]

    def _said(self) -> list[str]:
        if self.is_plain:
            return []
        said = [f"SHOW {', '.join(f'{worded(one.of)} AS {one.name!r}' for one in self.shown)}"]
        if self.having is not None:
            said.append(f"WHERE NOISY {worded(self.having)}")
        said += [f"ORDER BY {worded(one.by)}{' DESC' if one.descending else ''}" for one in self.order]
        if self.limit is not None or self.offset:
            said.append(f"ROWS {self.offset} TO {'END' if self.limit is None else self.offset + self.limit}")
        return said

    def _level(self, row: ReleasedRow) -> str:
        names = {one.of.name: one.name for one in self.keys if isinstance(one.of, tree.Column)}
        keys = self.queries[row.level].keys
        return ", ".join(names.get(key, key) for key in keys) or "all"

    def _answer(
        self, column: AnswerColumn, rows: Sequence[ReleasedRow], answers: Sequence[ReleasedAnswer]
    ) -> Answer:
        told = [combined(column.of, row, answers[row.level].confidence) for row in rows]
        spans = [_rounded(one.span, column.digits) for one in told]
        noise = _noise([one.noise for one in told]) if column.digits is None else ()
        meaning = _meaning(column.of, answers[0])
        return Answer(
            column.name,
            meaning,
            tuple(span[0] for span in spans),
            tuple(span[1] for span in spans),
            tuple(span[2] for span in spans),
            noise,
        )


def _meaning(of: tree.Expression, answer: ReleasedAnswer) -> str:
    if isinstance(of, tree.Column):
        return next((one.meaning for one in answer.answers if one.name == of.name), of.name)
    return f"{worded(of)}, computed from noisy values"


def _rounded(span: tuple[Any, Any, Any], digits: int | None) -> tuple[Any, Any, Any]:
    """A value to so many digits; its interval is rounded outwards, so that it covers what it covered."""
    import math

    value, low, high = span
    if digits is None or value is None or low is None or high is None:
        return span
    scale = 10.0**digits
    return round(value, digits), math.floor(low * scale) / scale, math.ceil(high * scale) / scale


def _noise(rows: Sequence[Mapping[Draw, tuple[Event, float]] | None]) -> tuple[NoiseTerm, ...]:
    """The noise of a column row by row, as terms with one weight for each row.

    Levels of grouping have noise of their own: what was drawn for one is no term of another's rows.
    """
    if any(row is None for row in rows):
        return ()
    held: dict[tuple[str, str, Event], dict[int, tuple[int, float]]] = {}
    for shown, row in enumerate(rows):
        for (_, source, vector, drawn), (event, weight) in (row or {}).items():
            held.setdefault((source, vector, event), {})[shown] = (drawn, weight)
    return tuple(
        NoiseTerm(
            vector,
            event,
            tuple(there.get(shown, (-1, 0.0))[1] for shown in range(len(rows))),
            source,
            tuple(there.get(shown, (-1, 0.0))[0] for shown in range(len(rows))),
        )
        for (source, vector, event), there in held.items()
    )


def _sorted(rows: list[ReleasedRow], values: list[Any], part: Ordered) -> list[ReleasedRow]:
    """Sorted stably by a value for each; missing values together at one end."""
    keyed = list(zip(values, rows, strict=True))
    there = [pair for pair in keyed if pair[0] is not None]
    missing = [row for value, row in keyed if value is None]
    ordered = [row for _, row in sorted(there, key=lambda pair: pair[0], reverse=part.descending)]
    return [*missing, *ordered] if part.missing_first else [*ordered, *missing]
