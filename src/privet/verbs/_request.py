"""A request: what somebody asks of a verb here and now, about which rows, with what said of them, booked where.

A step of a policy gets all this from the declaration. For a bare file it is said with the request; of a declared data set
nothing is said twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import Field

from privet.dataset import Statement
from privet.verbs._verb_options import Flag, Options

if TYPE_CHECKING:
    from privet.guarantee import Promise


class FileAsked(Options):
    """About which rows, of whomever."""

    data: Annotated[
        str,
        Field(
            description="A file (CSV, Parquet, JSON lines, DuckDB, SQLite) or a database URL; a table of it after #."
        ),
        Flag(argument=True, example="patients.csv"),
    ]
    delimiter: Annotated[str | None, Field(description="The CSV's delimiter, if it cannot be guessed.")] = (
        None
    )


class RowsAsked(FileAsked):
    """About which rows, and whose they are."""

    unit: Annotated[
        str | None,
        Field(description="The column that identifies a person (a,b if two do together), or 'row'."),
        Flag(example="patient_id"),
    ] = None


class TablesAsked(RowsAsked):
    """About which tables, and what is publicly known of them."""

    max_rows: Annotated[
        list[str] | None,
        Field(description="Rows that one person may add: 20, or visits=20 for one table."),
        Flag(example="20"),
    ] = None
    max_groups: Annotated[
        list[str] | None,
        Field(description="Groups that one person may be counted in: 3, or visits=3."),
        Flag(example="3"),
    ] = None
    bounds: Annotated[
        list[str] | None,
        Field(description="Public bounds of a column: days=0:60, arrived=2026-01-01:2026-12-31."),
        Flag(example="days=0:60"),
    ] = None
    keys: Annotated[
        list[str] | None,
        Field(description="Public values of a group column: ward=ICU,Surgery."),
        Flag(example="ward=ICU,Surgery"),
    ] = None
    tables: Annotated[
        list[str] | None,
        Field(description="Another private table of the same persons: visits=visits.csv."),
        Flag(names=("--table",), example="visits=visits.csv"),
    ] = None
    public: Annotated[
        list[str] | None,
        Field(description="A public table to join with: wards=wards.csv."),
        Flag(example="wards=wards.csv"),
    ] = None

    def statement(self) -> Statement:
        """What is said of the tables."""
        return Statement(
            self.unit,
            self.max_rows,
            self.max_groups,
            self.bounds,
            self.keys,
            self.tables,
            self.public,
            self.delimiter,
        )


class RolesStated(Options):
    """What the columns of a bare file are."""

    quasi: Annotated[
        list[str] | None, Field(description="Columns an outsider may know: a,b,c."), Flag(commas=True)
    ] = None
    sensitive: Annotated[
        list[str] | None,
        Field(description="Columns an outsider must not learn; published as they are."),
        Flag(commas=True),
    ] = None
    keep: Annotated[
        list[str] | None,
        Field(description="Columns that say nothing about a person; published as they are."),
        Flag(commas=True),
    ] = None
    roles: Annotated[
        str | None, Field(description="A file of roles, as `privet audit` writes it."), Flag(file="in")
    ] = None


class ForPurpose(Options):
    """What it is for."""

    purpose: Annotated[
        str | None, Field(description="What it is for; needed where the data set has purposes.")
    ] = None


class Recording(ForPurpose):
    """Where what is done is recorded, and why."""

    ledger: Annotated[
        str | None,
        Field(description="The ledger that records it [default: the data set's, if it has one]."),
    ] = None
    why: Annotated[str, Field(description="The reason, for the ledger.")] = "asked on the command line"


class LimitedRecording(Recording):
    """Where it is recorded, and the limit of a ledger that is made for it."""

    budget: Annotated[
        str | None,
        Field(description="If there is no ledger yet, open one with this limit: 3, 3,1e-7, rho=2 or nats=1."),
        Flag(example="3"),
    ] = None

    @property
    def limit(self) -> Promise | None:
        """The budget, read."""
        from privet.verbs._limits import read_budget

        return None if self.budget is None else read_budget(self.budget)


class BookingOptions(LimitedRecording):
    """Where what is spent is booked, and to whose account."""

    ledger: Annotated[
        str | None, Field(description="The ledger that books it [default: DATA.ledger for files].")
    ] = None
    analyst: Annotated[str | None, Field(description="Also charge this analyst's budget.")] = None


@dataclass(frozen=True)
class Request:
    """What is asked. `roles` and `unit` are of a bare file; a declared data set says them itself."""

    data: Any
    options: Any
    unit: str | None = None
    delimiter: str | None = None
    max_rows: int | None = None
    tables: Mapping[str, str] = field(default_factory=dict)  # other tables of the same persons
    max_children: Mapping[str, int] = field(default_factory=dict)  # how many rows of each count
    types: Mapping[str, str] | None = None  # of columns of a text file
    roles: Mapping[str, str] = field(default_factory=dict)
    ledger: str | None = None
    limit: Promise | None = None  # of a ledger that is made with this booking
    why: str = "asked"
    purpose: str | None = None
    analyst: str | None = None
    change_one: bool = False  # whether one person's data is hidden, rather than their presence
    again: bool = False

    @classmethod
    def of(cls, options: Any, *parts: Options, **more: Any) -> Self:
        """What the parts of a command say together."""
        known = [one.name for one in fields(cls) if one.name not in ("options", *more)]
        said = {name: getattr(part, name) for part in parts for name in known if hasattr(part, name)}
        return cls(options=options, **said, **more)
