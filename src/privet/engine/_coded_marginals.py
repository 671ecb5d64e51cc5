"""Marginals of a table whose columns are coded by public bins: every set of columns counted by one grouping, under seal.

Each column becomes a whole number: its bin, or one more for values that are missing or in no bin. A person keeps at most
`max_rows` rows, the first in an order hashed from the person and the row's own codes, so who else is in the table
decides nothing; rows without a person are dropped. All sets of columns are counted from the same kept rows, by
GROUPING SETS: one pass over the rows for many sets, and nothing but cells comes out. So the memory that is needed
here does not grow with the rows.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from privet.engine import _dialects as dialects
from privet.engine import _keyed_hash as keyed_hash
from privet.engine._engine_results import fetch, planned, stream, written
from privet.engine._engine_versions import check_version
from privet.engine._expression_kinds import column_kind
from privet.engine._masked_failures import MaskedFailure, Prepared, attempted
from privet.engine._public_bins import Bins, placed_together
from privet.engine._relation import SPARK, Relation
from privet.errors import BadAggregate, SealBroken
from privet.guarantee import Change, Person, Unit
from privet.sealed import Sealed, Sensitivity

if TYPE_CHECKING:
    import pyarrow as pa

_PERSON, _MIXED, _HASH, _RANK, _ROWS = "privet_p", "privet_z", "privet_h", "privet_r", "privet_rows"
_SETS = 128  # counted in one pass
_BITS = 60  # columns in one pass
MOST_CELLS = 1_000_000  # of one marginal
# Distances are added up in steps of 1/16 of a row, so that a score is a whole number.
STEPS = 16
Columns = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DateBins:
    """Ranges of days between stated edges, in rising order; dates outside fall into the first or last."""

    stated: tuple[datetime.date, ...]

    def __post_init__(self) -> None:
        if len(self.stated) < 2 or any(
            low >= high for low, high in zip(self.stated, self.stated[1:], strict=False)
        ):
            raise BadAggregate("edges of bins of dates must rise.", "State a first and a later last day.")

    @property
    def count(self) -> int:
        """How many ranges there are."""
        return len(self.stated) - 1

    def place(self, value: Any, engine: str) -> Any:
        """The bin of each date or moment, by halving."""
        import ibis

        found = dialects.canonical(value, engine)
        timed = value.type().is_timestamp()

        def edge(at: int) -> Any:
            day = self.stated[at]
            return ibis.literal(
                datetime.datetime.combine(day, datetime.time.min) if timed else day,
                type=found.type() if timed else "date",
            )

        def halved(low: int, high: int) -> Any:
            if high - low == 1:
                return ibis.literal(low, type="int32")
            middle = (low + high) // 2
            return ibis.ifelse(found < edge(middle), halved(low, middle), halved(middle, high))

        return dialects.keep_if(found.notnull(), halved(0, self.count))


@dataclass(frozen=True)
class CodedColumn:
    """One column and its public bins; the last code stands for what is missing or in no bin."""

    column: str
    bins: Bins | DateBins

    @property
    def size(self) -> int:
        """How many codes there are."""
        return self.bins.count + 1


class SealedMarginals:
    """Exact marginals of one table, which nobody reads: they leave as sealed counts or as sealed scores."""

    __slots__ = ("_counts", "failure", "sensitivity", "sizes")

    def __init__(
        self,
        counts: Mapping[Columns, NDArray[np.int64]],
        sizes: tuple[int, ...],
        unit: Unit,
        failure: MaskedFailure | None = None,
    ) -> None:
        self._counts = dict(counts)
        self.sizes, self.failure = sizes, failure
        self.sensitivity = row_sensitivity(unit)

    def sealed(self, columns: Columns, steps: int = 1) -> Sealed:
        """The counts of a set of columns, one entry for each cell; the last column moves fastest. In `steps` to a row."""
        return Sealed(self._counts[columns] * steps, self.moved(columns).scaled(steps))

    def moved(self, columns: Columns) -> Sensitivity:
        """How far one unit moves the counts of a set of columns."""
        return _within(self.sensitivity, math.prod(self.sizes[at] for at in columns))

    def distances(
        self,
        expected: Mapping[Columns, NDArray[np.float64]],
        weights: Mapping[Columns, int],
        penalties: Mapping[Columns, float],
    ) -> Sealed:
        """For each set in `expected`, in its order: how far its counts lie from these, less a penalty, times a weight.

        In `STEPS` to a row. One unit moves the sum of absolute differences by no more than it moves the counts
        themselves, altogether (the triangle inequality), so a score moves by at most that times its weight.
        """
        scores = []
        for columns, estimate in expected.items():
            aims = np.rint(np.clip(estimate, -1e12, 1e12) * STEPS).astype(np.int64)
            away = int(np.abs(self._counts[columns] * STEPS - aims).sum())
            scores.append(weights[columns] * (away - round(penalties[columns] * STEPS)))
        heaviest = max((weights[columns] for columns in expected), default=1)
        return Sealed(
            np.array(scores, np.int64),
            Sensitivity.per_coordinate(max(1, len(scores)), self.sensitivity.total * STEPS * heaviest),
        )

    def __repr__(self) -> str:
        return "<sealed marginals>"

    def __reduce_ex__(self, *_: object) -> NoReturn:
        raise SealBroken(
            "exact marginals are neither copied nor pickled.", "Let a mechanism add noise to them."
        )

    __copy__ = __deepcopy__ = __reduce__ = __reduce_ex__


def row_sensitivity(unit: Unit) -> Sensitivity:
    """How far one unit moves a count of rows in disjoint cells: by its rows, or by those it had and those it gets.

    The squares of the changes add up to no more than the largest change times all of them (`Sensitivity.squares`): with R
    rows to a person, R · R where one comes or goes, and R · 2R where one is replaced by another. Both are reached, by a
    person whose rows all fall into one cell, so counts of rows cannot do with less: in every marginal the length is R, not
    the √R · R of R cells that each move by R.
    """
    rows = _most_rows(unit)
    sides = 2 if unit.change is Change.REPLACE else 1
    return Sensitivity(rows * sides, rows, rows * sides)


def _most_rows(unit: Unit) -> int:
    if not isinstance(unit, Person):
        return 1
    if unit.max_rows is None:
        raise BadAggregate(
            f"the unit does not say how many rows of one {unit.column!r} may count.",
            f"Write Person({unit.column!r}, max_rows=…): the cap decides how much noise is needed.",
        )
    return unit.max_rows


def _within(moved: Sensitivity, entries: int) -> Sensitivity:
    """The same sensitivity where there are fewer entries than could move."""
    changed = max(1, min(moved.coordinates, entries))
    return Sensitivity(changed, moved.largest, min(moved.total, changed * moved.largest))


def prepare_marginals(
    relation: Relation,
    columns: Sequence[CodedColumn],
    unit: Unit,
    sets: Sequence[Columns],
    *,
    bounding_key: str = "privet",
) -> Callable[[], SealedMarginals]:
    """Count these sets of columns, up to the point where the engine would start; reads no row.

    What is given back raises nothing that depends on a row: if the engine fails, it gives the answer of no rows.
    """
    check_version(relation)
    sizes = tuple(column.size for column in columns)
    for one in sets:
        if math.prod(sizes[at] for at in one) > MOST_CELLS:
            raise BadAggregate(
                f"a marginal of {len(one)} columns has more than {MOST_CELLS:,} cells.",
                "State fewer bins or values for these columns.",
            )
    rows = _coded(relation, columns, unit, bounding_key)
    passes = [
        (chosen, question := _grouped(rows, chosen), written(question, relation.engine))
        for chosen in _pieces(sets)
    ]
    for _, question, words in passes:
        planned(question, relation.engine, words)
    nothing = {one: np.zeros(math.prod(sizes[at] for at in one), np.int64) for one in sets}

    def compute() -> dict[Columns, NDArray[np.int64]]:
        found = {one: counts.copy() for one, counts in nothing.items()}
        for chosen, question, words in passes:
            _read(fetch(question, relation.engine, words), chosen, sizes, found)
        return found

    def computed() -> SealedMarginals:
        counts, failure = attempted(Prepared(compute, nothing))
        return SealedMarginals(counts, sizes, unit, failure)

    return computed


def coded_rows(
    relation: Relation, columns: Sequence[CodedColumn], unit: Unit, *, bounding_key: str = "privet"
) -> Iterator[tuple[NDArray[np.int32], list[Any] | None]]:
    """The kept rows as codes, batch by batch, and whose they are (None where a row is the unit)."""
    rows = _coded(relation, columns, unit, bounding_key, owners=True)
    batches = (
        fetch(rows, relation.engine).to_batches(max_chunksize=100_000)
        if relation.engine == SPARK
        else stream(rows)
    )
    for batch in batches:
        codes = np.stack([_whole(batch[f"c{at}"]) for at in range(len(columns))], axis=1).astype(np.int32)
        owned = batch[_PERSON].to_pylist() if _PERSON in batch.schema.names else None
        yield codes, owned


def _coded(
    relation: Relation, columns: Sequence[CodedColumn], unit: Unit, bounding_key: str, *, owners: bool = False
) -> Any:
    """A lazy table of codes, one for each kept row."""
    kinds = relation.columns
    for one in columns:
        column_kind(one.column, kinds)
    table, engine = relation.table, relation.engine
    chosen: dict[str, Any] = {}
    if isinstance(unit, Person):
        table = table.filter(dialects.is_there(table[unit.column]))
        chosen[_PERSON] = dialects.canonical_key(table[unit.column], engine)
    rows = table.select(**chosen, **{f"v{at}": table[one.column] for at, one in enumerate(columns)})
    places = {f"b{at}": (f"v{at}", one.bins) for at, one in enumerate(columns)}
    rows = placed_together(rows, places, list(chosen), relation)
    whole = {
        f"c{at}": rows[f"b{at}"].fill_null(dialects.whole(one.bins.count).cast("int32")).cast("int32")
        for at, one in enumerate(columns)
    }
    if not isinstance(unit, Person):
        return rows.select(**whole)
    coded = rows.select(_PERSON, **whole)
    return _bounded(coded, list(whole), unit, engine, bounding_key, owners=owners)


def _bounded(
    coded: Any, names: list[str], unit: Person, engine: str, bounding_key: str, *, owners: bool
) -> Any:
    """At most `max_rows` rows of a person, chosen by that person's own rows alone."""
    import ibis

    _most_rows(unit)
    words = [keyed_hash.word(coded[name], engine, bounding_key) for name in names]
    person = keyed_hash.person_word(keyed_hash.word(coded[_PERSON], engine, bounding_key), bounding_key)
    staged = coded.mutate(**{_MIXED: person ^ keyed_hash.combined(words, bounding_key)})
    staged = staged.mutate(**{_MIXED: keyed_hash.round_of(staged[_MIXED], 0, bounding_key)})
    staged = staged.mutate(**{_HASH: keyed_hash.round_of(staged[_MIXED], 1, bounding_key)})
    # Rows whose hashes collide are put in order by their own codes, never by their place in the table.
    window = ibis.window(group_by=_PERSON, order_by=[_HASH, *names])
    ranked = staged.mutate(**{_RANK: ibis.row_number().over(window)})
    kept = ranked.filter(ranked[_RANK] < dialects.whole(unit.max_rows or 1))
    return kept.select(*([_PERSON] if owners else []), *names)


def _pieces(sets: Sequence[Columns]) -> list[list[Columns]]:
    """Sets that are counted in one pass: not too many, and of few enough columns for one bit each."""
    pieces: list[list[Columns]] = []
    used: set[int] = set()
    for one in sets:
        if not pieces or len(pieces[-1]) == _SETS or len(used | set(one)) > _BITS:
            pieces.append([])
            used = set()
        pieces[-1].append(one)
        used |= set(one)
    return pieces


def _grouped(rows: Any, sets: Sequence[Columns]) -> Any:
    """One statement that counts several sets of columns; a column that a set leaves out is missing in its lines.

    Codes are never missing themselves, so which columns are there says which set a line belongs to.
    """
    import ibis
    import ibis.expr.operations as ops

    used = sorted({at for one in sets for at in one})
    listed = ", ".join("(" + ", ".join(f"c{at}" for at in one) + ")" for one in sets)
    names = ", ".join(f"c{at}" for at in used)
    query = f"SELECT {names}, COUNT(*) AS n FROM {_ROWS} GROUP BY GROUPING SETS ({listed})"  # noqa: S608  no value in it
    schema = ibis.schema({**{f"c{at}": "int32" for at in used}, "n": "int64"})
    return ops.SQLStringView(parent=rows.alias(_ROWS).op(), query=query, schema=schema).to_expr()


def _read(
    exact: pa.Table,
    sets: Sequence[Columns],
    sizes: tuple[int, ...],
    found: dict[Columns, NDArray[np.int64]],
) -> None:
    """Put the lines of one statement into the dense marginals that they belong to."""
    import pyarrow as pa
    import pyarrow.compute as pc

    used = [int(name[1:]) for name in exact.column_names if name != "n"]
    codes = np.stack(
        [np.asarray(pc.fill_null(exact[f"c{at}"].cast(pa.int64()), -1).to_numpy(), np.int64) for at in used],
        axis=1,
    )
    counts = _whole(exact["n"])
    # Sets are told apart by which columns are there: one bit for each column of the statement.
    marks = (codes >= 0) @ (1 << np.arange(len(used), dtype=np.int64))
    order = np.argsort(marks, kind="stable")
    for one in sets:
        mark = sum(1 << used.index(at) for at in one)
        first, last = np.searchsorted(marks, [mark, mark + 1], sorter=order)
        lines = order[first:last]
        cell = np.zeros(len(lines), np.int64)
        for at in one:
            cell = cell * sizes[at] + codes[lines, used.index(at)]
        np.add.at(found[one], cell, counts[lines])


def _whole(column: Any) -> NDArray[np.int64]:
    import pyarrow as pa
    import pyarrow.compute as pc

    return np.asarray(pc.fill_null(column.cast(pa.int64()), 0).to_numpy(zero_copy_only=False), np.int64)
