"""Say what a release would do, cost and get wrong, from formulas alone: nothing is read and nothing is spent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privet.guarantee.amounts import readable
from privet.guarantee.composing import epsilon_for
from privet.guarantee.events import DiscreteGaussian, DiscreteLaplace, Event, ThresholdedKeys
from privet.guarantee.promises import ApproxDP, Promise
from privet.guarantee.units import Row
from privet.ledger import Ledger
from privet.protect.release.asking import as_query
from privet.protect.release.plan import Plan, make_plan
from privet.source.query import Query

if TYPE_CHECKING:
    from privet.ledger import Quote
    from privet.source.table import Table

# Sizes of groups for which the error of a mean is shown: the real sizes are private.
SIZES = (100, 1_000, 10_000)


@dataclass(frozen=True)
class Explanation:
    """What would happen. Prints as numbered stages, expected errors and the cost."""

    plan: Plan
    stages: tuple[str, ...]
    errors: tuple[str, ...]
    notes: tuple[str, ...]
    cost: str
    quote: Quote | None

    def __str__(self) -> str:
        lines = [f"{number}. {stage}" for number, stage in enumerate(self.stages, 1)]
        lines += [
            "",
            f"Expected error ({self.plan.confidence:.0%} of the time within):",
            *(f"  {line}" for line in self.errors),
        ]
        lines += ["", f"Cost: {self.cost}"]
        if self.quote is not None:
            lines.append(f"Budget: {_quoted(self.quote)}")
        return "\n".join([*lines, "", *(f"Note: {note}" for note in self.notes)])


def explain_question(
    question: Query | str,
    promise: Promise,
    *,
    table: Table | None = None,
    ledger: Ledger | None = None,
    confidence: float = 0.95,
) -> Explanation:
    """What releasing one question would do; see `answering.explain`."""
    accounting = ledger.accounting if ledger else ("basic" if isinstance(promise, ApproxDP) else "zcdp")
    plan = make_plan(as_query(question, table), promise, accounting=accounting, confidence=confidence)
    quote = ledger.quote(plan.event) if ledger else None
    return Explanation(plan, stages(plan), errors(plan), notes(plan), cost(plan), quote)


def _quoted(quote: Quote) -> str:
    """Before and after, coin by coin; or why it would be refused."""
    if not quote.admitted:
        return f"it would be refused: {quote.reason}"
    coins = sorted(quote.before, reverse=True)
    return ", ".join(
        f"{coin} {readable(quote.before[coin])} → {readable(quote.after[coin])}" for coin in coins
    )


def stages(plan: Plan) -> tuple[str, ...]:
    """What is done, in order; the same words go into the released answer."""
    query = plan.query
    found = [f"Read {', '.join(query.columns_used())} of {query.table.name!r}; no other column is touched."]
    if query.where is not None:
        found.append("Keep the rows that meet the condition.")
    found.append(_bounding_sentence(plan))
    for reading in plan.readings:
        found += reading.stages()
    found.append(f"Compute exactly, one row per group: {', '.join(plan.measures)}.")
    for name, event in plan.noise.items():
        found.append(f"{_noise_sentence(name, event)}")
    return tuple(dict.fromkeys(found))


def _bounding_sentence(plan: Plan) -> str:
    bound = plan.contribution
    if isinstance(bound.unit, Row):
        return "Let every row count once."
    if bound.total_rows is not None:
        return (
            f"Let each person count with at most {bound.total_rows} rows altogether, chosen by a keyed hash."
        )
    if not plan.query.keys:
        return f"Let each person count with at most {bound.rows} rows."
    return f"Let each person count in at most {bound.groups} groups, chosen by a keyed hash, with at most {bound.rows} rows in each."


def _noise_sentence(name: str, event: Event) -> str:
    match event:
        case ThresholdedKeys():
            return (
                f"Show a group only if its number of persons, with discrete Laplace noise of scale {readable(event.scale)}, "
                f"is above {event.threshold}."
            )
        case DiscreteLaplace():
            return f"Add discrete Laplace noise of scale {readable(event.scale)} to: {name} (one person moves it by at most {event.sensitivity})."
        case DiscreteGaussian():
            return (
                f"Add discrete Gaussian noise of standard deviation {readable(event.sigma)} to: {name} (one person moves at most "
                f"{event.coordinates} groups by at most {event.sensitivity} each)."
            )
    return f"Noise {name}."


def errors(plan: Plan) -> tuple[str, ...]:
    """The expected error of each answer in the user's units; by group size where it depends on it."""
    return tuple(
        line for reading in plan.readings for line in reading.expected(plan.noise, plan.confidence, SIZES)
    )


def notes(plan: Plan) -> tuple[str, ...]:
    """What the error bars leave out."""
    found = []
    if not isinstance(plan.query.table.unit, Row):
        found.append(
            "Persons with more rows or groups than the caps count only up to them, so totals can fall short of the raw table; "
            "the error bars cover the noise, not this."
        )
    for reading in plan.readings:
        found += reading.notes()
    if plan.unknown_keys:
        found.append(
            "Groups of few persons are left out, whether they exist or not; their absence says nothing."
        )
    found.append(
        "Noisy counts are not rounded up to zero: a small negative count means 'few or none', and sums of counts stay unbiased."
    )
    return tuple(dict.fromkeys(found))


def cost(plan: Plan) -> str:
    """The cost in the plan's own terms, by the tightest accountant that is valid for it."""
    delta = plan.promise.delta if isinstance(plan.promise, ApproxDP) else 0
    if not delta and any(isinstance(event, DiscreteGaussian) for event in plan.noise.values()):
        return f"{plan.promise.kind} {', '.join(f'{n} = {readable(getattr(plan.promise, n))}' for n in plan.promise.additive)}"
    loss = epsilon_for(plan.event, delta)
    return (
        f"epsilon = {loss.epsilon:.6g}"
        + (f", delta = {readable(delta)}" if delta else "")
        + f" ({loss.accountant})"
    )
