"""Stability: how far a function moves between halves, what noise each budget would add for it, and what would make it cheaper.

All of it is measured on the rows: it is the owner's alone, spends nothing, and must not decide in public what is released. A
reference, a form or bounds that it suggests are chosen from other knowledge.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.artifact import OwnerOnly, Pictured, written_whole
from privet.engine import members, world_rows
from privet.errors import BadFunction, BadUsage, checked
from privet.guarantee import Number, PacPrivacy, Person, balanced_noise, log_det_noise, readable
from privet.mechanism import Basis
from privet.protect.pac._output_alignment import canonical
from privet.protect.pac._pac_options import WORLDS
from privet.protect.pac._pac_plan import PacPlan, make_pac_plan
from privet.protect.pac._world_outputs import WorldRows, outputs_of
from privet.protect.pac._world_plan import Progress
from privet.source import AppliedFunction, admitted_by

Array = NDArray[np.float64]
BUDGETS: tuple[Number, ...] = ("1/4", "1/16", "1/128")
_SEED = "stability"  # of worlds that no secret is in
_SHOWN = 20
_WORTH_SAYING = 0.8  # a change that leaves less of the noise's deviation than this is worth telling


@dataclass(frozen=True)
class PacStability(Pictured):
    """How stable a function is on these rows, for their owner alone. Made by `stability`.

    Attributes:
        name: the function.
        labels: a name for each of its numbers.
        spread: the standard deviation of each number between halves.
        width: how wide the public bounds of each number are.
        noise: for each budget in nats, the standard deviation of the noise in each number.
        advice: what would make it cheaper; each sentence follows from something measured here.
    """

    name: str
    labels: tuple[str, ...]
    spread: tuple[float, ...]
    width: tuple[float, ...]
    noise: dict[str, tuple[float, ...]]
    advice: tuple[str, ...]
    _drawn_as: ClassVar[str] = "stability"

    def shares(self) -> tuple[float, ...]:
        """The share of all noise that each number bears at the first budget, measured by its bounds."""
        first = next(iter(self.noise.values()))
        weighed = np.square(np.array(first) / np.array(self.width))
        return tuple((weighed / max(float(weighed.sum()), 1e-300)).tolist())

    def paying(self) -> list[int]:
        """The places of the numbers, those that bear most noise first."""
        return [int(at) for at in np.argsort(-np.array(self.shares()), kind="stable")]

    def to_json(self) -> dict[str, Any]:
        """A record for the owner."""
        return {
            "artifact": "pac-stability",
            "audience": "owner",
            "name": self.name,
            "labels": list(self.labels),
            "spread": list(self.spread),
            "width": list(self.width),
            "noise": {nats: list(each) for nats, each in self.noise.items()},
            "shares": list(self.shares()),
            "advice": list(self.advice),
        }

    @checked
    def save(self, path: str | Path) -> Path:
        """Write it for the owner alone: `.json`, or the picture as `.svg` or `.html`."""
        target = Path(path)
        if target.suffix == ".json":
            return written_whole(target, OwnerOnly(json.dumps(self.to_json(), indent=2) + "\n"))
        if target.suffix not in (".svg", ".html"):
            raise BadUsage(
                f"stability cannot be saved as {target.suffix or 'a file without an ending'}.",
                "Use .json, .svg or .html.",
            )
        return self.plot().save(target)

    def __str__(self) -> str:
        budgets = list(self.noise)
        heads = ["number", "moves", *(f"noise at {nats}" for nats in budgets), "share"]
        places, shares = self.paying(), self.shares()
        rows = [
            [
                self.labels[at],
                f"{self.spread[at]:.4g}",
                *(f"{self.noise[nats][at]:.4g}" for nats in budgets),
                f"{shares[at]:.0%}",
            ]
            for at in places[:_SHOWN]
        ]
        sizes = [max(len(row[at]) for row in [heads, *rows]) for at in range(len(heads))]
        lines = [
            "  ".join(
                [
                    row[0].ljust(sizes[0]),
                    *(cell.rjust(size) for cell, size in zip(row[1:], sizes[1:], strict=True)),
                ]
            )
            for row in [heads, *rows]
        ]
        more = [f"… and {len(places) - _SHOWN:,} more"] if len(places) > _SHOWN else []
        told = (
            ["", "What would make it cheaper:", *(f"- {one}" for one in self.advice)] if self.advice else []
        )
        return "\n".join(
            [
                f"Stability of {self.name}: standard deviations between halves, and of the noise at each budget in nats.",
                "For the owner only: it is measured on the rows.",
                "",
                *lines,
                *more,
                *told,
            ]
        )


@checked
def stability(
    function: AppliedFunction,
    *,
    budgets: Sequence[Number] = BUDGETS,
    worlds: int = WORLDS,
    basis: Any = None,
    processes: int | None = None,
    progress: Progress | None = None,
) -> PacStability:
    """How far a function moves between halves, and what noise each budget would add for it: for the owner of the rows alone.

    Spends nothing and draws no secret. What it says must not leave, nor choose in public what does: it is measured on the rows.
    """
    promises = [PacPrivacy(one) for one in budgets]
    if not promises:
        raise BadFunction("there is no budget to measure at.", 'Write budgets=["1/4", "1/16"].', faults=[])
    admitted_by(function.table, "audit")
    plans = [
        make_pac_plan(function, promise, worlds=worlds, basis=basis, processes=processes)
        for promise in promises
    ]
    plan = plans[0]
    plan.refuse_unreadable()
    batches = world_rows(function.table.relation, function.columns, plan.unit, seed=_SEED, worlds=worlds)
    rows = WorldRows.of(batches, function.columns, function.bounds, function.function.rows, worlds)
    outputs, failed = outputs_of(
        rows, function.function, plan.shape, worlds, processes=processes, progress=progress
    )
    exact = plan.grid.encode(outputs).astype(np.float64)
    scale = plan.grid.steps
    return PacStability(
        plan.name,
        plan.labels,
        tuple((exact.std(axis=0) * scale).tolist()),
        tuple((np.array(plan.grid.upper) - np.array(plan.grid.lower)).tolist()),
        {
            readable(one.promise.mutual_information): tuple((_noise(exact, one) * scale).tolist())
            for one in plans
        },
        tuple(_advice(plan, exact, rows, failed)),
    )


def _noise(exact: Array, plan: PacPlan, basis: Basis | None = None) -> Array:
    """The standard deviation of the noise in each number, in steps, as the mechanism would have it for these worlds."""
    chosen = plan.basis if basis is None else basis
    nats = float(plan.promise.mutual_information)
    if isinstance(chosen, str) and chosen != "eigen":
        made = balanced_noise if chosen == "balanced" else log_det_noise
        return np.asarray(np.sqrt(made(exact.var(axis=0), nats)))
    if isinstance(chosen, str):
        centred = exact - exact.mean(axis=0)
        axes = np.linalg.eigh(centred.T @ centred)[1]
    else:
        axes = np.asarray(chosen, np.float64)
    along = log_det_noise((exact @ axes).var(axis=0), nats)
    return np.asarray(np.sqrt(np.square(axes) @ along))


def _advice(plan: PacPlan, exact: Array, rows: WorldRows, failed: int) -> list[str]:
    """What would make it cheaper, where that was measured."""
    found = []
    total = _total(_noise(exact, plan))
    if failed:
        found.append(
            f"The function failed on {failed} of {plan.worlds} halves, which then give a public output: the jump to it is noised "
            "as well. Let it give a number for every half."
        )
    least = plan.applied.function.least_people
    few = sum(rows.number_of_people(world) < least for world in range(plan.worlds))
    if few:
        found.append(
            f"{few} of {plan.worlds} halves have fewer than {least} people and give a public output: the table is small for this; "
            "least_people says how few are enough."
        )
    constant = int((exact == exact[0]).all(axis=0).sum())
    if constant:
        found.append(
            f"{constant} of {exact.shape[1]} numbers are the same on every half: they leave as they are, without noise."
        )
    if total == 0:
        return found
    found += _of_basis(plan, exact, total)
    found += _of_form(plan, exact, total)
    found += _of_one_person(plan, exact, rows)
    shares = np.square(_noise(exact, plan))
    most = int(shares.argmax())
    if exact.shape[1] > 1:
        without = _total(_noise(np.delete(exact, most, axis=1), plan, _of_fewer(plan)))
        if without < _WORTH_SAYING * total:
            found.append(
                f"Without {plan.labels[most]!r} the noise would be {without / total:.0%} of what it is: leave it out, regularise "
                "it, or give it narrower public bounds."
            )
    if not found:
        found.append(
            "Nothing that was tried here would save much: ask for fewer numbers, or spend more nats."
        )
    return found


def _of_fewer(plan: PacPlan) -> Basis:
    return plan.basis if isinstance(plan.basis, str) else "diagonal"


def _of_basis(plan: PacPlan, exact: Array, total: float) -> list[str]:
    if not isinstance(plan.basis, str) or plan.basis == "eigen" or exact.shape[1] == 1:
        return []
    share = _total(_noise(exact, plan, "eigen")) / total
    if share >= _WORTH_SAYING:
        return []
    needed = max(4 * exact.shape[1], plan.worlds)
    return [
        f'The numbers move together: with basis="eigen" (which needs {needed} worlds) the noise would be about {share:.0%} of '
        "what it is."
    ]


def _of_form(plan: PacPlan, exact: Array, total: float) -> list[str]:
    """Whether outputs of halves are the same things in another order or with another sign."""
    if plan.applied.function.form != "as it is" or len(plan.shape) < 1:
        return []
    found, outputs = [], exact.reshape(len(exact), *plan.shape)
    # A public reference would do the same; the first half stands for it here, which is the owner's to look at.
    for form, words in (
        ("sorted", "sorted"),
        ("signs", "turned along a public reference"),
        ("matched", "matched to a public reference"),
    ):
        if form == "matched" and len(plan.shape) < 2:
            continue
        aligned = np.stack([canonical(one, form, outputs[0]) for one in outputs]).reshape(exact.shape)
        share = _total(_noise(aligned, plan)) / total
        if share < _WORTH_SAYING:
            found.append(
                (
                    share,
                    f'{words.capitalize()} (form="{form}"), the outputs would need {share:.0%} of the noise.',
                )
            )
    return [min(found)[1]] if found else []


def _of_one_person(plan: PacPlan, exact: Array, rows: WorldRows) -> list[str]:
    """Whether one person's coming and going explains a large part of what moves: an outlier that bounds would quieten."""
    inside = np.stack([members(rows.people, world // 2) ^ bool(world % 2) for world in range(plan.worlds)])
    signs = np.where(inside, 1.0, -1.0)
    centred = exact - exact.mean(axis=0)
    deviations = centred.std(axis=0)
    moving = deviations > 0
    if not moving.any() or not signs.size:
        return []
    related = np.abs(signs.T @ centred[:, moving]) / (plan.worlds * deviations[moving])
    # By chance the largest of n such shares is about sqrt(2 ln n / worlds): what stands far above it is somebody.
    chance = np.sqrt(2 * np.log(2 * related.size) / plan.worlds)
    largest = float(related.max())
    if largest < chance + 0.3:
        return []
    label = [plan.labels[at] for at in np.flatnonzero(moving)][int(related.max(axis=0).argmax())]
    who = "person" if isinstance(plan.unit, Person) else "row"
    return [
        f"One {who} alone explains about {largest**2:.0%} of how {label!r} moves: narrower public bounds would need less "
        "noise, and one would not be heard through it."
    ]


def _total(noise: Array) -> float:
    return float(np.sqrt(np.square(noise).sum()))
