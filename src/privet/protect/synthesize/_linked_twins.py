"""Twins of several tables that join: patients and their stays, with the person as the unit and one booking for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from privet import __version__
from privet.artifact import Provenance, ReleasedTwin, ReleasedTwins, TwinColumn, TwinLink
from privet.errors import BadSynthesis, RuleUnmet
from privet.guarantee import Promise, unit_to_json
from privet.ledger import Ledger
from privet.mechanism import Draws, fresh_generator
from privet.protect._admission import admitted
from privet.protect._exactly_once import Booking
from privet.protect.synthesize._column_domain import ColumnDomain
from privet.protect.synthesize._linked_plan import LinkedPlan, LinkedTable, by_table, linked_plan
from privet.protect.synthesize._linked_synthesis import Codes, LinkedModels, linked_transcripts
from privet.protect.synthesize._row_rules import KeptInRows, RowRule, rules_of
from privet.protect.synthesize._rule_satisfiability import refuse_unsatisfiable
from privet.protect.synthesize._surrogates import surrogates
from privet.protect.synthesize._synthesis_plan import CELLS
from privet.protect.synthesize._table_domain import KnownSchema
from privet.protect.synthesize._transcript import Transcript
from privet.protect.synthesize._workload import Workload
from privet.source import Table

if TYPE_CHECKING:
    import pyarrow as pa

MOST_PERSONS = 20_000_000
_AGAIN = 200  # times that rows which break a rule are drawn again


def synthesize_linked(  # noqa: PLR0913
    persons: Table,
    promise: Promise,
    *,
    children: Mapping[str, Table],
    ledger: Ledger,
    why: str,
    rows: int | None = None,
    method: str = "auto",
    columns: Sequence[str] | None = None,
    schema: KnownSchema | Mapping[str, KnownSchema] | None = None,
    bins: Mapping[str, int | Sequence[float]] | None = None,
    workload: Workload | None = None,
    rules: Sequence[str] = (),
    zeros: Sequence[str] = (),
    model_cells: int = CELLS,
    purpose: str | None = None,
    analyst: str | None = None,
    again: bool = False,
    progress: Callable[[str], None] | None = None,
) -> ReleasedTwins:
    """Twins of a table of persons and of others that hang on it; see `privet.synthesize`."""
    if rows is not None and not 1 <= rows <= MOST_PERSONS:
        raise BadSynthesis(
            f"the number of persons must lie between 1 and {MOST_PERSONS:,}.",
            "Write rows=5_000, for example.",
        )
    purpose = admitted([persons, *children.values()], "twin", ledger=ledger, purpose=purpose)
    plan = linked_plan(
        persons,
        children,
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
    kept = linked_rules(plan, rules)
    say = progress or (lambda _: None)
    transcripts = linked_transcripts(plan, Booking(ledger, why, purpose, analyst, again), progress=say)
    say("making rows")
    return _made(plan, transcripts, rows, kept)


def linked_rules(plan: LinkedPlan, said: Sequence[str]) -> dict[str, tuple[RowRule, ...]]:
    """Rules by the table whose rows they are about, with all that can be refused refused."""
    rules = {name: rules_of(found, plan.kinds(name)) for name, found in by_table(plan.tables, said).items()}
    for own in rules.values():
        refuse_unsatisfiable(own, {})
    return rules


def _made(
    plan: LinkedPlan,
    transcripts: Sequence[Transcript],
    rows: int | None,
    rules: Mapping[str, tuple[RowRule, ...]],
) -> ReleasedTwins:
    """Persons first, then the rows of the other tables given their persons; keys are surrogates that join."""
    draws = fresh_generator()
    models = LinkedModels(plan, transcripts)
    first = plan.tables[0]
    begun = models.persons(rows, draws)
    persons, known = _drawn(
        [*rules[first.name], *plan.zeros[first.name]],
        lambda some: begun if len(some) == len(begun) else models.persons(len(some), draws),
        lambda codes: _values(transcripts[0].columns, codes, draws),
        len(begun),
    )
    keys = surrogates(first.domain.surrogates[first.key], len(persons), draws)
    made = {first.name: _table(first, known, keys, draws)}
    for at, one in enumerate(plan.tables[1:], 1):
        owner = models.owners(at, persons)
        made[one.name] = _rows_of_table(models, at, persons[owner], known.take(owner), rules[one.name], draws)
        made[one.name] = _table(one, made[one.name], keys.take(owner), draws)
    links = tuple(TwinLink(one.name, one.key, first.name, first.key) for one in plan.tables[1:])
    twins = {
        one.name: _twin(plan, one, transcript, made[one.name], rules[one.name])
        for one, transcript in zip(plan.tables, transcripts, strict=True)
    }
    return ReleasedTwins(twins, links)


def _rows_of_table(  # noqa: PLR0917
    models: LinkedModels,
    at: int,
    persons: Codes,
    known: pa.Table,
    rules: Sequence[RowRule],
    draws: Draws,
) -> pa.Table:
    """The values of another table, one row for each of its persons' rows."""
    own = models.own_columns(at)
    _, values = _drawn(
        [*rules, *models.plan.zeros[models.plan.tables[at].name]],
        lambda some: models.given(at, persons[some], draws),
        lambda codes: _values(own, codes, draws),
        len(persons),
        known,
    )
    return values


def _drawn(
    rules: Sequence[KeptInRows],
    draw: Callable[[Codes], Codes],
    decode: Callable[[Codes], pa.Table],
    many: int,
    beside: pa.Table | None = None,
) -> tuple[Codes, pa.Table]:
    """As many rows that keep all rules: those that do not are drawn again, by their places."""
    import pyarrow as pa

    codes = draw(np.arange(many))
    values = decode(codes)
    for _ in range(_AGAIN):
        wrong = _breaking(rules, values, beside)
        if not len(wrong):
            return codes, values
        anew = draw(wrong)
        codes[wrong] = anew
        places = np.arange(many)
        places[wrong] = many + np.arange(len(wrong))
        values = pa.concat_tables([values, decode(anew)]).take(places)
    raise RuleUnmet(
        f"{len(_breaking(rules, values, beside)):,} of {many:,} synthetic rows still break the rules after {_AGAIN} tries.",
        "Name the columns of the rules in the workload, so that they are modelled together, or check the rules.",
    )


def _breaking(rules: Sequence[KeptInRows], values: pa.Table, beside: pa.Table | None) -> Codes:
    if not rules:
        return np.zeros(0, np.int64)
    whole = values
    for name in [] if beside is None else beside.column_names:
        whole = whole.append_column(name, beside[name])  # type: ignore[index]
    kept = np.ones(values.num_rows, np.bool_)
    for rule in rules:
        kept &= np.asarray(rule.kept(whole))
    return np.flatnonzero(~kept)


def _values(columns: Sequence[ColumnDomain], codes: Codes, draws: Draws) -> pa.Table:
    import pyarrow as pa

    names = [one.name for one in columns]
    return pa.table([one.decoded(codes[:, at], draws) for at, one in enumerate(columns)], names=names)


def _table(one: LinkedTable, values: pa.Table, keys: pa.Array, draws: Draws) -> pa.Table:
    """The columns of a table in its order: keys that join, other identifiers of their own, and values."""
    import pyarrow as pa

    made = {}
    for name in one.domain.order:
        called = one.called(name)
        if name == one.key:
            made[name] = keys
        elif name in one.domain.surrogates:
            made[name] = surrogates(one.domain.surrogates[name], len(keys), draws)
        elif called in values.column_names:
            made[name] = values[called]
    return pa.table(made)


def _twin(
    plan: LinkedPlan, one: LinkedTable, transcript: Transcript, table: pa.Table, rules: Sequence[RowRule]
) -> ReleasedTwin:
    shown = {one.called(name): name for name in one.domain.order}
    counts = [price.sigma for price in transcript.prices if price.what == "counts" and price.sigma]
    stages = [f"Count {len(counts)} sets of columns of each person's own rows with discrete Gaussian noise"]
    if plan.tables[0] is not one:
        stages.append(
            f"Keep at most {one.cap} rows of each person, beside the person's own; draw rows given the person's"
        )
    return ReleasedTwin(
        promise=plan.promise,
        method=transcript.method,
        rows=table.num_rows,
        columns=tuple(
            TwinColumn(shown[column.name], column.kind, column.size, column.origin)
            for column in transcript.columns
            if column.name in shown
        ),
        measured=transcript.prices,
        unit=unit_to_json(plan.unit),
        provenance=Provenance(
            question="; ".join(one.domain.describe()),
            data=plan.fingerprint,
            engine=one.table.relation.engine,
            versions={"privet": __version__, one.table.relation.engine: transcript.version},
            stages=tuple(stages),
        ),
        receipt=transcript.receipt,
        notes=(*transcript.notes, *_notes(plan, one), *(f"Every row keeps: {rule}." for rule in rules)),
        held=table,
    )


def _notes(plan: LinkedPlan, one: LinkedTable) -> list[str]:
    first = plan.tables[0]
    said = [f"No row has: {zero}." for zero in plan.zeros[one.name]]
    if one is not first:
        said.append(
            f"{one.key!r} is a surrogate, and one of the {first.key!r} of {first.name!r}; a person has at most {one.cap} rows. "
            "Given their person's row, rows of one person are independent of each other."
        )
    elif one.domain.surrogates:
        said.append(f"Surrogates, not derived from values: {', '.join(one.domain.surrogates)}.")
    if one.domain.left_out:
        said.append(f"Left out of {one.name!r}: {', '.join(one.domain.left_out)}.")
    if one.domain.unknown:
        said.append(
            f"Nobody stated values or bounds of {', '.join(map(one.called, one.domain.unknown))}: they were bought with "
            "noise, and what few people have counts as missing."
        )
    return said
