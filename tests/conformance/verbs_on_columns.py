"""Every verb that computes on rows, over every column of a table: what raises, as sentences."""

from __future__ import annotations

from fractions import Fraction

from privet.engine._bin_counts import Binned, Branched, Distinct, Ranked
from privet.engine._bounded_rows import unit_rows
from privet.engine._contribution_bounds import Contribution
from privet.engine._engine_results import fetch
from privet.engine._group_measures import Measure
from privet.engine._holdout_split import held_out
from privet.engine._per_person import PersonSummary, collapse
from privet.engine._person_joins import first_rows
from privet.engine._public_bins import EvenBins, UnevenBins
from privet.engine._relation import ColumnKind, Relation
from privet.engine._sealed_aggregates import aggregate
from privet.guarantee._privacy_units import Person
from privet.sealed import FixedPoint

BOUND = Contribution(Person("person"), groups=2, rows=2)
SPREAD = Contribution(Person("person"), groups=5, total_rows=5)
RANGES = [FixedPoint(0, 60), FixedPoint(-3, 1e6, anchor="zero"), FixedPoint(1e-9, 2e-9)]
BINS = [EvenBins(0, 1_000_000, 4), EvenBins(-1, 1, 2), EvenBins(Fraction(1, 10**30), Fraction(3, 10**30), 2)]
ORDERED = (ColumnKind.INTEGER, ColumnKind.REAL, ColumnKind.DATE, ColumnKind.TIMESTAMP)


def measures_of(name: str, kind: ColumnKind) -> dict[str, object]:
    """Everything that can be measured of a column."""
    found: dict[str, object] = {f"valid {name}": Measure("valid", name), f"distinct {name}": Distinct(name)}
    if not (kind.is_number or kind is ColumnKind.BOOLEAN):
        return found
    for at, fixed in enumerate(RANGES):
        for what in ("sum", "sum_of_squares", "distances"):
            coarse = FixedPoint(fixed.lower, fixed.upper, (fixed.upper - fixed.lower) / 1000)
            found[f"{what} {at} {name}"] = Measure(what, name, fixed if what == "sum" else coarse)
    if kind.is_number:
        found |= {f"bins {at} {name}": Binned((name,), (bins,)) for at, bins in enumerate(BINS)}
        found[f"uneven {name}"] = Binned((name,), (UnevenBins([0, 1e-9, 7, 1e100]),))
        found[f"rank {name}"] = Ranked(name, BINS[0], Fraction(1, 2))
        found[f"tree {name}"] = Branched(name, BINS[0], 2)
    return found


def attempts(relation: Relation, names: list[str]):
    """What to try, by name: all columns at once, so that a few statements cover them."""
    kinds = {name: relation.columns[name] for name in names}
    measured = {"persons": Measure("persons"), "rows": Measure("rows")}
    for name, kind in kinds.items():
        measured |= measures_of(name, kind)
    told = {f"valid_{name}": PersonSummary("valid", name) for name in names}
    told |= {
        f"{what}_{name}": PersonSummary(what, name)
        for what in ("min", "max")
        for name in names
        if kinds[name] in ORDERED
    }
    told |= {
        f"{what}_{name}": PersonSummary(what, name, RANGES[0])
        for what in ("sum", "mean")
        for name in names
        if kinds[name].is_number
    }

    def asked(**question):
        return lambda: aggregate(relation, public_keys=None, **question)

    return {
        "keys": asked(keys=tuple(names), measures={"n": Measure("persons")}, contribution=BOUND),
        "keys, filled up": asked(keys=tuple(names), measures={"n": Measure("rows")}, contribution=SPREAD),
        "measures": asked(keys=(), measures=measured, contribution=BOUND),
        "first rows": lambda: fetch(first_rows(relation, "person", 2, names).table, relation.engine),
        "collapse": lambda: fetch(collapse(relation, ["person"], told).table, relation.engine),
        "unit rows": lambda: list(unit_rows(relation, names, Person("person", max_rows=2))),
        "held out": lambda: fetch(held_out(relation, Person("person"), 0.5)[0].table.count().as_table(), relation.engine),
        **{
            f"people by {name}": asked(
                keys=("person",),
                measures={"n": Measure("persons")},
                contribution=Contribution(Person(name), groups=2, rows=2),
            )
            for name in names
        },
    }  # fmt: skip


def faults(relation: Relation, names: list[str], only: tuple[str, ...] = ()) -> list[str]:
    """The verbs that raised, each with the columns to blame."""
    found = []
    for what, attempt in attempts(relation, names).items():
        if only and what not in only:
            continue
        try:
            attempt()
        except Exception as error:  # noqa: BLE001  whatever is raised is what is looked for
            if len(names) > 1 and not what.startswith("people"):
                half = len(names) // 2
                parts = faults(relation, names[:half], (what,)) + faults(relation, names[half:], (what,))
                found += parts or [f"{what} of {names}: {error}"]
            else:
                found.append(f"{what} of {names}: {type(error).__name__} {error}")
    return found
