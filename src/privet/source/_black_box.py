"""A function of rows, as a declaration: what it computes, what its output looks like, and what is publicly known of it.

PAC privacy takes any function as it is and runs it on many halves of the rows. What decides about its noise is how much its output
moves between halves, so a declaration also says how outputs are made comparable (their form) and within which
public bounds they lie. `Table.apply` makes one of a plain function; ready-made functions are declared by hand.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.engine import ColumnKind, did_you_mean
from privet.errors import BadFunction, NotPublic, checked, checked_class
from privet.guarantee import Person, Unit
from privet.source._column_facts import ColumnFacts, column_facts
from privet.source._key_sets import KeySet
from privet.source._public_ranges import Bounds

if TYPE_CHECKING:
    from privet.source._table_query import Asked
    from privet.source.aggregates import Aggregate

FORMS = ("as it is", "sorted", "signs", "matched", "rotated")
ROWS_AS = ("numpy", "pandas", "arrow")
CLIP = (-(2.0**20), 2.0**20)
LEAST_PEOPLE = 20


@checked_class
@dataclass(frozen=True, eq=False)
class BlackBox:
    """A function that is run on halves of the rows.

    Args:
        compute: From rows (as `rows` says) to a number or an array. It must be a function of the rows alone: fixed seeds.
        name: What it is called in ledgers, plans and cards.
        shape: The shape of its output. Left out, the function is tried on made-up rows, and the shape is theirs.
        clip: Public bounds of the output, two numbers or two arrays of its shape (or that stretch to it). What lies outside is
            put at the bound, and the noise of each number is weighed by its bounds: give each its own where scales differ.
        rows: What the function is given: "numpy" (numbers alone, missing ones as not-a-number), "pandas" or "arrow".
        form: How outputs of different halves are made comparable: "as it is"; "sorted" (rows of the output in order);
            "signs" (each row turned to point along the reference); "matched" (rows in the order that fits the
            reference best, Hungarian); "rotated" (Procrustes to the reference).
        reference: A *public* output that `form` compares with: earlier results, or made up.
        least_people: In worlds with fewer people the output is all zeros (or the reference), in any form.
        aggregates: Where the function is no more than these aggregates, the engine computes all worlds in one pass.
        settings: What tells this function from others of its name, as texts and numbers: stands in the question.
        note: Why this variant needs little noise, for plans and reports.
        labels: A name for each number of the output, in its order.
        reader: What makes something to use of a released output, such as a model that predicts; see `AppliedFunction.read`.
    """

    compute: Callable[[Any], Any]
    name: str
    shape: tuple[int, ...] | None = None
    clip: tuple[Any, Any] = CLIP
    rows: str = "numpy"
    form: str = "as it is"
    reference: Any = None
    least_people: int = LEAST_PEOPLE
    aggregates: Mapping[str, Aggregate] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    labels: tuple[str, ...] = ()
    reader: Callable[[Any], Any] | None = None

    def __post_init__(self) -> None:
        faults = list(_faults(self))
        if faults:
            raise BadFunction(
                " ".join(faults), "Correct the declaration; nothing was read or spent.", faults=faults
            )


class ReadyMade(ABC):
    """A function that is ready to be applied to columns."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is called."""

    @property
    def beside(self) -> tuple[str, ...]:
        """Columns that it needs beside those that it is applied to, as its target."""
        return ()

    @abstractmethod
    def declared(self, columns: Sequence[ColumnFacts]) -> BlackBox:
        """The function on these columns; those of `beside` come last. Refuses columns that it cannot use."""


@dataclass(frozen=True, eq=False, repr=False)
class AppliedFunction:
    """A function on some columns of a table: a thing that can be released under `PacPrivacy`. Made by `Table.apply`."""

    table: Asked
    function: BlackBox
    columns: tuple[str, ...]
    bounds: Mapping[str, Bounds]

    @property
    def unit(self) -> Unit:
        """Whose membership is hidden; an error if the table does not say."""
        return self.table.unit_or_refuse()

    @checked
    def read(self, output: Any) -> Any:
        """What a released output is good for: a model that predicts, a matrix; the bare numbers where nothing is made of them.

        Takes what `release` gave back for this function, or its `value`.
        """
        value = np.asarray(getattr(output, "value", output))
        if value.dtype.kind not in "biuf":
            raise BadFunction(
                "this is not the output of a release.", "Give what release(…) gave back.", faults=[]
            )
        made = self.function.reader
        return value if made is None else made(np.asarray(value, np.float64))

    def __repr__(self) -> str:
        return f"{self.function.name}({', '.join(self.columns)}) of {self.table.name!r}"


def applied(
    table: Asked,
    function: Callable[[Any], Any] | BlackBox | ReadyMade,
    columns: Sequence[str] | None,
    *,
    bounds: Mapping[str, Any] | None = None,
    keys: Mapping[str, KeySet | Iterable[Any]] | None = None,
    said: Mapping[str, Any],
) -> AppliedFunction:
    """A function on columns, checked: all columns are there, and numbers among them have public bounds."""
    known = table.columns
    ranges = {
        **_ends_of_keys(table, keys or {}),
        **table.bounds,
        **{name: Bounds.of(pair) for name, pair in (bounds or {}).items()},
    }
    if columns is None:
        columns = _all_columns(table, ranges)
    beside = function.beside if isinstance(function, ReadyMade) else ()
    columns = [*(name for name in columns if name not in beside), *beside]
    missing = [name for name in columns if name not in known]
    if missing or not columns:
        faults = [f"there is no column {name!r}. {did_you_mean(name, known)}" for name in missing]
        raise BadFunction(
            " ".join(faults) or "a function is applied to columns.",
            'Write columns=["age", "cost"].',
            faults=faults,
        )
    given = {name: value for name, value in said.items() if value is not None}
    own = "arrow" if isinstance(function, ReadyMade) else "numpy"
    _check_columns(
        str(given.get("rows", function.rows if isinstance(function, BlackBox) else own)),
        columns,
        known,
        ranges,
    )
    if isinstance(function, ReadyMade):
        function = function.declared(column_facts(table, columns, ranges, keys))
    if isinstance(function, BlackBox):
        box = replace(function, **given) if given else function
    else:
        box = BlackBox(function, name=str(getattr(function, "__name__", "function")), **given)
    return AppliedFunction(
        table, box, tuple(columns), {name: ranges[name] for name in columns if name in ranges}
    )


def _ends_of_keys(table: Asked, keys: Mapping[str, KeySet | Iterable[Any]]) -> dict[str, Bounds]:
    """The bounds of columns of numbers whose public values are stated."""
    stated = {**{names[0]: found for names, found in table.keys.items() if len(names) == 1}, **keys}
    found = {}
    for name, values in stated.items():
        if name not in table.columns or not table.columns[name].is_number:
            continue
        fitted = KeySet.of(values).fitted((table.columns[name],))
        numbers = [Fraction(str(row[0])) for row in fitted.values if row[0] is not None]
        if len(numbers) > 1:
            found[name] = Bounds(min(numbers), max(numbers), fitted.origin, fitted.why)
    return found


def _all_columns(table: Asked, ranges: Mapping[str, Bounds]) -> list[str]:
    """Every column that can be handed over as a number; whose rows they are is not one."""
    person = table.unit.column if isinstance(table.unit, Person) else None
    return [
        name
        for name, kind in table.columns.items()
        if name != person and ((kind.is_number and name in ranges) or kind is ColumnKind.BOOLEAN)
    ]


def _check_columns(
    rows: str, columns: Sequence[str], known: Mapping[str, ColumnKind], ranges: Mapping[str, Bounds]
) -> None:
    faults = [f"column {name!r} is named twice." for name in columns if list(columns).count(name) > 1]
    faults += [
        f"column {name!r} holds numbers and has no public bounds: one outlier would be heard through the noise."
        for name in columns
        if known[name].is_number and name not in ranges
    ]
    faults += [
        f"column {name!r} holds {known[name].value}, which is no number."
        for name in columns
        if rows == "numpy" and not (known[name].is_number or known[name] is ColumnKind.BOOLEAN)
    ]
    faults += [
        f"column {name!r} has a type that cannot be handed over."
        for name in columns
        if known[name] is ColumnKind.OTHER
    ]
    if faults:
        raise BadFunction(
            " ".join(dict.fromkeys(faults)),
            'State bounds={"cost": (0, 5000)}, as an option --bounds cost=0:5000, from other knowledge than the data; '
            'for texts write rows="pandas".',
            faults=list(dict.fromkeys(faults)),
        )
    private = [f"the bounds of {name!r}" for name in columns if name in ranges and not ranges[name].is_public]
    if private:
        raise NotPublic(
            f"{' and '.join(private)} were read off the data: an output would give them away.",
            'State them from other knowledge, or take responsibility: .confirmed("why they may be public").',
            facts=private,
        )


def _faults(box: BlackBox) -> list[str]:
    found = []
    if not box.name or not box.name.isprintable():
        found.append("the function needs a name.")
    if box.rows not in ROWS_AS:
        found.append(f"rows are given as one of {', '.join(ROWS_AS)}; not {box.rows!r}.")
    if box.form not in FORMS:
        found.append(f"the form of an output is one of {', '.join(map(repr, FORMS))}; not {box.form!r}.")
    elif box.form in ("signs", "matched", "rotated") and box.reference is None:
        found.append(f"the form {box.form!r} compares with a public reference: give one.")
    if box.shape is not None and not all(size > 0 for size in box.shape):
        found.append("a shape is made of whole numbers above 0; that of a single number is ().")
    if box.least_people < 1:
        found.append("least_people is a whole number, 1 or more.")
    return found
