"""Schemas in files: drafted from the data for the owner's eyes, corrected and confirmed by people."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from privet.artifact import as_text, days_since
from privet.errors import BadTraining
from privet.evidence import checked_yaml, given_text, read_json
from privet.protect.train.tabular._public_schema import KINDS, KnownColumn, Schema, stated_by
from privet.source import Origin, Table

FORMAT = "privet-schema/1"
_PARTS = {"format", "confirmed", "records", "columns"}
_CORRECT = "Correct the schema; nothing was read or spent."
_FIELDS = {"kind", "lower", "upper", "values", "scale", "origin", "why"}


def schema_of(given: object, table: Table) -> Schema:
    """A schema, a file of one, columns by name; or what the table itself states, where none is given."""
    if isinstance(given, Schema):
        return given
    if given is None:
        return stated_by(table)
    if isinstance(given, Mapping):
        return schema_from(given if "columns" in given else {"columns": given}, "the schema")
    return read_schema(given)


def read_schema(path: object) -> Schema:
    """The schema in a file (.yaml, .yml or .json)."""
    if not isinstance(path, str | os.PathLike):
        raise BadTraining(
            f"a {type(path).__name__} is not a schema.", "Give a Schema, a file or columns by name."
        )
    file = Path(path)
    try:
        text = given_text(file)
    except (OSError, UnicodeDecodeError):
        raise BadTraining(f"the schema {file.name} cannot be read.", "Check its name.") from None
    return schema_from(_parsed(file, text), file.name)


def _parsed(file: Path, text: str) -> Any:
    import yaml

    class Plain(yaml.SafeLoader):  # type: ignore[misc]
        """Only true and false are truth values: yes, no, on and off are words, as people mean them in lists of values."""

    Plain.yaml_implicit_resolvers = {
        first: [
            (tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool" or first in "tTfF"
        ]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    try:
        if file.suffix.lower() == ".json":
            return read_json(text, what=file.name)
        checked_yaml(text, what=file.name)
        return yaml.load(text, Plain)  # noqa: S506
    except (ValueError, yaml.YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 1})" if mark is not None else ""
        raise BadTraining(f"{file.name} is neither YAML nor JSON{place}.", "Correct it.") from None


def schema_from(content: object, called: str) -> Schema:
    """The schema that a parsed file describes; all faults are named at once."""
    columns = content.get("columns") if isinstance(content, Mapping) else None
    if not isinstance(content, Mapping) or not isinstance(columns, Mapping) or not columns:
        raise BadTraining(
            f"{called} is not a schema.", "It has a part `columns:` with an entry for each column."
        )
    faults: list[str] = []
    strange = [str(name) for name in content if name not in _PARTS]
    if strange:
        faults.append(f"{called} has unknown parts: {', '.join(sorted(strange))}.")
    if content.get("format", FORMAT) != FORMAT:
        faults.append(f"{called} is of an unknown format.")
    known: dict[str, KnownColumn] = {}
    for name, entry in columns.items():
        try:
            known[str(name)] = entry if isinstance(entry, KnownColumn) else _known(str(name), entry)
        except BadTraining as fault:
            faults.append(fault.fact)
    records = content.get("records")
    if records is not None and (not isinstance(records, int) or isinstance(records, bool)):
        faults.append("records must be a whole number.")
    if faults:
        raise BadTraining(" ".join(faults), _CORRECT)
    found = Schema(known, records)
    why = content.get("confirmed")
    return found.confirmed(str(why)) if why else found


def _known(name: str, entry: object) -> KnownColumn:
    if not isinstance(entry, Mapping) or entry.get("kind") not in KINDS:
        raise BadTraining(f"{name!r} needs a kind: {', '.join(KINDS)}.", _CORRECT)
    strange = set(entry) - _FIELDS
    if strange:
        raise BadTraining(f"{name!r} has unknown facts: {', '.join(sorted(map(str, strange)))}.", _CORRECT)
    try:
        origin = Origin(entry.get("origin", Origin.STATED))
    except ValueError:
        raise BadTraining(
            f"{name!r} has an unknown origin; it is stated or read off the data.", _CORRECT
        ) from None
    kind = entry["kind"]
    values = entry.get("values") or ()
    if not isinstance(values, list | tuple):
        raise BadTraining(f"the values of {name!r} are a list.", _CORRECT)
    texts = [as_text(value) for value in values]
    return KnownColumn(
        kind,
        _end(name, kind, entry.get("lower")),
        _end(name, kind, entry.get("upper")),
        tuple(text for text in texts if text is not None),
        entry.get("scale", "linear"),
        origin,
        str(entry.get("why", "")),
    )


def _end(name: str, kind: str, value: object) -> float | None:
    if value is None:
        return None
    if kind == "date":
        try:
            day = value if isinstance(value, datetime.date) else datetime.date.fromisoformat(str(value))
        except ValueError:
            raise BadTraining(f"the bounds of {name!r} are days, as in 2026-01-31.", _CORRECT) from None
        return days_since(day.date() if isinstance(day, datetime.datetime) else day)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadTraining(f"the bounds of {name!r} are numbers.", _CORRECT)
    return float(value)
