"""A function on every world: the rows once, then each half in turn, in parallel processes where that pays.

A world on which the function fails, gives another shape or something that is not finite has a public output in its place, and
so has one of too few people. Each is given a copy of the function as it was before the first: what it keeps for the next one
would make outputs those of other halves. All worlds are run whatever happens on one of them, so nothing that is seen tells which it was.
"""

from __future__ import annotations

import contextlib
import os
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from privet.engine import OWNER, members, words_for
from privet.protect.pac._function_copies import FunctionCopies
from privet.protect.pac._output_alignment import canonical
from privet.protect.pac._row_forms import as_given, matrix, numbers_of
from privet.protect.pac._world_plan import Progress
from privet.source import BlackBox, Bounds

if TYPE_CHECKING:
    import pyarrow as pa

# Work that is over sooner is done in this process: starting others takes about as long.
_WORTH_PROCESSES = 3.0  # seconds
_TURNS = 4  # pieces of work for each process


@dataclass(frozen=True)
class WorldRows:
    """All rows that may count, the words that say which worlds each is in, and whose each row is."""

    rows: Any  # a NumPy matrix or an Arrow table
    words: tuple[NDArray[np.int32], ...]
    people: tuple[NDArray[np.int32], ...]  # the words of each person once
    given_as: str
    owner: NDArray[np.int64]  # the place of each row's person among these

    @classmethod
    def of(
        cls,
        batches: Iterable[pa.RecordBatch],
        columns: tuple[str, ...],
        bounds: Mapping[str, Bounds],
        given_as: str,
        worlds: int,
    ) -> WorldRows:
        """The batches of `world_rows`, with every number inside its bounds."""
        import pyarrow as pa

        table = pa.Table.from_batches(list(batches))
        names = words_for(worlds)
        words = tuple(np.asarray(table[name].to_numpy(), np.int32) for name in names)
        people, owner = words, np.arange(table.num_rows)
        if OWNER in table.column_names:
            owners = table[OWNER].combine_chunks().dictionary_encode().indices.to_numpy(zero_copy_only=False)
            _, first, owner = np.unique(owners, return_index=True, return_inverse=True)
            people = tuple(word[first] for word in words)
        inside = _clipped(table.select(list(columns)), bounds)
        rows = matrix(inside) if given_as == "numpy" else inside
        return cls(rows, words, people, given_as, np.asarray(owner, np.int64))

    def without(self, person: int) -> WorldRows:
        """The same rows and worlds, but for one person."""
        kept, others = self.owner != person, np.arange(len(self.people[0])) != person
        rows = self.rows[kept] if self.given_as == "numpy" else self.rows.filter(kept)
        return WorldRows(
            rows,
            tuple(word[kept] for word in self.words),
            tuple(word[others] for word in self.people),
            self.given_as,
            self.owner[kept] - (self.owner[kept] > person),
        )

    def half(self, world: int) -> Any:
        """The rows of one world, as the function wants them."""
        mask = members(self.words, world // 2) ^ bool(world % 2)
        if self.given_as == "numpy":
            return self.rows[mask]
        import pyarrow as pa

        return as_given(self.rows.filter(pa.array(mask)), self.given_as)

    def number_of_people(self, world: int) -> int:
        """How many people are in one world."""
        return int((members(self.people, world // 2) ^ bool(world % 2)).sum())


def outputs_of(
    rows: WorldRows,
    box: BlackBox,
    shape: tuple[int, ...],
    worlds: int,
    *,
    processes: int | None = None,
    progress: Progress | None = None,
) -> tuple[NDArray[np.float64], int]:
    """The flat output of every world, one in each row, and on how many of them the function failed: for the owner alone."""
    copies = FunctionCopies.of(box.compute)
    task = _Task(rows, copies, box.form, _array(box.reference, shape), shape, box.least_people)
    say = progress or (lambda _: None)
    began, found = time.monotonic(), [_output(task, 0)]
    left = (time.monotonic() - began) * (worlds - 1)
    several = (os.cpu_count() or 1) if processes is None else processes
    rest = range(1, worlds)
    # Whether it pays is decided by time, and decides about time alone.
    if several > 1 and left > _WORTH_PROCESSES and copies.can_be_sent:
        pieces: Iterable[tuple[list[int], list[_Output]]] = _in_processes(task, rest, several)
    else:
        pieces = (([world], [_output(task, world)]) for world in rest)
    outputs = {0: found[0]}
    with _one_thread():
        for those, made in pieces:
            outputs |= dict(zip(those, made, strict=True))
            spent = time.monotonic() - began
            say(
                f"world {len(outputs)} of {worlds}, about {spent / len(outputs) * (worlds - len(outputs)):.0f} s left"
            )
    ordered = [outputs[world] for world in range(worlds)]
    return np.stack([numbers for numbers, _ in ordered]), sum(failed for _, failed in ordered)


def _one_thread() -> contextlib.AbstractContextManager[Any]:
    """Libraries of numbers with one thread each: halves are small, and threads that wait for each other cost more than they do."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return contextlib.nullcontext()
    return cast("contextlib.AbstractContextManager[Any]", threadpool_limits(1))


_Output = tuple[NDArray[np.float64], bool]


@dataclass(frozen=True)
class _Task:
    rows: WorldRows
    compute: FunctionCopies
    form: str
    reference: NDArray[np.float64] | None
    shape: tuple[int, ...]
    least_people: int


def _in_processes(
    task: _Task, worlds: Iterable[int], several: int
) -> Iterator[tuple[list[int], list[_Output]]]:
    from joblib import Parallel, delayed

    todo = list(worlds)
    size = max(1, -(-len(todo) // (several * _TURNS)))
    parts = [todo[start : start + size] for start in range(0, len(todo), size)]
    # Rows are sent, not put into a file that other processes map: they are private.
    run = Parallel(n_jobs=several, max_nbytes=None, return_as="generator_unordered")
    yield from run(delayed(_piece)(task, part) for part in parts)


def _piece(task: _Task, worlds: list[int]) -> tuple[list[int], list[_Output]]:
    return worlds, [_output(task, world) for world in worlds]


def _output(task: _Task, world: int) -> _Output:
    """One world's output, flat; the public one in its place where there is none."""
    instead = np.zeros(task.shape) if task.reference is None else task.reference
    enough = task.rows.number_of_people(world) >= task.least_people
    made: NDArray[np.float64] | None = None
    # Whatever a function raises, it raises about rows; what it prints and warns is its own.
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = numbers_of(task.compute.fresh()(task.rows.half(world)))
            if made.shape != task.shape or not np.isfinite(made).all():
                made = None
            else:
                made = canonical(made, task.form, task.reference)
    except KeyboardInterrupt:  # the person at the keyboard, who may stop it
        raise
    except BaseException:  # noqa: BLE001  also what is meant to end a program: it would end on some rows and not on others
        made = None
    good = made is not None and made.shape == task.shape and bool(np.isfinite(made).all())
    return (made if good and enough and made is not None else instead).reshape(-1), not good


def _array(reference: Any, shape: tuple[int, ...]) -> NDArray[np.float64] | None:
    return None if reference is None else numbers_of(reference).reshape(shape)


def _clipped(table: pa.Table, bounds: Mapping[str, Bounds]) -> pa.Table:
    """Every number inside its public bounds; missing ones stay missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for at, name in enumerate(table.column_names):
        if name not in bounds or not _is_number(table.schema.field(name).type):
            continue
        ends = (pa.scalar(float(end)) for end in (bounds[name].lower, bounds[name].upper))
        low, high = ends
        # The nearest double where there is none: a cast that refuses would refuse for one row, and be heard.
        values = table[name].cast(pa.float64(), safe=False)
        inside = pc.min_element_wise(
            pc.max_element_wise(values, low, skip_nulls=False), high, skip_nulls=False
        )
        table = table.set_column(at, name, inside)
    return table


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))
