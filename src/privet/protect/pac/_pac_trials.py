"""Trials for attacks: what every world gives, and releases whose secrets are known, made with the mechanism itself.

For the owner alone: they hold exact outputs. Nothing of them leaves, so all of it is booked in a ledger that ends with the process.
An adversary of PAC privacy may know the worlds and their outputs; what an attack is scored by is which world was drawn.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.engine import members, world_rows
from privet.errors import BadFunction, InternalError, checked
from privet.guarantee import PacPrivacy, PacRelease, Promise, Repeated, Row
from privet.ledger import Permit, throwaway
from privet.mechanism import Basis, SecretWorld, pac_gaussian
from privet.protect.pac._pac_options import WORLDS
from privet.protect.pac._pac_plan import PacPlan
from privet.protect.pac._pac_release import plan_worlds
from privet.protect.pac._query_plan import QueryPlan
from privet.protect.pac._row_statistics import query_outputs, query_rows
from privet.protect.pac._world_outputs import WorldRows, outputs_of
from privet.protect.pac._world_plan import WorldPlan
from privet.sealed import OutputGrid, SealedWorlds
from privet.source import AppliedFunction, Query, admitted_by

MOST_PEOPLE = 20_000
_MOST_NATS = 10**6  # of a ledger that nobody relies on
_AT_ONCE = 16  # are booked together: a booking takes longer than a draw
_ASKED = 1.0  # an adversary's own functions of a world lie within this
Floats = NDArray[np.float64]


class TrialSession:
    """One secret that an adversary may ask about in turn; `drawn` is the truth, for the scoring alone."""

    def __init__(self, worlds: int) -> None:
        self._secret, self._ledger = SecretWorld.fresh(worlds), throwaway(PacPrivacy(_MOST_NATS))
        self.drawn = _drawn(self._secret)
        self._permits: dict[PacRelease, list[Permit]] = {}

    def ask(self, outputs: ArrayLike, mutual_information: float, basis: Basis = "diagonal") -> Floats:
        """The answer to a function whose outputs on all worlds these are, and what it tells is tracked."""
        found = np.atleast_2d(np.asarray(outputs, np.float64).T).T
        reach = max(_ASKED, float(np.abs(found).max()))
        grid = OutputGrid.alike(-reach, reach, found.shape[1])
        event = PacRelease(PacPrivacy(mutual_information).mutual_information)
        if not self._permits.get(event):
            whole = self._ledger.charge(Repeated(event, _AT_ONCE), why="trials", unit=Row())
            self._permits[event] = list(whole.parts())
        permit = self._permits[event].pop()
        noisy, self._secret = pac_gaussian(SealedWorlds(grid.encode(found)), self._secret, permit, basis)
        return grid.decode(noisy)


@dataclass(frozen=True, eq=False, repr=False)
class PacTrials:
    """A function's outputs on all worlds, who is in which, and as many releases as an attack wants. For the owner alone."""

    outputs: Floats  # one row for each world
    inside: NDArray[np.bool_]  # worlds × people
    promise: PacPrivacy
    basis: Basis
    grid: OutputGrid
    leave_out: Callable[[int], PacTrials] | None = None

    def play(self, releases: int) -> tuple[Floats, NDArray[np.int64]]:
        """So many releases, each with a fresh secret; and, for the scoring, which world each was drawn from."""
        sealed = SealedWorlds(self.grid.encode(self.outputs))
        event = Repeated(PacRelease(self.promise.mutual_information), releases)
        whole = throwaway(PacPrivacy(self.promise.mutual_information * releases))
        answers, drawn = np.empty((releases, len(self.grid))), np.empty(releases, np.int64)
        for at, permit in enumerate(whole.charge(event, why="trials", unit=Row()).parts()):
            secret = SecretWorld.fresh(len(self.outputs))
            answers[at] = self.grid.decode(pac_gaussian(sealed, secret, permit, self.basis)[0])
            drawn[at] = _drawn(secret)
        return answers, drawn

    def session(self) -> TrialSession:
        """One secret of the same worlds, to be asked in turn."""
        return TrialSession(len(self.outputs))

    def without(self, person: int) -> PacTrials:
        """The trials of the universe without one person, in the same worlds."""
        if self.leave_out is None:
            raise BadFunction(
                "one person of these trials is left out already.", "Begin with all of them.", faults=[]
            )
        return self.leave_out(person)

    def __repr__(self) -> str:
        return f"<PAC trials of {len(self.outputs)} worlds>"


@checked
def pac_trials(
    thing: AppliedFunction | Query,
    promise: Promise,
    *,
    worlds: int = WORLDS,
    basis: Basis | None = None,
    processes: int | None = None,
) -> PacTrials:
    """What attacks on a PAC release are tried on: `pv.attack(pv.pac_trials(patients.apply(…), pv.PacPrivacy("1/16")))`.

    The function is run on all worlds of a seed of its own. It reads private rows and spends nothing, since nothing leaves: for
    the owner alone. Of more than 20,000 people the memberships of the first are looked at.
    """
    plan = plan_worlds(thing, promise, worlds=worlds, basis=basis, processes=processes)
    admitted_by(plan.table, "report")
    seed = SecretWorld.fresh(2).seed
    if isinstance(plan, QueryPlan):
        query = plan
        return _trials(query, query_rows(query, seed), lambda rows: query_outputs(query, rows))
    if not isinstance(plan, PacPlan):
        raise InternalError("worlds are computed by a function or by a query.")
    applied, box = plan.applied, plan.applied.function
    batches = world_rows(applied.table.relation, applied.columns, plan.unit, seed=seed, worlds=plan.worlds)
    rows = WorldRows.of(batches, applied.columns, applied.bounds, box.rows, plan.worlds)
    shape = plan.shape
    return _trials(plan, rows, lambda rows: outputs_of(rows, box, shape, worlds, processes=processes)[0])


def _trials(plan: WorldPlan, rows: WorldRows, compute: Callable[[WorldRows], Floats]) -> PacTrials:
    words = tuple(word[:MOST_PEOPLE] for word in rows.people)

    def trials(some: WorldRows, leave_out: Callable[[int], PacTrials] | None) -> PacTrials:
        inside = np.stack([members(words, world // 2) ^ bool(world % 2) for world in range(plan.worlds)])
        outputs = plan.grid.decode(plan.grid.encode(compute(some)))
        return PacTrials(outputs, inside, plan.promise, plan.basis, plan.grid, leave_out)

    return trials(rows, lambda person: trials(rows.without(person), None))


def _drawn(secret: SecretWorld) -> int:
    """Which world it is, as its owner's file has it."""
    return int(json.loads(secret.content())["index"])
