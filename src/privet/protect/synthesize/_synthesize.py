"""Synthetic twins of private data: the one function that people call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from privet import __version__
from privet.artifact import Provenance, ReleasedTwin, TwinColumn
from privet.errors import BadSynthesis, RuleUnmet, checked
from privet.guarantee import Person, Promise, unit_to_json
from privet.ledger import Ledger
from privet.mechanism import Draws, fresh_generator
from privet.protect._admission import admitted
from privet.protect._exactly_once import Booking
from privet.protect.synthesize._column_domain import ColumnDomain
from privet.protect.synthesize._marginal_synthesis import measured_under, row_source
from privet.protect.synthesize._row_rules import RowRule, keeping, rules_of
from privet.protect.synthesize._rule_satisfiability import refuse_unsatisfiable
from privet.protect.synthesize._structural_zeros import zero_cells, zeros_of
from privet.protect.synthesize._surrogates import surrogates
from privet.protect.synthesize._synthesis_plan import CELLS, SynthesisPlan, make_plan
from privet.protect.synthesize._table_domain import KnownSchema, table_domain
from privet.protect.synthesize._transcript import Transcript
from privet.protect.synthesize._workload import Workload, workload_of
from privet.source import Table

if TYPE_CHECKING:
    import pyarrow as pa

MOST_ROWS = 100_000_000


@checked
def synthesize(  # noqa: PLR0913
    thing: Table,
    promise: Promise,
    *,
    rows: int | None = None,
    ledger: Ledger,
    why: str,
    method: str = "auto",
    columns: Sequence[str] | None = None,
    schema: KnownSchema | None = None,
    bins: Mapping[str, int | Sequence[float]] | None = None,
    workload: Workload | None = None,
    rules: Sequence[str] = (),
    zeros: Sequence[str] = (),
    model_cells: int = CELLS,
    purpose: str | None = None,
    analyst: str | None = None,
    again: bool = False,
    progress: Callable[[str], None] | None = None,
) -> ReleasedTwin:
    """Make a synthetic twin of a table under differential privacy: rows that may be handed around.

    Args:
        thing: A table opened with `open_table(…, unit=…)`: the unit is what is hidden. Of a person, at most
            `max_rows` rows count.
        promise: `ApproxDP(epsilon, delta)` or `ZeroConcentratedDP(rho)`, for everything together.
        rows: How many rows to make; left out, as many as the noisy counts say there are.
        ledger: Where it is booked, whole and before anything is counted.
        why: The reason, for the ledger.
        method: "aim" (adaptive marginals), "mst" (a tree of pairs, quick), "evolve" (private rows vote for the nearest
            synthetic ones; for structure of high order), or "auto": marginals, unless noisy evidence, which is paid
            for, shows that they miss something; then the rest of the budget evolves rows.
        columns: The columns of the twin, if not all. Columns that name a person become surrogates, free text is left out.
        schema: Public bounds and values of the columns, as `privet schema` drafts them; columns that it does not name
            are left out. Without it what the table states (`bounds=`, `keys=`) is taken, and what it does not state
            is bought with noise, for a tenth of the budget.
        bins: How many bins a number or date gets, or a number's edges.
        workload: What the twin should get right: sets of columns, perhaps with weights, or the name of a target.
        rules: What every row keeps, as in "discharged >= admitted" or "age < 18": other synthetic rows are left out.
            Known without these data.
        zeros: Combinations that cannot be, as in "sex == male and pregnant == true": the model holds nothing there.
            Known without these data, of columns whose values or bounds are stated.
        model_cells: How many numbers the model may hold.
        purpose: Charged as well, where it has a budget.
        analyst: Charged as well, where they have a budget.
        again: Spend for fresh measurements even where this very twin was measured before.
        progress: Called with what is being done.

    Guarantee:
        The rows, and everything in the record, keep `promise` for the table's unit, against everybody who sees them and
        whatever they know. One booking pays for the whole run; adaptive rounds draw from it under a filter
        that refuses what would pass it. Rows are made from noisy counts alone, so making more of them, later, costs
        nothing: the ledger keeps the counts.
    Assumes:
        Bounds, values, bins, workload and the number of rows were chosen without these data (their origin is stated),
        and the person column identifies persons.
    """
    if rows is not None and not 1 <= rows <= MOST_ROWS:
        raise BadSynthesis(
            f"the number of rows must lie between 1 and {MOST_ROWS:,}.", "Write rows=50_000, for example."
        )
    purpose = admitted([thing], "twin", ledger=ledger, purpose=purpose)
    plan = planned_twin(
        thing,
        promise,
        accounting=ledger.accounting,
        method=method,
        columns=columns,
        schema=schema,
        bins=bins,
        workload=workload,
        zeros=zeros,
        model_cells=model_cells,
    )
    kept = _rules(plan, rules)
    say = progress or (lambda _: None)
    transcript = measured_under(plan, Booking(ledger, why, purpose, analyst, again), progress=say)
    say("making rows")
    draws = fresh_generator()
    table = _ruled(plan, transcript, rows, kept, draws)
    return _twin(plan, transcript, table, kept)


def planned_twin(  # noqa: PLR0913
    table: Table,
    promise: Promise,
    *,
    accounting: str,
    method: str = "auto",
    columns: Sequence[str] | None = None,
    schema: KnownSchema | None = None,
    bins: Mapping[str, int | Sequence[float]] | None = None,
    workload: Workload | None = None,
    zeros: Sequence[str] = (),
    rules: Sequence[str] = (),
    model_cells: int = CELLS,
) -> SynthesisPlan:
    """What `synthesize` would book, with all that can be refused refused; reads no row."""
    domain = table_domain(table, columns=columns, schema=schema, bins=bins)
    workload_of(workload, [*domain.known, *domain.unknown])
    unit = table.unit_or_refuse()
    if isinstance(unit, Person) and unit.max_rows is None:
        raise BadSynthesis(
            f"the unit does not say how many rows of one {unit.column!r} may count.",
            f"Write Person({unit.column!r}, max_rows=…): the cap decides how much noise is needed.",
        )
    never = zeros_of(zeros, {name: table.columns[name] for name in [*domain.known, *domain.unknown]})
    zero_cells(never, list(domain.known.values()), model_cells)
    plan = make_plan(
        table,
        domain,
        promise,
        method=method,
        workload=workload,
        cells=model_cells,
        accounting=accounting,
        zeros=never,
    )
    _rules(plan, rules)
    return plan


def _rules(plan: SynthesisPlan, said: Sequence[str]) -> tuple[RowRule, ...]:
    """The rules of a twin, with all that can be refused refused."""
    rules = rules_of(said, {name: plan.table.columns[name] for name in plan.domain.order})
    refuse_unsatisfiable(rules, plan.domain.known)
    return rules


def _ruled(
    plan: SynthesisPlan,
    transcript: Transcript,
    rows: int | None,
    rules: tuple[RowRule, ...],
    draws: Draws,
) -> pa.Table:
    """The twin's rows; where there are rules, synthetic rows are made until enough of them keep these."""
    source = row_source(transcript, zero_cells(plan.zeros, transcript.columns, plan.cells))
    first = source(rows, draws)
    lost = [name for rule in rules for name in (rule.left, rule.other) if name in _lost(plan, transcript)]
    if lost:
        raise RuleUnmet(
            f"a rule is about {lost[0]!r}, of which the noise left nothing.",
            "State its values or bounds, or leave the rule out.",
        )
    if not rules and not plan.zeros:
        return _decoded(plan, transcript, first, draws)

    def pieces() -> Iterator[pa.Table]:
        yield _decoded(plan, transcript, first, draws)
        while True:
            yield _decoded(plan, transcript, source(max(len(first), 5_000), draws), draws)

    # Of zeros, what lies in a bin that also holds possible values; the rest the model does not make.
    return keeping([*rules, *plan.zeros], len(first), pieces())


def _lost(plan: SynthesisPlan, transcript: Transcript) -> set[str]:
    return set(plan.domain.unknown) - {one.name for one in transcript.columns}


def _decoded(plan: SynthesisPlan, transcript: Transcript, codes: Any, draws: Draws) -> pa.Table:
    """Synthetic codes as values, in the table's order of columns, with surrogates for identifiers."""
    import pyarrow as pa

    at = {one.name: place for place, one in enumerate(transcript.columns)}
    made = {}
    for name in plan.domain.order:
        if name in at:
            made[name] = transcript.columns[at[name]].decoded(codes[:, at[name]], draws)
        elif name in plan.domain.surrogates:
            made[name] = surrogates(plan.domain.surrogates[name], len(codes), draws)
    return pa.table(made)


def _twin(
    plan: SynthesisPlan, transcript: Transcript, table: pa.Table, rules: tuple[RowRule, ...]
) -> ReleasedTwin:
    source = plan.table
    return ReleasedTwin(
        promise=plan.promise,
        method=transcript.method,
        rows=table.num_rows,
        columns=tuple(_column(one) for one in transcript.columns),
        measured=transcript.prices,
        unit=unit_to_json(plan.unit),
        provenance=Provenance(
            question="; ".join(plan.domain.describe()),
            data=source.fingerprint,
            engine=source.relation.engine,
            versions={"privet": __version__, source.relation.engine: transcript.version},
            stages=_stages(transcript),
        ),
        receipt=transcript.receipt,
        notes=(*transcript.notes, *_notes(plan), *(f"Every row keeps: {rule}." for rule in rules)),
        held=table,
    )


def _column(one: ColumnDomain) -> TwinColumn:
    return TwinColumn(one.name, one.kind, one.size, one.origin)


def _stages(transcript: Transcript) -> tuple[str, ...]:
    counts = [one for one in transcript.prices if one.what == "counts"]
    least, most = min(one.sigma or 0 for one in counts), max(one.sigma or 0 for one in counts)
    return (
        f"Count {len(counts)} sets of columns with discrete Gaussian noise of standard deviation {least:.4g} to {most:.4g}",
        f"Choose {sum(one.what == 'choice' for one in transcript.prices)} times what to count by the exponential mechanism",
        f"Fit a graphical model to the noisy counts and sample it ({transcript.method})",
    )


def _notes(plan: SynthesisPlan) -> tuple[str, ...]:
    said = []
    if plan.domain.surrogates:
        said.append(f"Surrogates, not derived from values: {', '.join(plan.domain.surrogates)}.")
    if plan.domain.left_out:
        said.append(f"Left out: {', '.join(plan.domain.left_out)}.")
    said += [f"No row has: {zero}." for zero in plan.zeros]
    if plan.domain.unknown:
        said.append(
            f"Nobody stated values or bounds of {', '.join(plan.domain.unknown)}: they were bought with noise, "
            "and what few people have counts as missing."
        )
    return tuple(said)
