"""The plan of a spine: the noise of every measurement and the one event that is booked for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from privet.engine import Contribution
from privet.errors import PromiseUnmeetable
from privet.guarantee import (
    LOSS_UNIT,
    ApproxDP,
    Composed,
    DiscreteGaussian,
    Event,
    Promise,
    SealedPlan,
    ZeroConcentratedDP,
    gaussian_sigma,
    rho_within,
    spread,
    units_down,
)
from privet.protect.tabulate._spine import Spine
from privet.protect.tabulate._table_cells import Group
from privet.protect.tabulate._weighted_estimates import EstimatePrecision, precision

Measurement = tuple[int, Group]


@dataclass(frozen=True, eq=False)
class SpinePlan:
    """A release of a spine in full, with no data in it."""

    spine: Spine
    promise: Promise
    contribution: Contribution
    rho: Fraction
    noise: Mapping[Measurement, DiscreteGaussian]  # in the order they are drawn
    event: Event
    confidence: float

    def name(self, measurement: Measurement) -> str:
        """What a measurement is called among the engine's answers."""
        depth, group = measurement
        return f"{self.spine.tree.levels[depth].name}: {self.spine.cells.name(group)}"

    @cached_property
    def sigmas(self) -> dict[Measurement, float]:
        """The standard deviation of each measurement's noise."""
        return {one: spread(event).standard_deviation for one, event in self.noise.items()}

    @cached_property
    def precision(self) -> EstimatePrecision:
        """How well everything will be known; depends on the tree and the noise alone."""
        return precision(self.spine.tree, self.spine.cells, self.sigmas)


def make_spine_plan(
    spine: Spine, promise: Promise, *, accounting: str, confidence: float = 0.95
) -> SpinePlan:
    """Divide rho as the spine says; reads no private row."""
    contribution = Contribution.for_unit(spine.query.table.unit_or_refuse(), grouped=True)
    rho = _rho(promise)
    known = len(spine.tree.leaves) * spine.cells.size
    finest = (len(spine.tree.levels) - 1, spine.cells.detailed)
    noise: dict[Measurement, DiscreteGaussian] = {}
    for (depth, group), share in spine.strategy.shares:
        entries = len(spine.tree.levels[depth]) * spine.cells.group_size(group)
        moved = (
            contribution.rows_sensitivity(known)
            if (depth, group) == finest
            else contribution.rolled_up_sensitivity(known, entries)
        )
        sigma = gaussian_sigma(rho * share, moved.largest, moved.coordinates)
        noise[depth, group] = DiscreteGaussian(sigma, moved.largest, moved.coordinates)
    parts = tuple(noise.values())
    event: Event = Composed(parts) if len(parts) > 1 else parts[0]
    if accounting != "zcdp":
        if not isinstance(promise, ApproxDP):
            raise PromiseUnmeetable(
                f"Gaussian noise cannot be booked in a ledger whose accounting is {accounting!r} without a delta.",
                'Open the ledger with accounting="zcdp", or promise ApproxDP.',
            )
        event = SealedPlan(event, promise.delta)
    return SpinePlan(spine, promise, contribution, rho, noise, event, confidence)


def _rho(promise: Promise) -> Fraction:
    """The rho to divide, in whole units of the budget, so that what is booked never exceeds what was promised."""
    if isinstance(promise, ZeroConcentratedDP):
        return units_down(promise.rho, LOSS_UNIT) * LOSS_UNIT
    if isinstance(promise, ApproxDP):
        return rho_within(promise.epsilon, promise.delta)
    raise PromiseUnmeetable(
        f"a spine is measured with Gaussian noise, which {type(promise).__name__} does not allow.",
        "Promise ZeroConcentratedDP(rho) or ApproxDP(epsilon, delta).",
    )
