"""The plan of releasing a query: counts, sums and means that the engine computes for all worlds in one pass."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from privet.engine import Contribution, MaskedFailure, WorldStatistic, prepare_worlds, project, read_through
from privet.errors import BadFunction
from privet.guarantee import Promise
from privet.mechanism import Basis, SecretWorld
from privet.protect.pac._pac_options import WORLDS
from privet.protect.pac._world_plan import Progress, WorldPlan, check_plan, check_worlds, pac_promise
from privet.sealed import FixedPoint, OutputGrid, SealedWorlds
from privet.source import Aggregate, Asked, Count, Mean, Persons, Query, Sum, ValueCount

# Doubled counts and sums are clipped at as many rows of the largest value; beyond it nobody keeps tables.
_MOST_ROWS = 2.0**36
LEAST_PEOPLE = 20
_REHEARSAL = "rehearsal"


@dataclass(frozen=True, eq=False)
class QueryPlan(WorldPlan):
    """A query whose answers the engine adds up for every world at once."""

    query: Query
    statistics: dict[str, WorldStatistic]
    least_people: int
    title: str

    @property
    def table(self) -> Asked:
        """The table that is read."""
        return self.query.table

    @property
    def name(self) -> str:
        """What it is called."""
        return self.title

    @property
    def labels(self) -> tuple[str, ...]:
        """The answer's name, and the key of its group."""
        keys = self.query.public_keys()
        groups = [""] if keys is None else [_key(row) for row in keys.to_pylist()]
        return tuple(f"{name}{group}" for group in groups for name in self.statistics)

    @property
    def asked(self) -> str:
        """The question in words."""
        return self.query.describe()

    def depends_on(self) -> dict[str, Any]:
        """The question, and how many people a group needs."""
        return {"pac": "query", "query": self.query.describe(), "least_people": self.least_people}

    def stages(self) -> tuple[str, ...]:
        """What is done, in order."""
        found = [
            f"Read {', '.join(self.query.columns_used())} of {self.table.name!r}; no other column is touched."
        ]
        if self.query.where is not None:
            found.append("Keep the rows that meet the condition.")
        found += self.world_stages()
        found.append(
            f"Add up {', '.join(self.statistics)} for all worlds in one pass of the engine; a group with fewer than "
            f"{self.least_people} people in a world has zeros there. Counts and sums are doubled."
        )
        return (*found, *self.noise_stages())

    def notes(self) -> tuple[str, ...]:
        """What a reader must know beside the promise."""
        return (
            "The answers are those of a random half of the people, counts and sums doubled: that they are not of all of them is a "
            "part of their error.",
            "How much noise there is depends on the whole universe and is not told.",
            f"A group of fewer than {self.least_people} people in a half has zeros there: an answer of exactly 0 tells of "
            "nothing else.",
        )

    def refuse_unreadable(self) -> None:
        """Have the engine accept the question, with worlds that nobody's secret is in, and read files through."""
        used = self.query.columns_used() or list(self.table.columns)[:1]
        read_through(project(self.table.relation, used))
        self._prepared(_REHEARSAL)

    def sealed(
        self, secret: SecretWorld, report: Callable[[str], None], progress: Progress | None
    ) -> SealedWorlds:
        """The answers of all worlds; those of no rows where the engine failed."""
        if progress is not None:
            progress(f"adding up {self.worlds} worlds in one pass")
        outputs, failure = self._prepared(secret.seed)()
        if failure is not None:
            report(failure.code)
        return outputs

    def _prepared(self, seed: str) -> Callable[[], tuple[SealedWorlds, MaskedFailure | None]]:
        return prepare_worlds(
            self.query.relation(),
            keys=self.query.keys,
            public_keys=self.query.public_keys(),
            statistics=self.statistics,
            contribution=Contribution.for_unit(self.unit, grouped=bool(self.query.keys)),
            seed=seed,
            worlds=self.worlds,
            least_people=self.least_people,
            grid=self.grid,
        )


def make_query_plan(
    query: Query,
    promise: Promise,
    *,
    worlds: int = WORLDS,
    basis: Basis | None = None,
    least_people: int = LEAST_PEOPLE,
    title: str = "query",
) -> QueryPlan:
    """The plan of a release; refuses all that can be refused, and reads no row."""
    stated = pac_promise(promise, "a query computed on worlds")
    check_worlds(worlds)
    keys = query.public_keys()
    if query.keys and keys is None:
        raise BadFunction(
            "the keys of a PAC release are public: which groups exist would tell of who is there.",
            'State them: group_by("ward", keys=["a", "b"]), as an option --keys ward=a,b; or open_table(…, keys=…).',
            faults=[],
        )
    statistics, spans = {}, []
    for name, aggregate in query.aggregates:
        statistics[name], span = _statistic(name, aggregate, query)
        spans.append(span)
    groups = 1 if keys is None else keys.num_rows
    grid = OutputGrid(tuple(low for low, _ in spans) * groups, tuple(high for _, high in spans) * groups)
    # Counts, sums and means are of unlike units: each gets the same share of the nats unless something else is asked for.
    chosen = basis if basis is not None else "balanced" if len(grid) > 1 else "diagonal"
    shape = (groups, len(statistics)) if query.keys else (len(statistics),)
    plan = QueryPlan(stated, worlds, chosen, shape, grid, query, statistics, least_people, title)
    check_plan(plan)
    return plan


def _statistic(name: str, aggregate: Aggregate, query: Query) -> tuple[WorldStatistic, tuple[float, float]]:
    """What the engine adds up for an aggregate, and the public bounds of the answer."""
    if isinstance(aggregate, Count | Persons | ValueCount):
        column = aggregate.column if isinstance(aggregate, ValueCount) else None
        kind = {Count: "rows", Persons: "persons", ValueCount: "valid"}[type(aggregate)]
        return WorldStatistic(kind, column), (0.0, _MOST_ROWS)
    if isinstance(aggregate, Sum | Mean):
        (bounds,) = aggregate.ranges(query)
        fixed = FixedPoint(bounds.lower, bounds.upper)
        low, high = float(fixed.lower), float(fixed.upper)
        if isinstance(aggregate, Mean):
            # The mean of no rows is shown as 0.
            return WorldStatistic("mean", aggregate.column, fixed), (min(low, 0.0), max(high, 0.0))
        most = max(math.fabs(low), math.fabs(high)) * _MOST_ROWS
        return WorldStatistic("sum", aggregate.column, fixed), (-most, most)
    raise BadFunction(
        f"{name!r} is not among the aggregates that the engine adds up for worlds: count, persons, sum and mean.",
        "Release it as a function of rows: table.apply(function, columns=[…]).",
        faults=[],
    )


def _key(row: dict[str, Any]) -> str:
    return f"[{', '.join(f'{name}={value}' for name, value in row.items())}]"
