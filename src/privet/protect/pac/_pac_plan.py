"""The plan of releasing a function: its shape, its grid and its basis, decided before a row is read or anything is booked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.engine import project, read_through, world_rows
from privet.errors import BadAmount, BadFunction
from privet.guarantee import Person, Promise
from privet.mechanism import Basis, SecretWorld
from privet.protect.pac._function_identity import identity
from privet.protect.pac._pac_options import WORLDS
from privet.protect.pac._rehearsal import fails_on_missing, rehearsed_shape
from privet.protect.pac._row_forms import numbers_of
from privet.protect.pac._world_outputs import WorldRows, outputs_of
from privet.protect.pac._world_plan import Progress, WorldPlan, check_plan, check_worlds, pac_promise
from privet.sealed import OutputGrid, SealedWorlds
from privet.source import CLIP, AppliedFunction, Asked, BlackBox

_WITHOUT = {
    "numpy": "rows = rows[~np.isnan(rows).any(axis=1)]",
    "pandas": "rows = rows.dropna()",
    "arrow": "rows = rows.drop_null()",
}
_MISSING = {
    given_as: "The function fails on rows with missing values: a half that has one counts as one where it fails. Let it begin with "
    f"{words} unless there are none."
    for given_as, words in _WITHOUT.items()
}


@dataclass(frozen=True, eq=False)
class PacPlan(WorldPlan):
    """A function of rows that is run on every world."""

    applied: AppliedFunction
    processes: int | None = None
    fails_on_missing: bool = False

    @property
    def table(self) -> Asked:
        """The table that is read."""
        return self.applied.table

    @property
    def name(self) -> str:
        """What the function is called."""
        return self.applied.function.name

    @property
    def labels(self) -> tuple[str, ...]:
        """What the declaration calls each number; else its place in the output."""
        if self.applied.function.labels:
            return self.applied.function.labels
        if not self.shape:
            return (self.name,)
        return tuple(f"{self.name}[{', '.join(map(str, at))}]" for at in np.ndindex(*self.shape))

    @property
    def asked(self) -> str:
        """The function and its columns."""
        return repr(self.applied)

    def depends_on(self) -> dict[str, Any]:
        """The function itself, its columns and their bounds."""
        bounds = self.applied.bounds
        return {
            "pac": identity(self.applied.function),
            "columns": list(self.applied.columns),
            "bounds": {name: [str(pair.lower), str(pair.upper)] for name, pair in bounds.items()},
        }

    def stages(self) -> tuple[str, ...]:
        """What is done, in order."""
        applied, box = self.applied, self.applied.function
        found = [f"Read {', '.join(applied.columns)} of {applied.table.name!r}; no other column is touched."]
        if applied.bounds:
            found.append("Put every number inside its public bounds.")
        found += self.world_stages()
        found.append(
            f"Run {box.name} on every world; a world with fewer than {box.least_people} people, or where it fails, "
            f"gives {'the reference' if box.reference is not None else 'zeros'}."
        )
        if box.form != "as it is":
            found.append(f"Bring outputs into their canonical form ({box.form}).")
        return (*found, *self.noise_stages())

    def notes(self) -> tuple[str, ...]:
        """What a reader must know beside the promise."""
        found: tuple[str, ...] = (
            "The output is that of a random half of the people: that it is not of all of them is a part of its error.",
            "How much noise there is depends on the whole universe and is not told.",
            f"A half of fewer than {self.applied.function.least_people} people, or on which the function fails, gives "
            f"{'the reference' if self.applied.function.reference is not None else 'zeros'}: an output that is exactly that tells of "
            "nothing else.",
        )
        if self.fails_on_missing:
            found += (_MISSING[self.applied.function.rows],)
        if len(self.grid) > 1 and self.applied.function.clip is CLIP:
            found += (
                "All numbers have the same bounds, so that noise is shared as if they were of one unit: where scales differ, give "
                "each its own, clip=([0, 0], [60, 30000]).",
            )
        note = self.applied.function.note
        return (*found, note) if note else found

    def refuse_unreadable(self) -> None:
        """Read the file through in the columns that are used: a malformed one is refused before anything is booked."""
        relation = self.table.relation
        used = list(self.applied.columns)
        # Where rows count by themselves, equal ones are told apart by all of their columns.
        if isinstance(self.unit, Person):
            relation = project(relation, list(dict.fromkeys([*used, self.unit.column])))
        read_through(relation)

    def sealed(
        self, secret: SecretWorld, report: Callable[[str], None], progress: Progress | None
    ) -> SealedWorlds:
        """The function's outputs on their grid; zeros where the rows could not be had."""
        applied, box = self.applied, self.applied.function
        try:
            batches = world_rows(
                applied.table.relation, applied.columns, self.unit, seed=secret.seed, worlds=self.worlds
            )
            rows = WorldRows.of(batches, applied.columns, applied.bounds, box.rows, self.worlds)
            outputs, failed = outputs_of(
                rows, box, self.shape, self.worlds, processes=self.processes, progress=progress
            )
            if failed:
                report("FunctionFailed")
        except Exception as problem:  # noqa: BLE001  after the booking a failure is the owner's business alone
            report(type(problem).__name__)
            outputs = np.zeros((self.worlds, len(self.grid)))
        return SealedWorlds(self.grid.encode(outputs))


def make_pac_plan(
    applied: AppliedFunction,
    promise: Promise,
    *,
    worlds: int = WORLDS,
    basis: Basis | None = None,
    processes: int | None = None,
) -> PacPlan:
    """The plan of a release; refuses all that can be refused, tries the function on made-up rows, and reads none."""
    stated = pac_promise(promise, "a function of rows")
    check_worlds(worlds)
    if processes is not None and processes < 1:
        raise BadFunction("processes is a whole number, 1 or more.", "Leave it out.", faults=[])
    shape = rehearsed_shape(applied)
    box = applied.function
    if box.reference is not None and numbers_of(box.reference).shape != shape:
        raise BadFunction(
            f"the reference has another shape than the output, {shape}.",
            "Give one of the same shape.",
            faults=[],
        )
    if box.labels and len(box.labels) != int(np.prod(shape)):
        raise BadFunction(
            f"there are {len(box.labels)} labels for an output of shape {shape}.",
            "Give one for each number.",
            faults=[],
        )
    grid = _grid(box, shape)
    chosen = basis if basis is not None else "eigen" if worlds >= 4 * len(grid) > 4 else "diagonal"
    matrix = chosen if isinstance(chosen, str) else np.asarray(chosen, np.float64)
    plan = PacPlan(stated, worlds, matrix, shape, grid, applied, processes, fails_on_missing(applied))
    check_plan(plan)
    return plan


def _grid(box: BlackBox, shape: tuple[int, ...]) -> OutputGrid:
    try:
        ends = [np.broadcast_to(np.asarray(end, np.float64), shape).reshape(-1).tolist() for end in box.clip]
        return OutputGrid(tuple(ends[0]), tuple(ends[1]))
    except (ValueError, TypeError):
        fact = f"clip does not stretch to the shape of the output, {shape}."
    except BadAmount as problem:
        fact = problem.fact
    raise BadFunction(
        fact, "Give a lower and an upper bound: two numbers, or two arrays of the output's shape.", faults=[]
    )
