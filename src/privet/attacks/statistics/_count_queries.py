"""Released counts as an attacker on statistics reads them: each cell is a question about the people it counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Answer, ReleasedAnswer, as_text
from privet.attacks.statistics._released_counts import Answered
from privet.errors import BadAttack
from privet.guarantee import Promise, PureDP

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

_COUNTS = "number of rows"


def counts_about(
    answers: Sequence[ReleasedAnswer], people: pa.Table, secret: str, value: Any
) -> tuple[Answered, NDArray[np.bool_]]:
    """The questions that counts by groups answer about one value of a secret column, and everybody's secret.

    The attacker knows the other columns that were grouped by. A cell with this value of the secret counts the people
    of its group who have it; an answer that is not grouped by the secret says nothing of it.
    """
    wanted = as_text(value)
    asked, told = [], []
    for released in answers:
        counts = [one for one in released.answers if one.meaning == _COUNTS]
        if secret not in released.keys or not counts:
            continue
        others = [name for name in released.keys if name != secret]
        _refuse_absent(people, [secret, *others])
        known = {name: _texts(people, name) for name in others}
        for row, group in enumerate(released.keys[secret]):
            if as_text(group) == wanted:
                mask = np.ones(people.num_rows, bool)
                for name in others:
                    mask &= known[name] == str(as_text(released.keys[name][row]))
                asked.append(mask)
                told.append(_number(counts[0], row))
    if not asked:
        raise BadAttack(
            "no released count is grouped by the secret and has this value of it.",
            "Name a column that counts are grouped by, and one of its values: secret=diagnosis, value=yes.",
        )
    return Answered(np.stack(asked), np.array(told, float)), _texts(people, secret) == wanted


def promise_of_all(answers: Sequence[ReleasedAnswer]) -> Promise | None:
    """What several answers promise together: one's own, or the sum of pure epsilons; None where that is not so simple."""
    promises = [one.promise for one in answers]
    if len(promises) == 1:
        return promises[0]
    if all(isinstance(one, PureDP) for one in promises):
        return PureDP(sum(one.epsilon for one in promises if isinstance(one, PureDP)))
    return None


def _number(counts: Answer, row: int) -> float:
    found = counts.values[row]
    return float("nan") if found is None else float(found)


def _texts(people: pa.Table, name: str) -> NDArray[Any]:
    return np.array([str(as_text(one)) for one in people.column(name).to_pylist()])


def _refuse_absent(people: pa.Table, columns: Sequence[str]) -> None:
    lacking = [name for name in columns if name not in people.column_names]
    if lacking:
        raise BadAttack(
            f"the people's table has no column {', '.join(map(repr, lacking))}.",
            "Give the table that was asked.",
            columns=lacking,
        )
