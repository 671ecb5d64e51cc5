"""What is wrong with a declaration, all of it at once, each fault with its place in the file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from privet.artifact import is_plain
from privet.dataset._declaration import Declaration
from privet.dataset._yaml_positions import Placed
from privet.engine import did_you_mean, key_parts
from privet.errors import BadPolicy, PolicyGap

Declared = TypeVar("Declared", bound=Declaration)
SAY_IT = "Nothing was read, written or spent. Say in the policy what is meant."


def declaration_in(found: Placed, model: type[Declared]) -> Declared:
    """What a file declares about a data set; what else stands in it is for others to read."""
    if not isinstance(found.content, dict):
        raise BadPolicy(f"{found.name} declares no data set.", "`privet init DATA` writes one.")
    parts = {name: value for name, value in found.content.items() if name in model.model_fields}
    try:
        declaration = model.model_validate(parts)
    except ValidationError as problem:
        raise faults_of(problem, found, model).error() from None
    raise_all(cross_faults(declaration, found))
    return declaration


def cross_faults(declaration: Declaration, found: Placed) -> list[str]:
    """Names that one part of a declaration uses and no other declares."""
    faults = [
        f"{found.place(('purposes', name, 'columns', at))} purposes.{name}.columns: column {column!r} is not "
        f"declared. {did_you_mean(column, declaration.every_column)}"
        for name, purpose in declaration.purposes.items()
        for at, column in enumerate(purpose.columns)
        if column not in declaration.every_column
    ]
    faults += _linked_faults(declaration, found)
    faults += [
        f"{found.place(('vaults', name, 'purpose'))} vaults.{name}.purpose: there is no such purpose. "
        f"{did_you_mean(kept.purpose, declaration.purposes)}"
        for name, kept in declaration.vaults.items()
        if kept.purpose is not None and kept.purpose not in declaration.purposes
    ]
    faults += [
        f"{found.place(('vaults', name), key=True)} vaults: a vault lies in the policy's folder or in one below, by a plain "
        "name."
        for name in declaration.vaults
        if not is_plain(name, folders=True)
    ]
    unit = declaration.dataset.unit.column
    unsaid = (
        []
        if unit == "row"
        else [name for name in key_parts(unit, declaration.columns) if name not in declaration.columns]
    )
    faults += [
        f"{found.place(('dataset', 'unit', 'column'))} dataset.unit.column: column {name!r} is not declared. "
        f"{did_you_mean(name, declaration.columns)}"
        for name in unsaid
    ]
    return faults


def _linked_faults(declaration: Declaration, found: Placed) -> list[str]:
    """What does not fit of other tables: their names, and whose their rows are."""
    faults = [
        f"{found.place(('tables', name), key=True)} tables.{name}: a table's name is no column's, and has no point in it."
        for name in declaration.tables
        if not is_plain(name) or "." in name or name in declaration.columns
    ]
    faults += [
        f"{found.place(('tables', name, 'person'))} tables.{name}.person: column {one.person!r} is not declared there. "
        f"{did_you_mean(one.person, one.columns)}"
        for name, one in declaration.tables.items()
        if one.person not in one.columns
    ]
    if declaration.tables and declaration.dataset.unit.column == "row":
        faults.append(
            f"{found.place(('tables',), key=True)} tables: other tables are of the same persons, and the unit is each row."
        )
    return faults


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
    problem: ValidationError,
    found: Placed,
    model: type[BaseModel],
    under: tuple[str | int, ...] = (),
    known: Iterable[str] = (),
) -> Faults:
    """Everything that validation against a model found; the values themselves are not repeated.

    `known` are names that may stand there beside the model's own.
    """
    faults = Faults([], [])
    wrong: dict[tuple[str | int, ...], list[str]] = {}
    for error in problem.errors(include_url=False, include_context=False):
        where = (*under, *error["loc"])
        if error["type"] == "extra_forbidden":
            said = f"not known here. {did_you_mean(str(where[-1]), [*_known(where[:-1], model), *known])}"
            faults.bad.append(f"{found.place(where, key=True)} {'.'.join(map(str, where))}: {said}")
        elif error["type"] == "missing" or error["input"] is None:
            empty = error["input"] is None or error["msg"] == "Field required"
            said = "required field missing" if empty else _plain(error["msg"])
            faults.gaps.append(f"{found.place(where)} {'.'.join(map(str, where))}: {said}.")
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


def _known(where: tuple[str | int, ...], root: type[BaseModel]) -> list[str]:
    """The names that may stand in a part of the file."""
    model: Any = root
    for part in where:
        fields = getattr(model, "model_fields", None)
        if fields is None or part not in fields:
            continue
        model = _inner(fields[str(part)].annotation)
    return list(getattr(model, "model_fields", root.model_fields))


def _inner(annotation: Any) -> Any:
    """The model inside an optional, a list or a mapping."""
    arguments = [one for one in getattr(annotation, "__args__", ()) if one is not type(None)]
    return _inner(arguments[-1]) if arguments else annotation


def _plain(message: str) -> str:
    """A sentence of the validator in our form."""
    text = message.removeprefix("Value error, ").removeprefix("Input ")
    return text[:1].lower() + text[1:]
