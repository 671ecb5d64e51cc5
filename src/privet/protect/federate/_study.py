"""A study: what several sites will compute together, all of it public and fixed before anybody reads a row.

It is a declaration and never a program: a site runs code of its own on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from privet.errors import BadStudy, checked_class
from privet.evidence import digest
from privet.guarantee import Number, Unit, ZeroConcentratedDP, exact, unit_to_json
from privet.protect.federate._adversaries import Exposure, exposures
from privet.sharing import MOST_SITES, Cohort
from privet.source import Table, open_table


@checked_class
@dataclass(frozen=True)
class Study:
    """A question that several sites answer together.

    Args:
        name: What the table is called in the question.
        question: SQL about that table: counts, sums, means and what is made of them, whole or by public keys.
        promise: For the rows of each site, against everybody else together with so many `colluders` among the sites.
        unit: Whose presence is hidden at each site. A person in two sites is two of them: what both tell counts twice.
        columns: What is known of columns beforehand, without any site's data: a pair of numbers is the range of a column of
            numbers, a list the keys to group by.
        sites: How many take part.
        threshold: With fewer left, nothing is opened.
        colluders: So many sites may conspire with the coordinator, telling it their own noise.
    """

    name: str
    question: str
    promise: ZeroConcentratedDP
    unit: Unit
    columns: Mapping[str, Any]
    sites: int
    threshold: int
    colluders: int
    schema: Table = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 1 <= self.sites <= MOST_SITES:
            raise BadStudy(f"a study has at most {MOST_SITES} sites.", "Invite fewer.")
        # A cohort of made-up keys has the faults that the study's own would have.
        Cohort(
            "0" * 64,
            "f" * 64,
            tuple(f"{site:064x}" for site in range(self.sites)),
            self.threshold,
            1,
            self.colluders,
        )
        object.__setattr__(
            self, "columns", {name: _stated(name, said) for name, said in self.columns.items()}
        )
        object.__setattr__(self, "schema", self._without_rows())

    @property
    def honest(self) -> int:
        """So many shares of noise are in every sum that is opened, and unknown to all who conspire."""
        return self.threshold - self.colluders

    @property
    def digest(self) -> str:
        """What stands for this study and no other: it is bound into every key and signature of its rounds."""
        return digest(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """All of it, as it is shown to a site's owner."""
        return {
            "kind": "privet-study-1",
            "name": self.name,
            "question": self.question,
            "promise": self.promise.to_json(),
            "unit": unit_to_json(self.unit),
            "columns": {
                name: [str(end) for end in said] if isinstance(said, tuple) else {"keys": said}
                for name, said in self.columns.items()
            },
            "sites": self.sites,
            "threshold": self.threshold,
            "colluders": self.colluders,
        }

    def exposures(self, delta: Number) -> tuple[Exposure, ...]:
        """What the promise comes to at this delta against each adversary."""
        return exposures(self.promise, self.threshold, self.colluders, self.unit, exact(delta, "delta"))

    def _without_rows(self) -> Table:
        """The table that the question speaks of, with what is publicly known of it and no rows."""
        import pyarrow as pa

        ranges = {name: said for name, said in self.columns.items() if isinstance(said, tuple)}
        keys = {name: said for name, said in self.columns.items() if not isinstance(said, tuple)}
        kinds = {name: pa.float64() for name in ranges} | {
            name: pa.array(said).type for name, said in keys.items()
        }
        owner = getattr(self.unit, "column", None)
        if owner is not None and owner not in kinds:
            kinds[owner] = pa.string()
        empty = pa.table({name: pa.array([], type=kind) for name, kind in kinds.items()})
        return open_table(
            empty, unit=self.unit, bounds=ranges, keys=keys, name=self.name, version=f"study {self.name}"
        )


def _stated(name: object, said: Any) -> Any:
    """A range as a pair of numbers, keys as a list."""
    if not isinstance(name, str) or not name:
        raise BadStudy("a column's name is a text.", 'Write columns={"age": (0, 100)}.')
    numbers = isinstance(said, tuple) and len(said) == 2 and all(_is_number(end) for end in said)
    if numbers:
        return said
    if isinstance(said, list) and said:
        return list(said)
    raise BadStudy(
        f"what is said of column {name!r} is neither a range nor a list of keys.",
        'Write columns={"age": (0, 100), "ward": ["ICU", "Surgery"]}.',
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | Fraction) and not isinstance(value, bool)
