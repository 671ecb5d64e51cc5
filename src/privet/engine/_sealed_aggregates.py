"""Exact aggregates with bounded contributions, under seal: the one way from rows to numbers.

1. Rows without a person are dropped, and rows whose key is not among the stated ones.
2. Values become whole steps from their lower bound.
3. Each person's rows are added up for each group.
4. A person keeps the first groups in hashed order (`privet.engine._keyed_hash`), and in each the share of the
   total that the allowed number of rows carries.
5. What is kept is added up for each group, in 64-bit integers.

What a person keeps in step 4 depends on that person's rows alone, so removing a person takes away exactly what
was kept: at most `groups` entries, `rows` rows in each, `reach` steps for each row. Sums cannot overflow: a
person and group carry at most 2^48 steps (checked beforehand), and 64 bits hold 2^15 times 2^48; on Spark,
where overflow would raise, it takes 2^31 rows of the finest steps allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.engine import _dialects as dialects
from privet.engine import _group_measures as measures
from privet.engine import _keyed_hash as keyed_hash
from privet.engine._bin_counts import CellCounts, CellMeasure, counted_once, places_of, prepare_cells
from privet.engine._contribution_bounds import Contribution
from privet.engine._engine_results import fetch, planned, written
from privet.engine._engine_versions import check_version
from privet.engine._expression_kinds import column_kind
from privet.engine._group_measures import Measure
from privet.engine._masked_failures import MaskedFailure, Prepared, attempted
from privet.engine._public_keys import POSITION, canonical_keys, match_positions
from privet.engine._relation import ColumnKind, Relation
from privet.engine._roll_ups import RollUp, check_rolls, rolled_up
from privet.errors import BadAggregate
from privet.guarantee import Person
from privet.sealed import Sealed, SealedKeys, Sensitivity

if TYPE_CHECKING:
    import pyarrow as pa

_PERSON, _MIXED, _HASH, _RANK, _BEFORE, _KEPT = "p", "z", "h", "r", "b", "n"


@dataclass(frozen=True)
class SealedGroups:
    """Exact answers for each group. `keys` are public if the caller stated them, else sealed as well.

    Where the engine failed, these are the answers of no rows, and `failure` says what happened: to the owner alone.
    """

    keys: SealedKeys | pa.Table | None
    answers: dict[str, Sealed] = field(repr=False)
    failure: MaskedFailure | None = field(default=None, repr=False)


def aggregate(
    relation: Relation,
    *,
    keys: Sequence[str],
    public_keys: pa.Table | None,
    measures: Mapping[str, Measure | CellMeasure],
    contribution: Contribution,
    bounding_key: str = "privet",
) -> SealedGroups:
    """Sealed answers, one entry for each group; measures of bins give as many for each group as there are bins.

    With `public_keys` there is one entry for each stated key, in their order, 0 where nobody has it. Without,
    there is one for each key found, and the keys are sealed; a missing key is a key, not-a-number is
    a missing key. Without `keys` there is one entry for the whole table.

    Stability: adding or removing one unit moves each answer by at most its `sensitivity`. An engine that fails
    raises: what was booked is computed by what `prepare` gives.
    """
    return _query(relation, keys, public_keys, measures, contribution, bounding_key, {}).prepared().compute()


def prepare(
    relation: Relation,
    *,
    keys: Sequence[str],
    public_keys: pa.Table | None,
    measures: Mapping[str, Measure | CellMeasure],
    contribution: Contribution,
    bounding_key: str = "privet",
    rolls: Mapping[str, RollUp] | None = None,
) -> Callable[[], SealedGroups]:
    """`aggregate` up to the point where the engine would start: everything that can be refused is refused here.

    Reads no row. Whoever must book before computing prepares before booking, so that a refusal costs nothing. What is
    given back raises nothing (see `privet.engine._masked_failures`): if the engine fails, it gives the answers of no rows.
    Each of `rolls` adds one more answer: a measured number of rows, added up over classes of public keys.
    """
    prepared = _query(
        relation, keys, public_keys, measures, contribution, bounding_key, dict(rolls or {})
    ).prepared()

    def computed() -> SealedGroups:
        groups, failure = attempted(prepared)
        return replace(groups, failure=failure)

    return computed


def _query(  # noqa: PLR0917
    relation: Relation,
    keys: Sequence[str],
    public_keys: pa.Table | None,
    measures: Mapping[str, Measure | CellMeasure],
    contribution: Contribution,
    bounding_key: str,
    rolls: dict[str, RollUp],
) -> AggregateQuery:
    check_version(relation)
    return AggregateQuery(
        relation=relation,
        keys=tuple(keys),
        public=public_keys,
        measured={name: m for name, m in measures.items() if isinstance(m, Measure)},
        binned={name: m for name, m in measures.items() if not isinstance(m, Measure)},
        contribution=contribution,
        bounding_key=bounding_key,
        rolls=rolls,
    )


@dataclass(frozen=True)
class _Value:
    """One column of steps and its place."""

    name: str
    measure: Measure


class AggregateQuery:
    """One call of `aggregate`: the checks, the stages and the answers."""

    def __init__(
        self,
        *,
        relation: Relation,
        keys: tuple[str, ...],
        public: pa.Table | None,
        measured: dict[str, Measure],
        binned: dict[str, CellMeasure],
        contribution: Contribution,
        bounding_key: str,
        rolls: dict[str, RollUp],
    ) -> None:
        self.relation, self.engine = relation, relation.engine
        self.keys, self.measured, self.binned, self.bound = keys, measured, binned, contribution
        self.bounding_key, self.rolls = bounding_key, rolls
        self._check(public)
        kinds = {name: column_kind(name, relation.columns) for name in keys}
        self.public = None if public is None else canonical_keys(public, keys, kinds)
        self.known = 1 if not keys else None if self.public is None else self.public.num_rows
        check_rolls(rolls, measured, self.known if keys else None)
        summed = dict.fromkeys(m.added for m in measured.values() if m.kind in measures.SUM_KINDS)
        self.values = [_Value(f"t{at}", m) for at, m in enumerate(summed)]
        needed = dict.fromkeys(m.needs for m in measured.values() if m.needs)
        self.counts = {columns: f"c{at}" for at, columns in enumerate(needed)}
        self.key_columns = {name: f"k{at}" for at, name in enumerate(keys)}
        self.groups = (
            [] if not keys else list(self.key_columns.values()) if self.public is None else [POSITION]
        )

    def _check(self, public: pa.Table | None) -> None:
        if not self.measured and not self.binned:
            raise BadAggregate("nothing to measure was named.", "Give at least one measure.")
        if not self.measured and self.keys and public is None:
            raise BadAggregate("unknown keys are found by counting persons.", "Measure persons too.")
        if len(set(self.keys)) < len(self.keys):
            raise BadAggregate("a key column is named twice.")
        if public is not None and not self.keys:
            raise BadAggregate("keys are stated, but the question does not group.", "Name the key columns.")
        columns = self.relation.columns
        if isinstance(self.bound.unit, Person):
            column_kind(self.bound.unit.column, columns)
        for measure in self.measured.values():
            for column in measure.needs:
                kind = column_kind(column, columns)
                added = measure.kind in measures.SUM_KINDS and column not in measure.beside
                if added and not (kind.is_number or kind is ColumnKind.BOOLEAN):
                    raise BadAggregate(f"column {column!r} holds {kind.value}: it cannot be added up.")
            if measure.span * self.bound.most_rows > measures.LARGEST_KEPT:
                raise BadAggregate(
                    f"{self.bound.most_rows} rows of such fine steps cannot be added up exactly.",
                    "Use a coarser step or fewer rows for each person.",
                )

    def prepared(self) -> Prepared[SealedGroups]:
        binned = self._prepared_bins()
        if not self.measured:
            return Prepared(
                lambda: SealedGroups(self.public, self._sealed_bins(self.public, _computed(binned))),
                SealedGroups(self.public, self._sealed_bins(self.public, _none(binned))),
            )
        rows = self._prepared()
        if isinstance(self.bound.unit, Person):
            totals = self._added_up(self._kept(self._per_person(rows)))
        else:
            totals = self._counted(rows)
        words = written(totals, self.engine)
        empty = planned(totals, self.engine, words)
        if not self.groups:
            # The totals of a whole table are one row, whatever there is in it.
            empty = _row_of_nothing(empty)
        return Prepared(
            lambda: self._sealed(fetch(totals, self.engine, words), _computed(binned)),
            self._sealed(empty, _none(binned)),
        )

    def _prepared_bins(self) -> dict[Any, Prepared[CellCounts]]:
        """What the measures of bins count, each once."""
        return {
            counted: prepare_cells(
                self.relation,
                keys=self.key_columns,
                public=self.public,
                measure=counted,
                contribution=self.bound,
                bounding_key=self.bounding_key,
            )
            for counted in counted_once(self.binned.values())
        }

    def _prepared(self) -> Any:
        """Only the columns needed: person, keys, steps; rows without a person or a stated key are gone."""
        table = self.relation.table
        columns: dict[str, Any] = {}
        if isinstance(self.bound.unit, Person):
            table = table.filter(dialects.is_there(table[self.bound.unit.column]))
            columns[_PERSON] = table[self.bound.unit.column]
        for name, column in self.key_columns.items():
            columns[column] = dialects.canonical_key(table[name], self.engine)
        columns |= self._carried(table)
        whole_sums = _PERSON not in columns
        for value in self.values:
            steps = measures.row_steps(table, value.measure, self.engine)
            columns[value.name] = steps.cast("int64") if whole_sums else steps
        for needed, place in self.counts.items():
            if self._steps_of(needed) is None:
                columns[place] = measures.row_presence(table, needed, self.engine)
        prepared = table.select(**columns) if columns else table
        return (
            prepared
            if self.public is None
            else match_positions(prepared, self.key_columns, self.public, self.relation)
        )

    def _carried(self, table: Any) -> dict[str, Any]:  # noqa: ARG002  for queries that carry more
        """What else goes along with each row."""
        return {}

    def _steps_of(self, needed: tuple[str, ...]) -> str | None:
        """A column of steps that is missing exactly where one of these columns is not valid."""
        return next((value.name for value in self.values if value.measure.needs == needed), None)

    def _valid_counts(self, table: Any) -> dict[str, Any]:
        return {
            place: table[self._steps_of(needed) or place].count() for needed, place in self.counts.items()
        }

    @property
    def _needs_rows(self) -> bool:
        return self.bound.total_rows is not None or any(m.kind == "rows" for m in self.measured.values())

    def _per_person(self, table: Any) -> Any:
        """One row for each person and group, with counts and totals over all of the person's rows in it."""
        totals = self._valid_counts(table)
        totals |= {value.name: table[value.name].sum() for value in self.values}
        if self._needs_rows or not totals:
            totals["c"] = table.count()
        return table.group_by([_PERSON, *self.groups]).aggregate(**totals)

    def _kept(self, pairs: Any) -> Any:
        """What counts of each person's groups: the first ones in hashed order, each with its share.

        Where the rows that count do not depend on the order (mode A), shares are taken first: the sort that
        finds the first groups then carries small numbers only.
        """
        if self.bound.total_rows is not None and self.groups:
            ranked = self._first_groups(pairs, budget=self.bound.total_rows)
            return ranked.select(**self._shares(ranked))
        shares = pairs.select(**{_PERSON: pairs[_PERSON]}, **self._shares(pairs))
        many = self.known is None or self.bound.groups < self.known
        return self._first_groups(shares, budget=None) if many else shares

    def _first_groups(self, pairs: Any, budget: int | None) -> Any:
        import ibis

        ordered = self._hashed(pairs)
        # More than one column to order by also keeps DuckDB from its top-N plan, which reserves `groups`
        # places for every person and is far slower here.
        window = ibis.window(group_by=_PERSON, order_by=[_HASH, *self.groups])
        added: dict[str, Any] = {}
        if self.bound.groups < (budget or self.bound.groups + 1):
            added[_RANK] = ibis.row_number().over(window)
        if budget is not None:
            capped = ibis.least(ordered["c"], dialects.whole(budget))
            ordered = ordered.mutate(**{_KEPT: capped})
            running = ibis.cumulative_window(group_by=_PERSON, order_by=[_HASH, *self.groups])
            added[_BEFORE] = ordered[_KEPT].sum().over(running)
        ranked = ordered.mutate(**added)
        if _RANK in added:
            ranked = ranked.filter(ranked[_RANK] < dialects.whole(self.bound.groups))
        if budget is not None:
            left = dialects.whole(budget) - (ranked[_BEFORE] - ranked[_KEPT])
            ranked = ranked.mutate(**{_KEPT: ibis.least(ranked[_KEPT], left)})
            ranked = ranked.filter(ranked[_KEPT] > dialects.whole(0))
        return ranked

    def _hashed(self, pairs: Any) -> Any:
        words = [keyed_hash.word(pairs[name], self.engine, self.bounding_key) for name in self.groups]
        person = keyed_hash.word(pairs[_PERSON], self.engine, self.bounding_key)
        mixed = keyed_hash.person_word(person, self.bounding_key) ^ keyed_hash.combined(
            words, self.bounding_key
        )
        staged = pairs.mutate(**{_MIXED: mixed})
        staged = staged.mutate(**{_MIXED: keyed_hash.round_of(staged[_MIXED], 0, self.bounding_key)})
        hashed = staged.mutate(**{_HASH: keyed_hash.round_of(staged[_MIXED], 1, self.bounding_key)})
        return hashed.mutate(**{_HASH: hashed[_HASH].cast("int32")}).drop(_MIXED)

    def _added_up(self, shares: Any) -> Any:
        """For each group, the number of units and the sum of their shares."""
        added = {name: shares[name].sum() for name in self._share_names()}
        return self._grouped(shares, {**added, "persons": shares.count()})

    def _counted(self, rows: Any) -> Any:
        """For each group of rows that are units themselves: rows, valid rows and sums of steps."""
        totals = self._valid_counts(rows) | {"c": rows.count(), "persons": rows.count()}
        for value in self.values:
            counted = rows[value.name]
            totals[value.name] = counted.sum().fill_null(0) - counted.count() * value.measure.offset
        return self._grouped(rows, totals)

    def _grouped(self, table: Any, totals: dict[str, Any]) -> Any:
        return table.group_by(self.groups).aggregate(**totals) if self.groups else table.aggregate(**totals)

    def _share_names(self) -> list[str]:
        rows = ["c"] if self._needs_rows else []
        return [*rows, *self.counts.values(), *(value.name for value in self.values)]

    def _shares(self, pairs: Any) -> dict[str, Any]:
        """For each person and group: the rows, valid rows and steps that count, in the smallest integers that hold them."""
        import ibis

        columns: dict[str, Any] = {name: pairs[name] for name in self.groups}
        most = pairs[_KEPT] if _KEPT in pairs.columns else dialects.whole(self.bound.most_rows)
        if self._needs_rows:
            columns["c"] = self._small(ibis.least(pairs["c"], most))
        for place in self.counts.values():
            columns[place] = self._small(ibis.least(pairs[place], most))
        for value in self.values:
            present = pairs[self.counts[value.measure.needs]]
            share = measures.share(pairs[value.name], ibis.least(present, most), present, value.measure)
            columns[value.name] = self._small(share, value.measure.reach)
        return columns

    def _small(self, number: Any, reach: int = 1) -> Any:
        """As 32-bit integers where the clamps leave no larger number."""
        return number.cast("int32") if self.bound.most_rows * reach < 2**31 else number

    def _sealed(self, exact: pa.Table, binned: Mapping[Any, CellCounts]) -> SealedGroups:
        keys, order = self._keys_and_order(exact)
        answers = {}
        for name, measure in self.measured.items():
            found = self._entries(exact, measure)
            entries = np.zeros((self.known or exact.num_rows, measure.length), np.int64)
            entries[order] = found
            entries = entries.reshape(-1)
            answers[name] = Sealed(entries, self._sensitivity(measure))
            for coarse, roll in self.rolls.items():
                if roll.measure == name:
                    answers[coarse] = rolled_up(roll, entries, self.bound)
        answers |= self._sealed_bins(keys, binned)
        hidden = keys is not None and self.public is None
        return SealedGroups(SealedKeys(keys) if hidden else keys, answers)

    def _entries(self, exact: pa.Table, measure: Measure) -> NDArray[np.int64]:
        """The entries of each group, as many columns as the measure has for a group."""
        totals = _whole_numbers(exact[self._place(measure)].combine_chunks())
        if measure.kind != "distances":
            return totals[:, None]
        rows = _whole_numbers(exact[self.counts[measure.needs]].combine_chunks())
        above = totals + rows * measure.added.offset
        return np.stack([above, rows * measure.span - above], axis=1)

    def _sealed_bins(self, keys: pa.Table | None, binned: Mapping[Any, CellCounts]) -> dict[str, Sealed]:
        """For each measure of bins, its entries group after group, in the order of `keys`."""
        entries = 1 if keys is None else keys.num_rows
        answers = {}
        for name, measure in self.binned.items():
            cells, counted = binned[measure.counted], measure.counted
            order = np.arange(entries) if cells.groups is None else places_of(cells.groups, keys)
            exact = measure.read(cells.laid_out(entries, counted.length, order))
            answers[name] = Sealed(exact.reshape(-1), measure.sensitivity(self.bound, self.known))
        return answers

    def _place(self, measure: Measure) -> str:
        if measure.kind in ("persons", "rows"):
            return "persons" if measure.kind == "persons" else "c"
        if measure.kind == "valid":
            return self.counts[measure.needs]
        return next(value.name for value in self.values if value.measure == measure.added)

    def _keys_and_order(self, exact: pa.Table) -> tuple[pa.Table | None, NDArray[np.int64]]:
        """The keys (not sealed yet), and for each row of the result the entry it belongs to."""
        import pyarrow.compute as pc

        if not self.keys:
            return None, np.zeros(1, np.int64)
        if self.public is not None:
            return self.public, np.asarray(exact[POSITION].to_numpy(), np.int64)
        found = exact.select(list(self.key_columns.values())).rename_columns(list(self.keys))
        sorting = pc.sort_indices(found, sort_keys=[(name, "ascending") for name in self.keys])
        order = np.empty(exact.num_rows, np.int64)
        order[sorting.to_numpy()] = np.arange(exact.num_rows)
        return found.take(sorting), order

    def _sensitivity(self, measure: Measure) -> Sensitivity:
        if measure.kind == "persons":
            return self.bound.persons_sensitivity(self.known)
        if measure.kind == "distances":
            return self.bound.distances_sensitivity(self.known, measure.span)
        if measure.kind in measures.SUM_KINDS:
            return self.bound.sum_sensitivity(self.known, measure.reach)
        return self.bound.rows_sensitivity(self.known)


def _computed(binned: Mapping[Any, Prepared[CellCounts]]) -> dict[Any, CellCounts]:
    return {counted: prepared.compute() for counted, prepared in binned.items()}


def _none(binned: Mapping[Any, Prepared[CellCounts]]) -> dict[Any, CellCounts]:
    return {counted: prepared.nothing for counted, prepared in binned.items()}


def _row_of_nothing(empty: pa.Table) -> pa.Table:
    import pyarrow as pa

    return pa.table([pa.nulls(1, field.type) for field in empty.schema], schema=empty.schema)


def _whole_numbers(column: Any) -> NDArray[np.int64]:
    """Totals as 64-bit integers; an empty table has no total, which counts as 0."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return np.asarray(pc.fill_null(column.cast(pa.int64()), 0).to_numpy(zero_copy_only=False), np.int64)
