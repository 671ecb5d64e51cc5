"""Whose presence is hidden: the privacy unit and the neighbouring relation.

A guarantee speaks of two data sets that differ in one unit. `Row()` hides one row; `Person(column, …)`
hides everything one person contributed. The *change* says how the two data sets differ: one unit added
or removed (the default, and what most theorems assume), or one unit's data replaced by other data.
Sensitivities, sampling theorems and ledgers all depend on both, so they travel together.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from privet.errors import BadUnit, UnknownRecord
from privet.guarantee.exact_amounts import whole


class Change(enum.Enum):
    """How two neighbouring data sets differ."""

    ADD_OR_REMOVE = "add-or-remove"
    REPLACE = "replace"


# Words of a column's name that call its values people, and those that only say that they are numbered.
_PEOPLE = frozenset(
    [
        "person",
        "people",
        "persona",
        "personne",
        "patient",
        "patiënt",
        "patientin",
        "paciente",
        "paziente",
        "subject",
        "subj",
        "participant",
        "proband",
        "respondent",
        "individual",
        "client",
        "cliente",
        "customer",
        "cust",
        "kunde",
        "kundin",
        "user",
        "usuario",
        "utente",
        "member",
        "mitglied",
        "employee",
        "empl",
        "mitarbeiter",
        "staff",
        "worker",
        "student",
        "schüler",
        "pupil",
        "eleve",
        "child",
        "baby",
        "mother",
        "donor",
        "twin",
        "citizen",
        "resident",
        "traveller",
        "traveler",
        "passenger",
        "rider",
        "driver",
        "voter",
        "visitor",
        "guest",
        "applicant",
        "case",
        "pid",
        "pat",
        "pt",
        "mrn",
        "ssn",
        "nhs",
        "uid",
        "userid",
        "patientid",
        "personid",
        "subjectid",
        "患者",
        "病人",
        "人员",
        "客户",
        "用户",
        "会員",
        "個人",
        "مريض",
        "пациент",
        "клиент",
    ]
)
_GROUPS = frozenset(
    [
        "household",
        "family",
        "haushalt",
        "familie",
        "foyer",
        "ménage",
        "famille",
        "hogar",
        "familia",
        "home",
        "house",
        "pair",
        "couple",
        "centre",
        "center",
        "clinic",
        "hospital",
        "site",
        "ward",
        "school",
        "class",
        "team",
        "firm",
        "company",
        "account",
        "session",
        "device",
        "vehicle",
        "order",
        "visit",
        "stay",
        "episode",
    ]
)
_NUMBERED = frozenset(
    [
        "id",
        "ids",
        "nr",
        "no",
        "num",
        "number",
        "nummer",
        "numero",
        "numéro",
        "code",
        "key",
        "kennung",
        "ident",
        "identifier",
        "uuid",
        "ref",
    ]
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")


def _says_person(column: str) -> bool:
    """Whether a column's name calls its values people, or says nothing but that they are numbered.

    Of columns named together the last numbers the unit; where the name says something else, that is the unit's name.
    """
    words = [word.casefold() for word in _WORD.findall(column.rpartition(",")[2])]
    singular = {word.removesuffix("s") for word in words} | set(words)
    rest = singular - _NUMBERED
    return bool(words) and (not rest or (not _GROUPS & singular and bool(_PEOPLE & singular)))


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value != ""


@dataclass(frozen=True, slots=True)
class Person:
    """Hides one person: all rows that carry the same value in `column`.

    Sentences name the unit as its column does: `Person("household")` promises about a given household, not a person.

    Where people are numbered anew in each centre, the columns are named together: `Person("centre,patient")`.

    `max_rows` caps the rows a person may contribute, `max_groups` the groups of a group-by. Either may be
    left out until a release needs it; with both, a person adds at most `max_rows // max_groups` rows to
    each of at most `max_groups` groups.
    """

    column: str
    max_rows: int | None = None
    max_groups: int | None = None
    change: Change = Change.ADD_OR_REMOVE

    def __post_init__(self) -> None:
        if not _is_name(self.column):
            raise BadUnit(
                "a person unit needs the column that identifies a person.", 'Write Person("patient_id").'
            )
        for name in ("max_rows", "max_groups"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, whole(getattr(self, name), name))
        if self.max_rows and self.max_groups and self.max_groups > self.max_rows:
            raise BadUnit(
                f"max_groups={self.max_groups} is more than max_rows={self.max_rows}: a group needs a row.",
                "Raise max_rows or lower max_groups.",
            )

    def sentence(self) -> str:
        """Who is protected, in plain words."""
        cap = f", of at most {self.max_rows} rows" if self.max_rows else ""
        if not _says_person(self.column):
            return f"everything one {self.column!r} contributes (all rows with the same value{cap})"
        return f"everything one person contributes (identified by {self.column!r}{cap})"


@dataclass(frozen=True, slots=True)
class Row:
    """Hides one row. A person with several rows is protected less: use `Person` for those."""

    change: Change = Change.ADD_OR_REMOVE

    def sentence(self) -> str:
        """Who is protected, in plain words."""
        return "one row (a person with several rows is protected less)"


Unit: TypeAlias = Person | Row


def given(unit: Unit | None) -> str:
    """Whose presence a promise speaks of, inside a sentence."""
    if unit is None:
        return "a given person or row"
    return f"a given {noun(unit)}"


def odds(unit: Unit | None) -> str:
    """What an attacker's odds are about, inside a sentence: that a unit is there, or only what its rows say."""
    whose = given(unit)
    if unit is not None and unit.change is Change.REPLACE:
        return f"odds between any two contents of {whose}"
    return f"odds that {whose} is in the data"


def secret(unit: Unit | None) -> str:
    """What an attacker would learn, inside a sentence."""
    whose = given(unit)
    if unit is not None and unit.change is Change.REPLACE:
        return f"what {whose} says"
    return f"whether {whose} is in the data"


def noun(unit: Unit) -> str:
    """What a sentence calls one unit: a person only where its column says so, else by the column's own name."""
    if isinstance(unit, Person):
        return "person" if _says_person(unit.column) else repr(unit.column)
    if isinstance(unit, Row):
        return "row"
    raise BadUnit(
        "this is not a privacy unit.", 'Write Person("patient_id"), or Row() if each row is a person.'
    )


def unit_to_json(unit: Unit) -> dict[str, Any]:
    """A stable record of a unit, for receipts and ledgers."""
    if isinstance(unit, Row):
        return {"unit": "row", "change": unit.change.value}
    record: dict[str, Any] = {"unit": "person", "column": unit.column, "change": unit.change.value}
    if unit.max_rows is not None:
        record["max_rows"] = unit.max_rows
    if unit.max_groups is not None:
        record["max_groups"] = unit.max_groups
    return record


def unit_in(record: Mapping[str, Any] | None) -> Unit | None:
    """The unit a record describes, or None where it describes none."""
    return unit_from_json(dict(record)) if record else None


def unit_from_json(record: dict[str, Any]) -> Unit:
    """The unit a record describes; refuses kinds and fields it does not know."""
    fields = dict(record)
    kind = fields.pop("unit", None)
    try:
        change = Change(fields.pop("change", Change.ADD_OR_REMOVE.value))
        if kind == "row" and not fields:
            return Row(change)
        if kind == "person":
            return Person(change=change, **fields)
    except (TypeError, ValueError):
        pass
    raise UnknownRecord(
        "this record is not a privacy unit of a known kind.", "Was it written by a newer version?"
    )
