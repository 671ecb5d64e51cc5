"""The plan of a study: which vectors are summed, in which order, and the shares of noise that they get.

It is the plan of an ordinary release of the same question, made for a table without rows; its noise is cut into shares. Every
site makes the plan anew from the study and its own table, and takes part only if both are the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadStudy, StudyRefused
from privet.guarantee import (
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    DistributedGaussian,
    Event,
    unit_to_json,
)
from privet.protect.query import Wishes, computation_of, plan_batch, stated_keys
from privet.sealed import Sealed, Sensitivity
from privet.source import Table

if TYPE_CHECKING:
    from privet.protect.federate._study import Study
    from privet.protect.query.noise_plan import ReleasePlan

# The least standard deviation of a whole sum in fine steps, with room above what noise in shares is priced for.
_LEAST_SIGMA = 2_100
# Sigma is rounded up by this part, which is more than the price of shares beyond that of one noise.
_ROUNDED = Fraction(1_000_001, 1_000_000)


@dataclass(frozen=True)
class Vector:
    """One vector of a plan: its place in the sum, and its share of noise."""

    plan: int
    name: str
    start: int
    length: int
    sensitivity: Sensitivity
    event: DistributedGaussian


@dataclass(frozen=True)
class StudyPlan:
    """A study's plans with the layout of their vectors in one sum."""

    batch: Any
    vectors: tuple[Vector, ...]
    keys: tuple[Mapping[str, tuple[Any, ...]], ...]

    @property
    def length(self) -> int:
        """Entries of the sum."""
        return sum(vector.length for vector in self.vectors)

    @property
    def event(self) -> Event:
        """What a site books."""
        events = [vector.event for vector in self.vectors]
        return events[0] if len(events) == 1 else Composed(events)

    @property
    def plans(self) -> tuple[ReleasePlan, ...]:
        """Of the question's queries."""
        found: tuple[ReleasePlan, ...] = self.batch.plans
        return found


def plan_study(study: Study, table: Table, confidence: float = 0.95) -> StudyPlan:
    """The plan of a study for a table, of which only the columns' names and kinds are read."""
    bound = bound_to(study, table)
    batch = plan_batch(
        [study.question], study.promise, Wishes(table=bound, confidence=confidence), accounting="zcdp"
    )
    empty = bound_to(study, study.schema)
    layout = plan_batch(
        [study.question], study.promise, Wishes(table=empty, confidence=confidence), accounting="zcdp"
    )
    vectors: list[Vector] = []
    keys = []
    start = 0
    for number, (plan, other) in enumerate(zip(batch.plans, layout.plans, strict=True)):
        _require_sums(plan)
        if (
            plan.noise != other.noise
            or plan.measures != other.measures
            or plan.contribution != other.contribution
        ):
            raise BadStudy(
                "a site's table would be answered by another plan than the study's.",
                "Bring its columns to the kinds of the study: numbers with a range as real numbers.",
            )
        groups = computation_of(other)()
        keys.append(stated_keys(groups))
        for name, noise in plan.noise.items():
            answer = groups.answers[name]
            share = share_of(_rho(noise), answer.sensitivity, study.honest)
            vectors.append(Vector(number, name, start, len(answer), answer.sensitivity, share))
            start += len(answer)
    return StudyPlan(batch, tuple(vectors), tuple(keys))


def bound_to(study: Study, table: Table) -> Table:
    """A site's rows on the study's terms."""
    schema = study.schema
    if table.unit is not None and unit_to_json(table.unit) != unit_to_json(study.unit):
        raise StudyRefused(
            "the study hides another unit than the one this table was opened with.",
            "State the table's unit in the study.",
        )
    missing = [name for name in schema.relation.columns if name not in table.relation.columns]
    if missing:
        raise BadStudy(
            f"a site's table lacks the column(s) {', '.join(missing)}.",
            "Rename columns before the table is opened.",
        )
    return replace(
        table, name=study.name, unit=study.unit, bounds=schema.bounds, keys=schema.keys, spans=schema.spans
    )


def share_of(rho: Fraction, moved: Sensitivity, honest: int) -> DistributedGaussian:
    """One share of a noise of which `honest` shares are guaranteed, in steps so fine that shares add up to a Gaussian."""
    variance = moved.squares / (2 * rho)
    finer = math.ceil(_LEAST_SIGMA / math.sqrt(float(variance)))
    steps = 1 << max(0, (finer - 1).bit_length())
    sigma = Fraction(math.sqrt(float(variance * steps**2 / honest))) * _ROUNDED
    return DistributedGaussian(sigma, honest, moved.squares, moved.coordinates, steps)


def seen_noise(vector: Vector, survivors: int) -> DiscreteGaussian:
    """The noise in the opened sum: of all survivors, and of rounding back to whole steps, which adds a twelfth at most."""
    variance = survivors * (vector.event.sigma / vector.event.steps) ** 2 + Fraction(1, 12)
    sigma = Fraction(math.sqrt(float(variance))) * _ROUNDED
    return DiscreteGaussian(sigma, vector.sensitivity.largest, vector.sensitivity.coordinates)


def whole_steps(total: NDArray[np.int64], vector: Vector) -> NDArray[np.int64]:
    """A vector of the opened sum, rounded from fine steps to the answer's own."""
    part = total[vector.start : vector.start + vector.length]
    steps = vector.event.steps
    rounded: NDArray[np.int64] = (part + steps // 2) // steps
    return rounded


def in_order(plan: StudyPlan, answers: list[Mapping[str, Sealed]]) -> list[Sealed]:
    """The sealed vectors in the order of the sum."""
    return [answers[vector.plan][vector.name] for vector in plan.vectors]


def _rho(noise: Event) -> Fraction:
    """What the plan spends on one vector: of Laplace noise epsilon² / 2 (Bun and Steinke 2016, Proposition 1.4)."""
    if isinstance(noise, DiscreteGaussian):
        return noise.concentrated_cost().rho
    assert isinstance(noise, DiscreteLaplace)
    return noise.basic_cost().epsilon ** 2 / 2


def _require_sums(plan: ReleasePlan) -> None:
    if plan.unknown_keys or any(
        not isinstance(noise, DiscreteGaussian | DiscreteLaplace) for noise in plan.noise.values()
    ):
        raise BadStudy(
            "the question asks for something that is no sum, or for keys that are not public.",
            "Ask for counts, sums and means, and list the keys of every column to group by.",
        )
