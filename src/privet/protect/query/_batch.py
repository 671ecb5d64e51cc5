"""Questions, one or several: asked, planned, priced and booked together.

A batch is one release. All its parameters are written down before its first answer, so it is booked whole, and
where the promise has a delta it is certified as one sealed plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from privet.artifact import ReleasedAnswer
from privet.errors import BadBatch, BadInput, BadUsage, checked_as
from privet.guarantee import ApproxDP, Number, Promise, unit_to_json
from privet.ledger import Ledger
from privet.protect._admission import admitted
from privet.protect._exactly_once import Booking
from privet.protect.query._explanation import Explanation, explained
from privet.protect.query._question import Asking, Question, asking
from privet.protect.query._release_options import (
    BatchOptions,
    BatchPlan,
    QuestionOptions,
    QuestionPlan,
    Weights,
)
from privet.protect.query._release_run import run
from privet.protect.query.noise_plan import ROWS, Goals, ReleasePlan, make_plans
from privet.source import Asked, PublicTable, Query


@dataclass(frozen=True)
class Wishes:
    """What may be said about how questions are answered, as `release` and `explain` take it."""

    table: Asked | None = None
    tables: Mapping[str, Asked | PublicTable] | None = None
    confidence: float = 0.95
    weights: Sequence[Weights] | None = None
    error: Sequence[Mapping[str, Number]] | None = None
    rows: int = ROWS
    selection: str | None = None


@dataclass(frozen=True)
class QuestionBatch:
    """Questions and the plans of all their queries, in order."""

    askings: tuple[Asking, ...]
    plans: tuple[ReleasePlan, ...]

    def answers(self, released: Sequence[ReleasedAnswer]) -> tuple[ReleasedAnswer, ...]:
        """One answer for each question, made from those to its queries."""
        rest = iter(released)
        return tuple(one.finished([next(rest) for _ in one.queries]) for one in self.askings)


def plan_batch(
    questions: Sequence[Question], promise: Promise, wishes: Wishes, *, accounting: str
) -> QuestionBatch:
    """The plans of all questions; refuses with the faults of all of them, and spends nothing."""
    askings = _askings(questions, wishes)
    plans = make_plans(
        [query for one in askings for query in one.queries],
        promise,
        accounting=accounting,
        confidence=wishes.confidence,
        goals=Goals(
            _each_query("weights", wishes.weights, askings),
            _each_query("errors", wishes.error, askings),
            wishes.rows,
        ),
        selection=wishes.selection,
    )
    return QuestionBatch(askings, plans)


def _askings(questions: Sequence[Question], wishes: Wishes) -> tuple[Asking, ...]:
    if not questions:
        raise BadUsage("there is no question.", "Give at least one.")
    found: list[Asking] = []
    faults: list[BadInput] = []
    said: list[str] = []
    for number, question in enumerate(questions, 1):
        try:
            found.append(asking(question, wishes.table, wishes.tables))
            for query in found[-1].queries:
                query.table.unit_or_refuse()
        except BadInput as fault:
            faults.append(fault)
            said.append(f"question {number}: {fault.fact} {fault.hint}".rstrip())
    if len(questions) == 1 and faults:
        raise faults[0]
    if faults:
        raise BadBatch("\n".join(said), "Nothing was spent: correct these questions and ask again.")
    _require_one_unit([query for one in found for query in one.queries])
    return tuple(found)


def _require_one_unit(queries: Sequence[Query]) -> None:
    """A batch is one entry of a ledger, which is about one kind of unit."""
    units = [unit_to_json(query.table.unit_or_refuse()) for query in queries]
    if len({(unit["unit"], unit.get("column"), unit["change"]) for unit in units}) > 1:
        raise BadBatch(
            "the questions hide different units, and a batch is booked for one.",
            "Ask about tables with the same person column, or in separate batches.",
        )


def _each_query(what: str, items: Sequence[Any] | None, askings: Sequence[Asking]) -> list[Any] | None:
    """What was said for each question, said for each of its queries."""
    if items is None:
        return None
    if len(items) != len(askings):
        raise BadUsage(
            f"there are {len(askings)} questions and {what} for {len(items)}.",
            "Give one item for each question.",
        )
    return [item for item, one in zip(items, askings, strict=True) for _ in one.queries]


@checked_as("release")
def release_batch(
    thing: Sequence[Question],
    promise: Promise,
    *,
    ledger: Ledger,
    why: str,
    **options: Unpack[BatchOptions],
) -> tuple[ReleasedAnswer, ...]:
    """Answer several questions under one promise for all of them; see `release`."""
    booking, wishes = _booking(ledger, why, options)
    batch = plan_batch(thing, promise, wishes, accounting=ledger.accounting)
    return batch.answers(run(batch.plans, booking))


@checked_as("release")
def release_question(
    thing: Question,
    promise: Promise,
    *,
    ledger: Ledger,
    why: str,
    **options: Unpack[QuestionOptions],
) -> ReleasedAnswer:
    """Answer one question; see `release`."""
    booking, wishes = _booking(ledger, why, _alone(options))
    batch = plan_batch([thing], promise, wishes, accounting=ledger.accounting)
    return batch.answers(run(batch.plans, booking))[0]


@checked_as("explain")
def explain_batch(
    thing: Sequence[Question],
    promise: Promise,
    *,
    ledger: Ledger | None = None,
    **options: Unpack[BatchPlan],
) -> Explanation:
    """What releasing several questions together would do; see `explain`."""
    return _explained(thing, promise, ledger, Wishes(**options))


@checked_as("explain")
def explain_question(
    thing: Question, promise: Promise, *, ledger: Ledger | None = None, **options: Unpack[QuestionPlan]
) -> Explanation:
    """What releasing one question would do; see `explain`."""
    return _explained([thing], promise, ledger, Wishes(**_alone(options)))


def _explained(
    questions: Sequence[Question], promise: Promise, ledger: Ledger | None, wishes: Wishes
) -> Explanation:
    accounting = accounting_for(promise, ledger)
    batch = plan_batch(questions, promise, wishes, accounting=accounting)
    admitted([plan.query.table for plan in batch.plans], "answer", ledger=ledger)
    afterwards = tuple(line for one in batch.askings for line in one.afterwards)
    beside = tuple(line for one in batch.askings for line in one.notes)
    return explained(batch.plans, ledger, afterwards, beside)


def accounting_for(promise: Promise, ledger: Ledger | None) -> str:
    """The ledger's accounting; without one, that which books the promise best."""
    if ledger is not None:
        return ledger.accounting
    return "basic" if isinstance(promise, ApproxDP) else "zcdp"


def _booking(ledger: Ledger, why: str, options: Mapping[str, Any]) -> tuple[Booking, Wishes]:
    """What the ledger is told, and what is left to be said about the answers."""
    wishes = dict(options)
    purpose, analyst = wishes.pop("purpose", None), wishes.pop("analyst", None)
    return Booking(ledger, why, purpose, analyst, wishes.pop("again", False)), Wishes(**wishes)


def _alone(given: Mapping[str, Any]) -> dict[str, Any]:
    """The wishes about one question, as a batch of one has them."""
    return {
        name: (item,) if name in ("weights", "error") and item is not None else item
        for name, item in given.items()
    }
