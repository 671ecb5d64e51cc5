"""Say what releasing a spine would do, cost and get wrong: formulas over public facts, nothing read, nothing spent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.artifact import Displayed
from privet.errors import checked_as
from privet.guarantee import ApproxDP, Promise, Row, epsilon_for, noun, readable, spread, written
from privet.ledger import Ledger
from privet.protect._admission import admitted
from privet.protect.tabulate._error_bars import widths
from privet.protect.tabulate._spine import Spine
from privet.protect.tabulate._spine_plan import SpinePlan, make_spine_plan

if TYPE_CHECKING:
    from privet.ledger import Quote


@dataclass(frozen=True)
class SpineExplanation(Displayed):
    """What would happen. Prints as numbered stages, a line for each measurement, and the cost."""

    plan: SpinePlan
    stages: tuple[str, ...]
    errors: tuple[str, ...]
    notes: tuple[str, ...]
    cost: str
    quote: Quote | None
    _drawn_as: ClassVar[str] = "explanation"

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "stages": list(self.stages),
            "expected_error": list(self.errors),
            "cost": self.cost,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        lines = [f"{number}. {stage}" for number, stage in enumerate(self.stages, 1)]
        lines += [
            "",
            f"Expected error ({self.plan.confidence:.0%} of the time within), as measured and combined:",
        ]
        lines += [f"  {line}" for line in self.errors]
        lines += ["", f"Cost: {self.cost}"]
        if self.quote is not None:
            lines.append(f"Budget: {_quoted(self.quote)}")
        return "\n".join([*lines, "", *(f"Note: {note}" for note in self.notes)])


@checked_as("explain")
def explain_spine(
    spine: Spine, promise: Promise, *, ledger: Ledger | None = None, confidence: float = 0.95
) -> SpineExplanation:
    """What `release` would do with the same arguments. With a ledger, also whether it would be admitted."""
    accounting = ledger.accounting if ledger else ("basic" if isinstance(promise, ApproxDP) else "zcdp")
    plan = make_spine_plan(spine, promise, accounting=accounting, confidence=confidence)
    admitted([spine.query.table], "hierarchy", ledger=ledger)
    quote = ledger.quote(plan.event) if ledger else None
    return SpineExplanation(plan, stages(plan), errors(plan), notes(plan), _cost(plan), quote)


def stages(plan: SpinePlan) -> tuple[str, ...]:
    """What is done, in order."""
    spine, bound = plan.spine, plan.contribution
    names = [level.name for level in spine.tree.levels]
    found = [
        f"Read {', '.join(spine.query.columns_used())} of {spine.query.table.name!r}; no other column is touched."
    ]
    if isinstance(bound.unit, Row):
        found.append("Let every row count once, in one cell of one leaf.")
    else:
        cap = bound.total_rows or bound.rows or 1
        where = "altogether" if bound.total_rows else f"in each of at most {bound.groups} leaf cells"
        found.append(
            f"Let each {noun(bound.unit)} count with at most {cap} row(s) {where}, chosen by a keyed hash."
        )
    found.append(
        f"Count exactly {spine.cells.size:,} cells ({' × '.join(spine.cells.columns)}) in each of "
        f"{len(spine.tree.leaves):,} leaves, and add them up to {', '.join(reversed(names[:-1]))}."
    )
    for (depth, group), event in plan.noise.items():
        found.append(
            f"Add discrete Gaussian noise of standard deviation {readable(event.sigma)} to {spine.cells.name(group)} "
            f"at level {names[depth]!r} (one unit moves at most {event.coordinates} entries by at most {event.sensitivity} each)."
        )
    found.append(
        "Combine all measurements by weighted least squares into unbiased estimates with error bars."
    )
    found.append(
        "From the top down, fit tables that are not negative and add up (OSQP), and round them so that every sum "
        "holds exactly (HiGHS)."
    )
    found += [f"Keep as declared: {invariant.sentence()}." for invariant in spine.invariants]
    if spine.zeros:
        closed = int(np.count_nonzero(~spine.facts.allowed[-1]))
        found.append(f"Keep {closed:,} leaf cells empty that were declared impossible.")
    return tuple(found)


def errors(plan: SpinePlan) -> tuple[str, ...]:
    """For each measurement its share of rho, its own error bar, and the mean one after combining."""
    spine = plan.spine
    found = []
    for ((depth, group), event), (_, share) in zip(plan.noise.items(), spine.strategy.shares, strict=True):
        combined = float(np.mean(widths(plan, depth)[group]))
        found.append(
            f"{plan.name((depth, group))}: {written(share)} of rho ({readable(plan.rho * share)}), "
            f"± {readable(spread(event).half_width(plan.confidence))}, combined ± {combined:.3g}"
        )
    return tuple(found)


def notes(plan: SpinePlan) -> tuple[str, ...]:
    """What the numbers leave out."""
    found = [
        "Counts are not negative and add up, so they are biased: up where true counts are near zero, and down "
        "elsewhere. Draw conclusions from the unbiased estimates; their error bars cover the noise.",
        "Rows whose place or cell is not among the public ones are not counted anywhere.",
    ]
    if not isinstance(plan.contribution.unit, Row):
        found.append(
            "Persons with more rows than the cap count only up to it; the error bars do not cover this."
        )
    if plan.contribution.groups > 1:
        found.append(
            "A person may be in several leaf cells, which sums meet all at once: the noise of totals and margins is "
            "larger than it would be for persons in one cell each."
        )
    if plan.spine.invariants:
        found.append(
            "Declared counts are published as they are. The promise does not cover what they give away, alone or "
            "together with this release: "
            + "; ".join(invariant.sentence() for invariant in plan.spine.invariants)
            + "."
        )
    if plan.spine.zeros:
        found.append("Rows in cells declared impossible are in the measured sums, and nowhere in the counts.")
    return tuple(found)


def _cost(plan: SpinePlan) -> str:
    said = f"rho = {readable(plan.rho)}"
    if isinstance(plan.promise, ApproxDP):
        loss = epsilon_for(plan.event, plan.promise.delta)
        said += f"; epsilon = {loss.epsilon:.6g}, delta = {readable(plan.promise.delta)} ({loss.accountant})"
    return said


def _quoted(quote: Quote) -> str:
    if not quote.admitted:
        return f"it would be refused: {quote.reason}"
    coins = sorted(quote.before, reverse=True)
    return ", ".join(
        f"{coin} {readable(quote.before[coin])} → {readable(quote.after[coin])}" for coin in coins
    )
