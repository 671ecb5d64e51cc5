"""Twins of linked tables: one booking, each table measured from its share of it, and rows that join.

Persons are drawn first, with how many rows of each other table they get; then those rows, given the person's own. Given
these, rows of one person are independent of each other: what a second stay owes to the first is not modelled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privet.engine import SealedMarginals, prepare_marginals, read_through, version_of
from privet.ledger import AdaptiveRun, Ledger, Permit
from privet.mechanism import Draws, fresh_generator
from privet.protect._engine_incidents import computed
from privet.protect._exactly_once import Booking, Draw, released
from privet.protect.synthesize._adaptive_iterative import AimSettings, adaptive_iterative
from privet.protect.synthesize._column_domain import ColumnDomain
from privet.protect.synthesize._graphical_model import GraphicalModel
from privet.protect.synthesize._junction_tree import Clique
from privet.protect.synthesize._kept_codes import KeptCodes
from privet.protect.synthesize._linked_plan import LinkedPlan, LinkedTable, view_columns
from privet.protect.synthesize._marginal_synthesis import Say, model_of, noted_failure, row_source
from privet.protect.synthesize._measurement_run import MeasurementRun
from privet.protect.synthesize._row_sampling import sampled_rows
from privet.protect.synthesize._spanning_tree import all_pairs, spanning_tree
from privet.protect.synthesize._structural_zeros import zero_cells
from privet.protect.synthesize._transcript import Transcript, joined_transcripts, prices_of, split_transcripts
from privet.protect.synthesize._workload import candidates, still_modelled, workload_of

Codes = NDArray[np.int64]


def linked_transcripts(
    plan: LinkedPlan, booking: Booking, *, progress: Say = lambda _: None
) -> tuple[Transcript, ...]:
    """One transcript for each table: taken from the ledger where they are stored, else booked, measured and stored."""
    spend = {
        "event": plan.event,
        "unit": plan.unit,
        "promise": plan.promise,
        "data": plan.fingerprint,
    }
    stored = released(
        booking,
        plan.question(),
        spend=spend,
        prepared=lambda: _drawing(plan, booking.ledger, progress),
    )
    return split_transcripts(stored)


def _drawing(plan: LinkedPlan, ledger: Ledger, progress: Say) -> Draw:
    """What measures; all that can be refused without a row is refused here, before anything is booked."""
    for one in plan.tables:
        read_through(one.view.relation)
    version = version_of(plan.tables[0].view.relation)
    stated = all(not one.domain.unknown for one in plan.tables)
    ready = _prepared(plan, view_columns(plan.tables, {})) if stated else None

    def draw(permit: Permit) -> bytes:
        spare = plan.spare if plan.event.kind == "opaque" else Fraction(0)
        run = AdaptiveRun(permit, plan.unit.change, spare=spare)
        found = {
            (owner, one.name): one.answer(
                computed(one.compute, ledger, permit.receipt), run.permit(one.event)
            )
            for owner, one in plan.bought
        }
        counted = view_columns(plan.tables, found)
        compute = ready or _prepared(plan, counted)
        notes = tuple(
            f"Nothing could be told of {name!r} in {owner!r} through the noise: it is left out."
            for (owner, name), one in found.items()
            if one is None
        )
        each = run.remaining / len(plan.tables)
        made = []
        for at, (one, columns) in enumerate(zip(plan.tables, counted, strict=True)):
            progress(f"measuring {one.name}")
            measured = MeasurementRun(
                run,
                noted_failure(compute[at](), ledger, permit.receipt),
                until=None if at == len(plan.tables) - 1 else run.spent.rho + each,
            )
            method = _measure(plan, one, columns, measured)
            bought = [f"{owner}.{name}" for owner, name in found] if at == 0 else []
            names = [column.name for column in columns]
            made.append(
                Transcript(
                    method,
                    columns,
                    tuple(measured.measured),
                    prices_of(run, measured, names, bought),
                    permit.receipt,
                    version,
                    notes if at == 0 else (),
                )
            )
        return joined_transcripts(made)

    return draw


def _prepared(
    plan: LinkedPlan, views: Sequence[tuple[ColumnDomain, ...]]
) -> list[Callable[[], SealedMarginals]]:
    return [
        prepare_marginals(
            one.view.relation,
            [column.coded() for column in columns],
            one.unit,
            list(dict.fromkeys([*((at,) for at in range(len(columns))), *_candidates(plan, one, columns)])),
        )
        for one, columns in zip(plan.tables, views, strict=True)
    ]


def _persons(one: LinkedTable, plan: LinkedPlan, columns: Sequence[ColumnDomain]) -> int:
    """How many of the columns that a table is counted by are its persons', given which its own are drawn."""
    if one is plan.tables[0]:
        return 0
    return sum(not column.name.startswith(f"{one.name}.") for column in columns)


def _candidates(plan: LinkedPlan, one: LinkedTable, columns: Sequence[ColumnDomain]) -> dict[Clique, int]:
    """The sets that may be measured, with their weights: those that tell something of the table's own columns."""
    names, sizes = [column.name for column in columns], [column.size for column in columns]
    known = _persons(one, plan, columns)
    if plan.method == "mst":
        found = dict.fromkeys(all_pairs(tuple(sizes), plan.cells), 1)
    else:
        workload = workload_of(still_modelled(plan.workload[one.name], names), names)
        found = candidates(workload, sizes, plan.cells)
    return {one: weight for one, weight in found.items() if max(one) >= known}


def _measure(plan: LinkedPlan, one: LinkedTable, columns: Sequence[ColumnDomain], run: MeasurementRun) -> str:
    """Spend the table's share of the booking."""
    wanted = _candidates(plan, one, columns)
    last = frozenset(range(_persons(one, plan, columns)))
    if len(columns) == len(last):  # no columns of its own: how many rows a person has is all of it
        return "MST"
    zeros = zero_cells(plan.zeros[one.name], columns, plan.cells)
    if plan.method == "mst":
        spanning_tree(run, list(wanted), fresh_generator(), last=last, most=plan.cells)
        return "MST"
    adaptive_iterative(run, AimSettings(wanted, plan.cells, zeros, last), fresh_generator())
    return "AIM"


class LinkedModels:
    """What makes codes of synthetic rows of all tables, from noisy numbers alone."""

    def __init__(self, plan: LinkedPlan, transcripts: Sequence[Transcript]) -> None:
        self.plan, self.transcripts = plan, transcripts
        self._known = len(transcripts[0].columns)
        self._first = row_source(transcripts[0], self._zeros(0))
        self._models: dict[int, tuple[GraphicalModel, KeptCodes]] = {}

    def _zeros(self, at: int) -> dict[Clique, NDArray[np.bool_]]:
        one = self.plan.tables[at]
        return zero_cells(self.plan.zeros[one.name], self.transcripts[at].columns, self.plan.cells)

    def persons(self, rows: int | None, draws: Draws) -> Codes:
        """Codes of persons."""
        return self._first(rows, draws)

    def owners(self, at: int, persons: Codes) -> Codes:
        """Whose the rows of a table are, by the person's place: each person has as many as the code says."""
        column = self._known - len(self.plan.tables) + at
        counts = persons[:, column] + 1
        counts[persons[:, column] == self.transcripts[0].columns[column].missing] = 0
        return np.repeat(np.arange(len(persons)), counts)

    def own_columns(self, at: int) -> tuple[ColumnDomain, ...]:
        """The columns of a table that are not its persons'."""
        return self.transcripts[at].columns[self._known :]

    def given(self, at: int, persons: Codes, draws: Draws) -> Codes:
        """Codes of a table's own columns, one row for each row of its persons' codes."""
        if not self.own_columns(at):
            return np.zeros((len(persons), 0), np.int64)
        if at not in self._models:
            last = frozenset(range(self._known))
            self._models[at] = model_of(self.transcripts[at], zeros=self._zeros(at), last=last)
        model, kept = self._models[at]
        # All codes of persons are modelled, so they mean the same here as where persons were drawn.
        beside = {column: persons[:, column] for column in range(self._known)}
        rows = sampled_rows(model, len(persons), draws, beside=beside)
        return kept.restored(rows)[:, self._known :]
