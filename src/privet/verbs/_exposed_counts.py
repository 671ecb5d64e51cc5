"""Released counts as attackers on statistics hold them: who each count is about, and whose secret it counts.

A cell of an answer counts the rows that meet some conditions. Those on columns that are not sensitive say whom the
attacker knows to be asked about; those on sensitive columns are the secret. Where a question names no sensitive
column, belonging to the cell is the secret, and everybody was asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from privet.artifact import ReleasedAnswer
from privet.attacks.statistics import Answered
from privet.engine import derive, fetch, project
from privet.engine import expressions as tree
from privet.errors import BadAttack
from privet.guarantee import Promise
from privet.protect.query.sql import Catalog, SqlQuestion, read_sql
from privet.source import Count, Query, Table, columns_in, worded
from privet.verbs._verb import Exposed

_NODES = get_args(tree.Expression)
# Attacks are tried on the secrets that the most answers are about; solving for everybody takes memory by the row.
_MOST_SECRETS, _MOST_ROWS = 8, 200_000


@dataclass(frozen=True)
class Cell:
    """One released count: of which secret, among whom."""

    secret: tree.Expression
    asked: tree.Expression | None  # None: everybody
    value: float | None


def exposed_counts(
    questions: Sequence[str], answers: Sequence[ReleasedAnswer], table: Table, promise: Promise
) -> tuple[Exposed, ...]:
    """What attackers could look for in the answers: one secret each, those with the most answers first."""
    secret = frozenset(table.with_role("sensitive"))
    by_secret: dict[tree.Expression, list[Cell]] = {}
    for question, answer in zip(questions, answers, strict=True):
        for cell in cells(read_sql(question, Catalog.of(table, None)), answer, table, secret):
            by_secret.setdefault(cell.secret, []).append(cell)
    chosen = sorted(by_secret.items(), key=lambda item: -len(item[1]))[:_MOST_SECRETS]
    if not chosen:
        return ()
    wanted = {
        each
        for found, of_it in chosen
        for each in (found, *(cell.asked for cell in of_it if cell.asked is not None))
    }
    truth = _evaluated(table, sorted(wanted, key=worded))
    return tuple(_exposed(found, of_it, truth, promise) for found, of_it in chosen)


def cells(
    question: SqlQuestion, answer: ReleasedAnswer, table: Table, secret: frozenset[str]
) -> Iterator[Cell]:
    """The counts of rows in an answer that can be told to be about certain rows of the table."""
    if len(question.queries) != 1 or question.queries[0].table is not table:
        return  # totals of totals, and tables of persons: what they are about cannot be told row by row
    query = question.queries[0]
    shown = {one.of.name: one.name for one in question.keys if isinstance(one.of, tree.Column)}
    counts = {name for name, aggregate in query.aggregates if type(aggregate) is Count}
    columns = [
        one.name for one in question.columns if isinstance(one.of, tree.Column) and one.of.name in counts
    ]
    if not columns or any(key not in shown for key in query.keys):
        return
    filters = [_inlined(one, query) for one in _conjuncts(query.where)]
    for row in range(len(answer)):
        keys = [_inlined(_is(key, answer[shown[key]][row]), query) for key in query.keys]
        conditions = [*filters, *keys]
        private = [one for one in conditions if columns_in(one) & secret] or conditions
        if private:
            asked = _all(one for one in conditions if one not in private)
            for name in columns:
                yield Cell(_joined(private), asked, answer[name][row])


def _is(key: str, value: Any) -> tree.Expression:
    column = tree.Column(key)
    return tree.IsMissing(column) if value is None else tree.Compare("=", column, tree.Literal(value))


def _conjuncts(condition: tree.Expression | None) -> Iterator[tree.Expression]:
    if isinstance(condition, tree.And):
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    elif condition is not None:
        yield condition


def _joined(parts: Iterable[tree.Expression]) -> tree.Expression:
    first, *rest = parts
    for one in rest:
        first = tree.And(first, one)
    return first


def _all(parts: Iterable[tree.Expression]) -> tree.Expression | None:
    found = list(parts)
    return _joined(found) if found else None


def _inlined(expression: tree.Expression, query: Query) -> tree.Expression:
    """The expression over the table's own columns: derived ones are written out."""
    derived = dict(query.derived)
    if isinstance(expression, tree.Column):
        return _inlined(derived[expression.name], query) if expression.name in derived else expression
    parts = {one.name: getattr(expression, one.name) for one in fields(expression)}
    changed: dict[str, Any] = {
        name: _inlined(part, query) for name, part in parts.items() if isinstance(part, _NODES)
    }
    return replace(expression, **changed)


def _evaluated(table: Table, wanted: Sequence[tree.Expression]) -> dict[tree.Expression, NDArray[np.bool_]]:
    """For every row, whether it meets each condition: all read in one pass, so that rows stay in line."""
    named = {f"privet condition {at}": one for at, one in enumerate(wanted)}
    relation = project(derive(table.relation, named), list(named))
    rows = fetch(relation.table, relation.engine)
    if rows.num_rows > _MOST_ROWS:
        raise BadAttack(
            f"released counts are not solved for more than {_MOST_ROWS:,} rows.",
            "Their promise stands alone; attack a smaller table of the same kind.",
        )
    return {
        one: np.array([value is True for value in rows.column(name).to_pylist()])
        for name, one in named.items()
    }


def _exposed(
    secret: tree.Expression,
    counted: Sequence[Cell],
    truth: dict[tree.Expression, NDArray[np.bool_]],
    promise: Promise,
) -> Exposed:
    everybody = np.ones(len(truth[secret]), bool)
    asked = np.stack([everybody if cell.asked is None else truth[cell.asked] for cell in counted])
    values = np.array([np.nan if cell.value is None else float(cell.value) for cell in counted])
    return Exposed(Answered(asked, values), truth[secret], promise=promise, about=worded(secret))
