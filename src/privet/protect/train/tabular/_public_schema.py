"""What may be known of a table's columns before it is looked at: kinds, bounds and values, and where that comes from.

A schema decides how rows become numbers, so each line of it must be known without the data. One that was drafted from
the data says so, and no training takes it until somebody answers for it in words: a value that only one person has
would otherwise leave with the model.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from privet.artifact import (
    CategoryColumn,
    Column,
    Features,
    ModelTarget,
    NumberColumn,
    Scale,
    as_text,
    days_since,
)
from privet.engine import did_you_mean
from privet.errors import BadTraining, NotPublic
from privet.source import Origin, Role, Table

Kind = Literal["number", "date", "category", "ignore"]
KINDS = ("number", "date", "category", "ignore")
BINS = 32


@dataclass(frozen=True, slots=True)
class KnownColumn:
    """What is known of one column: bounds for numbers and dates, values for categories."""

    kind: Kind
    lower: float | None = None
    upper: float | None = None
    values: tuple[str, ...] = ()
    scale: Scale = "linear"
    origin: Origin = Origin.STATED
    why: str = ""

    def faults(self, name: str) -> list[str]:
        """What is wrong with it, in sentences."""
        if self.kind in ("number", "date"):
            low, high = self.lower, self.upper
            if low is None or high is None or not (math.isfinite(low) and math.isfinite(high) and low < high):
                return [f"{name!r} needs a lower and an upper bound, the lower below the upper."]
            if self.scale not in ("linear", "log"):
                return [f"{name!r} has an unknown scale; it is linear or log."]
        if self.kind == "category" and not self.values:
            return [f"{name!r} needs the list of its values."]
        if len(set(self.values)) < len(self.values):
            return [f"{name!r} lists a value twice."]
        return []

    def column(self, name: str) -> Column:
        """As a model sees it."""
        if self.kind == "category":
            return CategoryColumn(name, self.values)
        assert self.lower is not None
        assert self.upper is not None
        return NumberColumn(name, self.lower, self.upper, BINS, self.scale, self.kind == "date")


@dataclass(frozen=True)
class Schema:
    """What is known of a table's columns, and (if it is public) about how many units there are.

    Columns that it does not name are not used.
    """

    columns: Mapping[str, KnownColumn]
    records: int | None = None
    confirmed_because: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        faults = [fault for name, known in self.columns.items() for fault in known.faults(name)]
        if self.records is not None and self.records < 1:
            faults.append("records must be a public number of at least 1.")
        if faults:
            raise BadTraining(" ".join(faults), "Correct the schema; nothing was read or spent.")

    @property
    def unconfirmed(self) -> list[str]:
        """The columns whose facts were read off the data and that nobody has answered for."""
        return [
            name
            for name, known in self.columns.items()
            if known.origin is Origin.DATA and known.kind != "ignore"
        ]

    def confirmed(self, why: str) -> Schema:
        """The same schema, made public by a person's decision; the reason is kept with it."""
        if not why.strip():
            raise NotPublic(
                "a confirmation needs a reason.", 'Write confirmed("codes of the admission form").'
            )
        known = {
            name: replace(one, origin=Origin.CONFIRMED, why=why.strip()) if one.origin is Origin.DATA else one
            for name, one in self.columns.items()
        }
        return replace(self, columns=known, confirmed_because=why.strip())

    def require_public(self, names: list[str]) -> None:
        """Refuse facts that were read off the data, for the columns that will be used."""
        open_ = [name for name in self.unconfirmed if name in names]
        if open_:
            raise NotPublic(
                f"what the schema says of {', '.join(open_)} was read off the data, and nobody has answered for it.",
                "Check it, then say why it may be public: a line `confirmed: …` in the file, or schema.confirmed(…).",
            )

    def split(
        self, target: str, unit_column: str | None, present: Mapping[str, Any]
    ) -> tuple[Features, ModelTarget]:
        """The features and the target for a table with these columns; all that is missing is named at once."""
        faults = []
        if target not in self.columns or self.columns[target].kind == "ignore":
            faults.append(
                f"the schema says nothing of the target {target!r}. {did_you_mean(target, self.columns)}"
            )
        used = [
            name
            for name, known in self.columns.items()
            if name not in (target, unit_column) and known.kind != "ignore"
        ]
        faults += [
            f"there is no column {name!r}. {did_you_mean(name, present)}"
            for name in [*used, target]
            if name not in present
        ]
        if not used:
            faults.append("no column is left to learn from.")
        if faults:
            raise BadTraining(
                " ".join(faults), "Correct the target or the schema; `privet schema FILE` drafts one."
            )
        self.require_public([*used, target])
        return Features(tuple(self.columns[name].column(name) for name in used)), _target(
            target, self.columns[target]
        )


def _target(name: str, known: KnownColumn) -> ModelTarget:
    if known.kind == "category":
        if len(known.values) < 2:
            raise BadTraining(f"the target {name!r} needs at least two classes.", "List them in the schema.")
        return ModelTarget(name, known.values)
    if known.kind == "date":
        raise BadTraining(f"the target {name!r} is a date.", "Predict a number or a class.")
    assert known.lower is not None
    assert known.upper is not None
    return ModelTarget(name, (), known.lower, known.upper)


def stated_by(table: Table) -> Schema:
    """What a table says of itself: its bounds, keys and spans; columns that name a person are left out."""
    found: dict[str, KnownColumn] = {}
    for name, kind in table.columns.items():
        if table.roles.get(name) in (Role.DIRECT, Role.FREE_TEXT):
            continue
        if (name,) in table.keys:
            keys = table.keys[name,]
            values = tuple(text for (value,) in keys.values if (text := as_text(value)) is not None)
            found[name] = KnownColumn("category", values=values, origin=keys.origin, why=keys.why)
        elif name in table.bounds:
            bounds = table.bounds[name]
            found[name] = KnownColumn(
                "number", float(bounds.lower), float(bounds.upper), origin=bounds.origin, why=bounds.why
            )
        elif name in table.spans:
            span = table.spans[name]
            found[name] = KnownColumn(
                "date", _days(span.first), _days(span.last), origin=span.origin, why=span.why
            )
        elif kind.value == "boolean":
            found[name] = KnownColumn("category", values=("false", "true"), origin=Origin.SCHEMA)
    return Schema(found)


def _days(moment: datetime.date) -> float:
    day = moment.date() if isinstance(moment, datetime.datetime) else moment
    return days_since(day)
