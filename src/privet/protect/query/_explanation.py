"""Say what a release would do, cost and get wrong, from formulas alone: nothing is read and nothing is spent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from privet.artifact import Displayed
from privet.guarantee import ApproxDP, Event, Repeated, Row, epsilon_for, noun, readable
from privet.guarantee.mechanisms import CandidateSelection, GaussianNoise, Mechanism
from privet.ledger import Ledger
from privet.protect.query.noise_plan import ReleasePlan
from privet.source import stages_of

if TYPE_CHECKING:
    from privet.ledger import Quote

# Sizes of groups for which the error of a mean is shown: the real sizes are private.
SIZES = (100, 1_000, 10_000)


@dataclass(frozen=True)
class Explanation(Displayed):
    """What would happen. Prints as numbered stages, expected errors, the choice of noise and the cost."""

    plans: tuple[ReleasePlan, ...]
    stages: tuple[str, ...]
    errors: tuple[str, ...]
    notes: tuple[str, ...]
    cost: str
    choice: str
    quote: Quote | None
    _drawn_as: ClassVar[str] = "explanation"

    @property
    def plan(self) -> ReleasePlan:
        """The plan of the only question, or of the first."""
        return self.plans[0]

    def __str__(self) -> str:
        lines = [f"{number}. {stage}" for number, stage in enumerate(self.stages, 1)]
        lines += [
            "",
            f"Expected error ({self.plan.confidence:.0%} of the time within):",
            *(f"  {line}" for line in self.errors),
        ]
        lines += ["", f"Noise: {self.choice}", f"Cost: {self.cost}"]
        if self.quote is not None:
            lines.append(f"Budget: {_quoted(self.quote)}")
        return "\n".join([*lines, "", *(f"Note: {note}" for note in self.notes)])


def explained(
    plans: tuple[ReleasePlan, ...],
    ledger: Ledger | None,
    afterwards: tuple[str, ...] = (),
    beside: tuple[str, ...] = (),
) -> Explanation:
    """What plans made together would do; with a ledger, what they would leave in it.

    `afterwards` says what is done with the noisy answers, and `beside` what is to be noted about that.
    """
    quote = ledger.quote(plans[0].event) if ledger else None
    return Explanation(
        plans,
        (*_numbered(plans, stages), *afterwards),
        _numbered(plans, errors),
        tuple(dict.fromkeys([*(note for plan in plans for note in notes(plan)), *beside])),
        cost(plans[0]),
        plans[0].why,
        quote,
    )


def _numbered(
    plans: tuple[ReleasePlan, ...], say: Callable[[ReleasePlan], tuple[str, ...]]
) -> tuple[str, ...]:
    """What is to be said about each plan, with the number of its question where there are several."""
    if len(plans) == 1:
        return say(plans[0])
    return tuple(
        f"Question {number}: {line[0].lower() + line[1:] if say is stages else line}"
        for number, plan in enumerate(plans, 1)
        for line in say(plan)
    )


def _quoted(quote: Quote) -> str:
    """Before and after, coin by coin; or why it would be refused."""
    if not quote.admitted:
        return f"it would be refused: {quote.reason}"
    coins = sorted(quote.before, reverse=True)
    return ", ".join(
        f"{coin} {readable(quote.before[coin])} → {readable(quote.after[coin])}" for coin in coins
    )


def stages(plan: ReleasePlan) -> tuple[str, ...]:
    """What is done, in order; the same words go into the released answer."""
    query = plan.query
    found = [f"Read {', '.join(query.columns_used())} of {query.table.name!r}; no other column is touched."]
    found += stages_of(query.table)
    if query.where is not None:
        found.append("Keep the rows that meet the condition.")
    found.append(_bounding_sentence(plan))
    for reading in plan.readings:
        found += reading.stages()
    found.append(f"Compute exactly, one row per group: {', '.join(plan.measures)}.")
    for name, event in plan.noise.items():
        found.append(_noise_sentence(name, event, noun(plan.contribution.unit)))
    return tuple(dict.fromkeys(found))


def _bounding_sentence(plan: ReleasePlan) -> str:
    bound = plan.contribution
    if isinstance(bound.unit, Row):
        return "Let every row count once."
    if bound.total_rows is not None:
        return f"Let each {noun(bound.unit)} count with at most {bound.total_rows} rows altogether, chosen by a keyed hash."
    if not plan.query.keys:
        return f"Let each {noun(bound.unit)} count with at most {bound.rows} rows."
    return f"Let each {noun(bound.unit)} count in at most {bound.groups} groups, chosen by a keyed hash, with at most {bound.rows} rows in each."


def _noise_sentence(name: str, event: Event, whose: str) -> str:
    if isinstance(event, Repeated) and isinstance(event.event, CandidateSelection):
        return f"{event.event.stage(name)} (one {whose} moves at most {event.count} groups)."
    if isinstance(event, Mechanism):
        return f"{event.stage(name)}."
    return f"Noise {name}."


def errors(plan: ReleasePlan) -> tuple[str, ...]:
    """The expected error of each answer in the user's units; by group size where it depends on it."""
    return tuple(
        line for reading in plan.readings for line in reading.expected(plan.noise, plan.confidence, SIZES)
    )


def notes(plan: ReleasePlan) -> tuple[str, ...]:
    """What the error bars leave out."""
    found = []
    if not isinstance(plan.query.table.unit, Row):
        found.append(
            "Units with more rows or groups than the caps count only up to them, so totals can fall short of the raw table; "
            "the error bars cover the noise, not this."
        )
    for reading in plan.readings:
        found += reading.notes()
    if plan.unknown_keys:
        found.append(
            "Groups of few persons are left out, whether they exist or not; their absence says nothing."
        )
        found.append(
            "What a group is shown by is too high on average in groups that are barely shown, by up to one scale of its noise: "
            "those whose noise was low are not there to make up for it. Error bars hold for groups well above the threshold."
        )
    found.append(
        "Noisy counts are not rounded up to zero: a small negative count means 'few or none', and sums of counts stay unbiased."
    )
    return tuple(dict.fromkeys(found))


def cost(plan: ReleasePlan) -> str:
    """The cost in the plan's own terms, by the tightest accountant that is valid for it."""
    delta = plan.promise.delta if isinstance(plan.promise, ApproxDP) else 0
    if not delta and any(isinstance(event, GaussianNoise) for event in plan.noise.values()):
        return f"{plan.promise.kind} {', '.join(f'{n} = {readable(getattr(plan.promise, n))}' for n in plan.promise.additive)}"
    loss = epsilon_for(plan.event, delta)
    return (
        f"epsilon = {loss.epsilon:.6g}"
        + (f", delta = {readable(delta)}" if delta else "")
        + f" ({loss.accountant})"
    )
