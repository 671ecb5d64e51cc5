"""`privet.yaml`: what is there, who may use what for which purpose, and what is to be done.

The models say what may stand in the file, and their JSON schema is what editors complete it by. Faults are all
reported at once, each with its place.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    ValidationError,
    field_validator,
)

from privet.engine.naming import did_you_mean
from privet.errors import BadPolicy, PolicyGap
from privet.guarantee.promises import ApproxDP, PureDP
from privet.guarantee.units import Person, Row
from privet.pipeline.places import Placed, read_placed

VERSION = 1
NAME = "privet.yaml"
SAY_IT = "Nothing was read, written or spent. Say in the policy what is meant."

Output = Literal["audit", "answer", "hierarchy", "model", "report", "table"]
RoleName = Literal["direct", "quasi", "sensitive", "insensitive", "free text"]
Positive = Annotated[Decimal, Field(gt=0)]


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


class _Part(BaseModel):
    """A part of the policy: nothing unknown, nothing changed afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Budget(_Part):
    """How much privacy loss is allowed."""

    epsilon: Positive
    delta: Annotated[Decimal, Field(ge=0, lt=1)] = Decimal(0)

    def promise(self) -> PureDP | ApproxDP:
        """The budget as a promise."""
        return ApproxDP(self.epsilon, self.delta) if self.delta else PureDP(self.epsilon)


class Unit(_Part):
    """Whose presence is hidden: the person that a column identifies, or each row (column: row)."""

    column: str
    max_rows: Annotated[int, Field(gt=0)] | None = None
    max_groups: Annotated[int, Field(gt=0)] | None = None

    def value(self) -> Person | Row:
        """The unit itself."""
        return Row() if self.column == "row" else Person(self.column, self.max_rows, self.max_groups)


class Dataset(_Part):
    """Where the rows are, whose they are, and the ledger that every release passes."""

    source: str
    name: str | None = None
    delimiter: str | None = None
    unit: Unit
    ledger: str
    budget: Budget


class Column(_Part):
    """What a column can do to a person, what it is about, and what is publicly known of its values."""

    role: RoleName
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


class Purpose(_Part):
    """What somebody may do with which columns, on which legal basis, for whom, and until when."""

    use: str
    basis: str
    columns: list[str]
    outputs: list[Output]
    recipients: list[str]
    budget: Budget | None = None
    expires: datetime.date
    review: datetime.date | None = None


class KeptVault(_Part):
    """A vault of pseudonyms: how long it is kept. It ends with its purpose, or on a day of its own if that is sooner."""

    purpose: str | None = None
    expires: datetime.date | None = None


class Step(_Part):
    """One thing to be done. What else it takes depends on what is done; see the kinds of steps."""

    model_config = ConfigDict(extra="allow", frozen=True)

    do: str
    purpose: str | None = None
    name: str | None = None
    to: str | None = None
    recipient: str = "internal"


class Policy(_Part):
    """The whole file."""

    version: Literal[1]
    dataset: Dataset
    columns: dict[str, Column]
    purposes: dict[str, Purpose]
    steps: list[Step] = []
    limits: dict[str, Annotated[float, Field(ge=0)]] = {}
    vaults: dict[str, KeptVault] = {}  # by their place, as seen from the policy

    def vault_ends(self, place: str) -> datetime.date | None:
        """The last day of a vault; None where nothing says it."""
        kept = self.vaults[place]
        purpose = self.purposes.get(kept.purpose or "")
        days = [day for day in (kept.expires, purpose.expires if purpose else None) if day is not None]
        return min(days, default=None)


def read_policy(path: str | Path) -> tuple[Policy, Placed]:
    """Read and check a policy; every fault is named with its place, and near words are proposed."""
    found = read_placed(Path(path))
    return check_policy(found), found


def check_policy(found: Placed) -> Policy:
    """The policy that a file holds."""
    if not isinstance(found.content, dict):
        raise BadPolicy(f"{found.name} holds no policy.", "`privet init DATA` writes one.")
    try:
        policy = Policy.model_validate(found.content)
    except ValidationError as problem:
        raise faults_of(problem, found).error() from None
    faults = [
        f"{found.place(('steps', at, 'purpose'))} steps.{at}.purpose: there is no such purpose. "
        f"{did_you_mean(step.purpose, policy.purposes)}"
        for at, step in enumerate(policy.steps)
        if step.purpose is not None and step.purpose not in policy.purposes
    ]
    faults += [
        f"{found.place(('purposes', name, 'columns', at))} purposes.{name}.columns: column {column!r} is not "
        f"declared. {did_you_mean(column, policy.columns)}"
        for name, purpose in policy.purposes.items()
        for at, column in enumerate(purpose.columns)
        if column not in policy.columns
    ]
    faults += [
        f"{found.place(('vaults', name, 'purpose'))} vaults.{name}.purpose: there is no such purpose. "
        f"{did_you_mean(kept.purpose, policy.purposes)}"
        for name, kept in policy.vaults.items()
        if kept.purpose is not None and kept.purpose not in policy.purposes
    ]
    unit = policy.dataset.unit.column
    if unit != "row" and unit not in policy.columns:
        faults.append(
            f"{found.place(('dataset', 'unit', 'column'))} dataset.unit.column: column {unit!r} is not declared. "
            f"{did_you_mean(unit, policy.columns)}"
        )
    raise_all(faults)
    return policy


def raise_all(faults: list[str]) -> None:
    """Raise one error with all faults, if there are any."""
    if faults:
        raise BadPolicy("\n".join(faults), "Correct these places; nothing was read or spent.", faults=faults)


@dataclass(frozen=True)
class Faults:
    """What validation found, with places: what is malformed, and what is not said."""

    bad: list[str]
    gaps: list[str]

    def error(self) -> BadPolicy | PolicyGap:
        """One error with all of it: a gap only if there is nothing worse."""
        if self.bad:
            everything = [*self.bad, *self.gaps]
            return BadPolicy(
                "\n".join(everything), "Correct these places; nothing was read or spent.", faults=everything
            )
        return PolicyGap("\n".join(self.gaps), SAY_IT, faults=self.gaps)


def faults_of(
    problem: ValidationError, found: Placed, under: tuple[str | int, ...] = (), known: Iterable[str] = ()
) -> Faults:
    """Everything that validation found; the values themselves are not repeated. `known` are names beside the file's own."""
    faults = Faults([], [])
    wrong: dict[tuple[str | int, ...], list[str]] = {}
    for error in problem.errors(include_url=False, include_context=False):
        where = (*under, *error["loc"])
        if error["type"] == "extra_forbidden":
            said = f"not known here. {did_you_mean(str(where[-1]), [*_known(where[:-1]), *known])}"
            faults.bad.append(f"{found.place(where, key=True)} {'.'.join(map(str, where))}: {said}")
        elif error["type"] == "missing" or error["input"] is None:
            faults.gaps.append(f"{found.place(where)} {'.'.join(map(str, where))}: this is not said.")
        else:
            wrong.setdefault(_in_file(where, found), []).append(_plain(error["msg"]))
    faults.bad.extend(
        f"{found.place(where)} {'.'.join(map(str, where))}: {', or '.join(dict.fromkeys(said))}."
        for where, said in wrong.items()
    )
    faults.bad.sort(key=lambda fault: [int(part) for part in fault.split(" ")[0].rsplit(":", 2)[1:]])
    return faults


def _in_file(where: tuple[str | int, ...], found: Placed) -> tuple[str | int, ...]:
    """The place as far as it is in the file: the validator also names which of several forms it tried there."""
    while where and where not in found.values:
        where = where[:-1]
    return where


def _known(where: tuple[str | int, ...]) -> list[str]:
    """The names that may stand in a part of the file."""
    model: Any = Policy
    for part in where:
        fields = getattr(model, "model_fields", None)
        if fields is None or part not in fields:
            continue
        model = _inner(fields[str(part)].annotation)
    return list(getattr(model, "model_fields", Policy.model_fields))


def _inner(annotation: Any) -> Any:
    """The model inside an optional, a list or a mapping."""
    arguments = [one for one in getattr(annotation, "__args__", ()) if one is not type(None)]
    return _inner(arguments[-1]) if arguments else annotation


def _plain(message: str) -> str:
    """A sentence of the validator in our form."""
    text = message.removeprefix("Value error, ").removeprefix("Input ")
    return text[:1].lower() + text[1:]
