"""The other way round: from the error that is wanted to the epsilon that it takes. Reads nothing, spends nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_CEILING, Context
from fractions import Fraction
from typing import Any

from privet.errors import BadUsage, NoSolution, checked
from privet.guarantee import ApproxDP, Number, PureDP
from privet.ledger import Ledger
from privet.protect.query._batch import Wishes, accounting_for, plan_batch
from privet.protect.query._question import Question, asking
from privet.protect.query.noise_plan import ROWS
from privet.source import Asked, PublicTable, Query

_LARGEST, _SMALLEST = 10_000.0, 1e-6
# Where the promise has a delta each step calibrates a whole plan, to a few thousandths.
_CLOSE, _CLOSE_WITH_DELTA = 1e-6, 2e-3


@checked
def epsilon_for(
    question: Question | Sequence[Question],
    error: Mapping[str, Number] | Sequence[Mapping[str, Number]],
    *,
    confidence: float = 0.95,
    delta: Number | None = None,
    table: Asked | None = None,
    tables: Mapping[str, Asked | PublicTable] | None = None,
    ledger: Ledger | None = None,
    rows: int = ROWS,
    selection: str | None = None,
) -> float:
    """The least epsilon at which every answer's error bar is as narrow as wanted.

    Args:
        question: A query or SQL text, or a list of these.
        error: The half-width wanted of each answer by its name, in the answer's own units; for a list of
            questions, a list of these.
        confidence: With which errors stay within.
        delta: Of the promise `ApproxDP(epsilon, delta)`; without it the promise is `PureDP(epsilon)`.
        table: The table that SQL speaks of.
        tables: Several tables by name.
        ledger: Whose accounting the release would be booked under.
        rows: The size of a group for which the errors of means and the like are meant.
        selection: How unknown keys are selected.

    Release at this epsilon with the same `error`, `rows` and `confidence`: then the budget is split as it is here.
    """
    questions = [question] if isinstance(question, Query | str) else list(question)
    targets: Sequence[Any] = [error] if isinstance(error, Mapping) else list(error)
    wishes = Wishes(table, tables, confidence, None, targets, rows, selection)

    def excess(epsilon: float) -> float:
        """The largest error over its target."""
        promise = PureDP(epsilon) if delta is None else ApproxDP(epsilon, delta)
        batch = plan_batch(questions, promise, wishes, accounting=accounting_for(promise, ledger))
        wanted = [item for item, one in zip(targets, batch.askings, strict=True) for _ in one.queries]
        return max(
            reading.width(plan.noise, confidence, rows) / float(Fraction(str(item[reading.name])))
            for plan, item in zip(batch.plans, wanted, strict=True)
            for reading in plan.readings
        )

    return _least(excess, _CLOSE if delta is None else _CLOSE_WITH_DELTA)


def _least(excess: Callable[[float], float], close: float) -> float:
    """The least epsilon, as a short decimal, whose excess is at most one; errors fall roughly as one over epsilon."""
    low, high = _bracket(excess)
    while high / low > 1 + close:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if excess(middle) <= 1 else (middle, high)
    digits = 6 if close < 1e-4 else 4
    short = float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal_from_float(high))
    # The short number is checked as it will be used: at another epsilon another kind of noise may be the
    # best.
    return short if excess(short) <= 1 else high


def _bracket(excess: Callable[[float], float]) -> tuple[float, float]:
    """One epsilon that is too small and one that is enough, not far apart."""
    low, high, guess = 0.0, math.inf, 1.0
    while not low > 0 or high == math.inf:
        if not _SMALLEST <= guess <= _LARGEST:
            raise NoSolution(
                f"no epsilon between {_SMALLEST:g} and {_LARGEST:g} is the least for this error.",
                "Check the error wanted for a slip.",
            )
        found = excess(guess)
        if found <= 1:
            high, guess = guess, guess * max(min(found * 0.95, 0.9), 0.05)
        else:
            low, guess = guess, guess * min(max(found * 1.05, 1.1), 20.0)
    return low, high


def errors_by_question(
    questions: Sequence[Question],
    given: Mapping[str, Number],
    *,
    table: Asked | None = None,
    tables: Mapping[str, Asked | PublicTable] | None = None,
) -> list[dict[str, Number]]:
    """Errors by the names of answers, sorted to their questions: `n` of any question, or `2.n` of the second."""
    found: list[dict[str, Number]] = []
    used: set[str] = set()
    for number, question in enumerate(questions, 1):
        names = {name for query in asking(question, table, tables).queries for name, _ in query.aggregates}
        here = {name: key for name in names for key in (name, f"{number}.{name}") if key in given}
        used |= set(here.values())
        found.append({name: given[key] for name, key in here.items()})
    if unknown := sorted(set(given) - used):
        raise BadUsage(
            f"no question has an answer called {', '.join(map(repr, unknown))}.", "Use the names after AS."
        )
    return found
