"""What is declared about a data set: where its rows are, whose they are, what its columns are, and who may use what.

The models say what may stand in `privet.yaml`, and their JSON schema is what editors complete it by. A bare file has the
same declaration with almost nothing in it: whatever a verb needs and nobody has said is refused there, not guessed.
"""

from __future__ import annotations

import datetime
from decimal import Decimal, InvalidOperation
from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from privet.guarantee import ApproxDP, Change, Person, PureDP, Row, ZeroConcentratedDP

# A `table` was anonymized under a promise; `records` are rows with other values in some columns, and promise nothing.
Output = Literal["audit", "answer", "hierarchy", "model", "records", "report", "table", "twin"]
RoleName = Literal["direct", "quasi", "sensitive", "insensitive", "free text"]
Positive = Annotated[Decimal, Field(gt=0)]
UNKNOWN = "unknown"  # nobody has said what the column is: it is withheld from rows that leave
PUBLISHED: tuple[RoleName, ...] = ("quasi", "sensitive", "insensitive")


def _bound(said: object) -> Decimal | datetime.date:
    """An end of a range: a number, or a day."""
    if isinstance(said, datetime.date) and not isinstance(said, datetime.datetime):
        return said
    if isinstance(said, str):
        try:
            return datetime.date.fromisoformat(said)
        except ValueError:
            pass
    if isinstance(said, str | int | float | Decimal) and not isinstance(said, bool):
        try:
            number = Decimal(str(said))
        except InvalidOperation:
            number = Decimal("NaN")
        if number.is_finite():
            return number
    raise ValueError("a bound is a finite number, or a day such as 1900-01-01")


End = Annotated[
    Decimal | datetime.date,
    PlainValidator(_bound, json_schema_input_type=float | datetime.date),
    PlainSerializer(str, when_used="json"),
]


class Part(BaseModel):
    """A part of a declaration: nothing unknown, nothing changed afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Budget(Part):
    """How much privacy loss is allowed: epsilon, with or without delta; or rho."""

    epsilon: Positive | None = None
    delta: Annotated[Decimal, Field(ge=0, lt=1)] = Decimal(0)
    rho: Positive | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.epsilon is None) == (self.rho is None) or (self.rho is not None and self.delta):
            raise ValueError("a budget is epsilon, epsilon with delta, or rho")
        return self

    def promise(self) -> PureDP | ApproxDP | ZeroConcentratedDP:
        """The budget as a promise."""
        if self.rho is not None:
            return ZeroConcentratedDP(self.rho)
        assert self.epsilon is not None
        return ApproxDP(self.epsilon, self.delta) if self.delta else PureDP(self.epsilon)

    def exceeds(self, whole: Budget) -> bool:
        """Whether it is larger than the budget that it is a part of."""
        if (self.rho is None) != (whole.rho is None):
            return True
        if self.rho is not None and whole.rho is not None:
            return self.rho > whole.rho
        assert self.epsilon is not None
        assert whole.epsilon is not None
        return self.epsilon > whole.epsilon or self.delta > whole.delta


class Unit(Part):
    """Whose presence is hidden: the person that a column identifies, or each row (column: row).

    With change: replace, what somebody's rows say is hidden, and not that they are there: the unit of reports.
    """

    column: str
    max_rows: Annotated[int, Field(gt=0)] | None = None
    max_groups: Annotated[int, Field(gt=0)] | None = None
    change: Literal["add-or-remove", "replace"] = "add-or-remove"

    def value(self) -> Person | Row:
        """The unit itself."""
        change = Change(self.change)
        if self.column == "row":
            return Row(change)
        return Person(self.column, self.max_rows, self.max_groups, change)

    @model_serializer(mode="wrap")
    def _stated(self, handler: SerializerFunctionWrapHandler) -> dict[str, object]:
        """What is usual is not written, so that digests of older declarations stay as they were."""
        found: dict[str, object] = handler(self)
        return {name: value for name, value in found.items() if (name, value) != ("change", "add-or-remove")}


class Source(Part):
    """Where the rows are, whose they are, and the one ledger that every release passes."""

    source: str
    name: str | None = None
    delimiter: str | None = None
    unit: Unit
    ledger: str
    budget: Budget
    nats: Positive | None = None  # of mutual information, for PAC releases: an account beside the budget


class DeclaredColumn(Part):
    """What a column can do to a person, what it is about, and what is publicly known of its values.

    `role` is what somebody has said; `proposed` is what an audit found, and why. A column whose role is unknown is
    withheld from rows that leave.
    """

    role: RoleName | Literal["unknown"] = "unknown"
    proposed: RoleName | None = None
    because: str | None = None
    category: str | None = None
    special: bool = False  # a special category: health, belief, origin (GDPR Art. 9)
    bounds: tuple[End, End] | None = None
    values: list[str | int | bool] | None = None

    @field_validator("bounds")
    @classmethod
    def _ordered(cls, bounds: tuple[End, End] | None) -> tuple[End, End] | None:
        if bounds is None:
            return None
        lower, upper = bounds
        if type(lower) is not type(upper):
            raise ValueError("both bounds are numbers, or both are days")
        if not lower < upper:  # type: ignore[operator]  # of one type now
            raise ValueError("the lower bound comes first and is smaller")
        return bounds


class LinkedSource(Part):
    """Another table of the same persons, such as their stays: where it is, which column names the person, what its columns are.

    Its columns are called `stays.ward` in purposes. Of one person at most `max_rows` rows count.
    """

    source: str
    delimiter: str | None = None
    person: str
    max_rows: Annotated[int, Field(gt=0)]
    columns: dict[str, DeclaredColumn]


class Purpose(Part):
    """What somebody may do with which columns, on which legal basis, for whom, and until when."""

    use: str
    basis: str
    special_basis: str | None = (
        None  # the point of GDPR Art. 9(2), needed where a column is of a special category
    )
    columns: list[str]
    outputs: list[Output]
    recipients: list[str]
    budget: Budget | None = None
    expires: datetime.date
    review: datetime.date | None = None


class KeptVault(Part):
    """A vault of pseudonyms: how long it is kept. It ends with its purpose, or on a day of its own if that is sooner."""

    purpose: str | None = None
    expires: datetime.date | None = None


class Declaration(Part):
    """Everything that is said about a data set."""

    dataset: Source
    columns: dict[str, DeclaredColumn]
    purposes: dict[str, Purpose]
    tables: dict[str, LinkedSource] = Field(default_factory=dict)  # other tables of the same persons
    vaults: dict[str, KeptVault] = Field(default_factory=dict)  # by their place, as seen from the declaration

    @property
    def every_column(self) -> dict[str, DeclaredColumn]:
        """The columns of all tables, those of another table as `stays.ward`."""
        beside = {
            f"{name}.{column}": said
            for name, one in self.tables.items()
            for column, said in one.columns.items()
        }
        return {**self.columns, **beside}

    def vault_ends(self, place: str) -> datetime.date | None:
        """The last day of a vault; None where nothing says it."""
        kept = self.vaults[place]
        purpose = self.purposes.get(kept.purpose or "")
        days = [day for day in (kept.expires, purpose.expires if purpose else None) if day is not None]
        return min(days, default=None)

    def published(self, names: list[str]) -> list[str]:
        """Those of the columns whose role somebody has said and that may stand in rows that leave."""
        return [name for name in names if name in self.columns and self.columns[name].role in PUBLISHED]
