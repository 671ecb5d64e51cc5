"""From a plan to a transcript: book all of it, count under seal, measure round by round; then rows from the transcript."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from privet.engine import (
    SealedMarginals,
    prepare_marginals,
    project,
    read_through,
    row_tallies,
    version_of,
)
from privet.errors import ReleaseFailed
from privet.guarantee import Person
from privet.ledger import AdaptiveRun, Ledger, Permit
from privet.mechanism import Draws, fresh_generator
from privet.protect._engine_incidents import computed
from privet.protect._exactly_once import Booking, Draw, released
from privet.protect.synthesize._adaptive_iterative import AimSettings, adaptive_iterative
from privet.protect.synthesize._column_domain import ColumnDomain
from privet.protect.synthesize._evolved_rows import evolved_rows
from privet.protect.synthesize._graphical_model import GraphicalModel, fitted
from privet.protect.synthesize._junction_tree import Clique
from privet.protect.synthesize._kept_codes import KeptCodes, kept_codes
from privet.protect.synthesize._measurement_run import MeasurementRun
from privet.protect.synthesize._parity_evidence import SHARE as EVIDENCE
from privet.protect.synthesize._parity_evidence import evidence, halved
from privet.protect.synthesize._row_sampling import sampled_rows
from privet.protect.synthesize._spanning_tree import all_pairs, spanning_tree
from privet.protect.synthesize._structural_zeros import zero_cells
from privet.protect.synthesize._synthesis_plan import SynthesisPlan
from privet.protect.synthesize._tabular_evolution import Population, evolved
from privet.protect.synthesize._transcript import Transcript, prices_of
from privet.protect.synthesize._workload import candidates, still_modelled, workload_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.artifact import Receipt

Say = Callable[[str], None]
Rule = Callable[["NDArray[np.int32]"], "NDArray[np.int64]"]
MOST_LABELS = 20
FIRST = 60
_LAST = {"MST": 200, "AIM": 500}


def measured_under(plan: SynthesisPlan, booking: Booking, *, progress: Say = lambda _: None) -> Transcript:
    """The transcript of a plan: taken from the ledger where it is stored, else booked, measured and stored."""
    stored = released(
        booking,
        plan.question(),
        spend={
            "event": plan.event,
            "unit": plan.unit,
            "promise": plan.promise,
            "data": plan.table.fingerprint,
        },
        prepared=lambda: _drawing(plan, booking.ledger, progress),
    )
    return Transcript.from_bytes(stored)


def _drawing(plan: SynthesisPlan, ledger: Ledger, progress: Say) -> Draw:
    """What measures; all that can be refused without a row is refused here, before anything is booked."""
    relation = plan.table.relation
    names = [*plan.domain.known, *plan.domain.unknown]
    own = [plan.unit.column] if isinstance(plan.unit, Person) else []
    read_through(project(relation, list(dict.fromkeys([*own, *names]))))
    version = version_of(relation)
    ready = None
    if not plan.domain.unknown:
        columns = tuple(plan.domain.known.values())
        ready = prepare_marginals(
            relation, [one.coded() for one in columns], plan.unit, wanted_sets(plan, columns)
        )

    def draw(permit: Permit) -> bytes:
        run = AdaptiveRun(permit, plan.unit.change, spare=_spare(plan))
        found = {
            one.name: one.answer(computed(one.compute, ledger, permit.receipt), run.permit(one.event))
            for one in plan.bought
        }
        columns, notes = _settled(plan, found)
        compute = ready or prepare_marginals(
            relation, [one.coded() for one in columns], plan.unit, wanted_sets(plan, columns)
        )
        progress("counting")

        def noted(exact: SealedMarginals) -> SealedMarginals:
            return noted_failure(exact, ledger, permit.receipt)

        measured = MeasurementRun(run, noted(compute()))
        method, population = _measure(plan, columns, measured, noted, progress)
        transcript = Transcript(
            method,
            columns,
            tuple(measured.measured),
            prices_of(run, measured, [one.name for one in columns], list(found)),
            permit.receipt,
            version,
            notes,
            population,
        )
        return transcript.to_bytes()

    return draw


def _spare(plan: SynthesisPlan) -> Fraction:
    return plan.spare if plan.event.kind == "opaque" else Fraction(0)


def _settled(
    plan: SynthesisPlan, found: dict[str, ColumnDomain | None]
) -> tuple[tuple[ColumnDomain, ...], tuple[str, ...]]:
    """The columns in the table's order, and what is to be said of those that were bought."""
    known = {**plan.domain.known, **{name: one for name, one in found.items() if one is not None}}
    lost = [name for name, one in found.items() if one is None]
    if not known:
        raise ReleaseFailed(
            "the twin was booked, and the noise left no column to model: too few people share a value or a range.",
            "State bounds and values (bounds= and keys=, or --schema), or promise more epsilon: a twin at its own price.",
        )
    notes = tuple(f"Nothing could be told of {name!r} through the noise: it is left out." for name in lost)
    return tuple(known[name] for name in plan.domain.order if name in known), notes


def wanted_sets(plan: SynthesisPlan, columns: Sequence[ColumnDomain]) -> list[tuple[int, ...]]:
    """All sets of columns that the run may look at."""
    sizes = tuple(one.size for one in columns)
    single = [(at,) for at in range(len(columns))]
    if plan.method == "mst":
        return [*single, *all_pairs(sizes, plan.cells)]
    label = label_of(plan, columns)
    beside = [] if label is None else [tuple(sorted((at, label))) for (at,) in single if at != label]
    if plan.method == "evolve":
        return [*single, *beside]
    names = [one.name for one in columns]
    workload = workload_of(still_modelled(plan.workload, names), names)
    return list(dict.fromkeys([*single, *candidates(workload, sizes, plan.cells), *beside]))


def _measure(
    plan: SynthesisPlan,
    columns: Sequence[ColumnDomain],
    run: MeasurementRun,
    noted: Callable[[SealedMarginals], SealedMarginals],
    progress: Say,
) -> tuple[str, Population | None]:
    """Spend the booking by the plan's method; gives the method that made the twin, and what evolved.

    What is said on the way is the same whatever is drawn: until the transcript is stored, a run that was killed is drawn
    anew, and nobody may have seen anything of the first (see `privet.ledger._idempotent_booking`). So AIM's rounds, whose
    number and price depend on noisy answers, and what `auto` decides, are not told.
    """
    sizes, draws = run.exact.sizes, fresh_generator()
    if plan.method == "mst":
        spanning_tree(run, all_pairs(sizes, plan.cells), draws, progress=progress)
        return "MST", None
    label = label_of(plan, columns)
    zeros = zero_cells(plan.zeros, columns, plan.cells)
    coded = [one.coded() for one in columns]

    def tallied(rule: Rule, cells: Sequence[int]) -> SealedMarginals:
        return noted(row_tallies(plan.table.relation, coded, plan.unit, rule, cells))

    def voted(rule: Rule, cells: int) -> SealedMarginals:
        return tallied(rule, [cells])

    if plan.method == "evolve":
        return "evolution", evolved(run, columns, label, voted, draws, zeros=zeros, progress=progress)
    names = [one.name for one in columns]
    workload = workload_of(still_modelled(plan.workload, names), names)
    settings = AimSettings(candidates(workload, sizes, plan.cells), plan.cells, zeros)
    whole = run.remaining

    def doubt(rows: NDArray[np.int64], total: float) -> bool:
        halves = halved([one.counts.astype(np.float64) for one in run.measured[: len(sizes)]])
        seen = evidence(run, halves, label, rows, total, tallied, whole * EVIDENCE)
        return seen is not None and seen.wanting

    asks = doubt if plan.method == "auto" else None
    progress("measuring and fitting in rounds, as many as the budget lasts")
    if adaptive_iterative(run, settings, draws, doubt=asks):
        return "AIM", None
    return "evolution", evolved(run, columns, label, voted, draws, zeros=zeros)


def label_of(plan: SynthesisPlan, columns: Sequence[ColumnDomain]) -> int | None:
    """The column by which rows vote apart: the target of the workload, where it is a category and there are others.

    Others may be lost: where nobody states their values, noise decides. By the target alone rows have nothing to be near in.
    """
    names = [one.name for one in columns]
    if isinstance(plan.workload, str) and plan.workload in names and len(names) > 1:
        at = names.index(plan.workload)
        return at if columns[at].bins <= MOST_LABELS else None
    return None


def noted_failure(exact: SealedMarginals, ledger: Ledger, receipt: Receipt) -> SealedMarginals:
    """The marginals; where the engine failed they are those of no rows, and the owner's log says so."""
    if exact.failure is not None:
        said = "".join(letter if letter.isprintable() else "?" for letter in exact.failure.said)
        with contextlib.suppress(Exception):
            ledger.incident(receipt, exact.failure.code, said[:200])
    return exact


def row_source(
    transcript: Transcript, zeros: Mapping[Clique, NDArray[np.bool_]] | None = None
) -> Callable[[int | None, Draws], NDArray[np.int64]]:
    """What makes codes of synthetic rows, from noisy numbers alone; for None as many as the noisy counts say there are.

    `zeros` are cells that cannot be.
    """
    population = transcript.population
    if population is not None:
        about = max(1, round(float(np.median([one.counts.sum() for one in transcript.measured]))))
        noisy = transcript.noisy()
        return lambda rows, draws: evolved_rows(
            population, about if rows is None else rows, transcript.columns, noisy, zeros or {}, draws
        )
    model, kept = model_of(transcript, zeros=zeros)
    many = max(1, round(model.total))
    return lambda rows, draws: kept.restored(sampled_rows(model, many if rows is None else rows, draws))


def model_of(
    transcript: Transcript,
    *,
    zeros: Mapping[Clique, NDArray[np.bool_]] | None = None,
    last: frozenset[int] = frozenset(),
) -> tuple[GraphicalModel, KeptCodes]:
    """The model of a transcript, and the codes that it is of; columns in `last` are those given which others are drawn."""
    noisy = transcript.noisy()
    kept = kept_codes(noisy, transcript.sizes, last)
    measured = [kept.reduced(one) for one in noisy]
    never = kept.reduced_zeros(zeros or {})
    # Single columns first: from there the rest is reached in fewer steps, and with less of the noise.
    single = [one for one in measured if len(one.columns) == 1]
    start = fitted(single, kept.sizes, iterations=FIRST, zeros=never, last=last)
    iterations = _LAST[transcript.method]
    return fitted(measured, kept.sizes, before=start, iterations=iterations, zeros=never, last=last), kept
