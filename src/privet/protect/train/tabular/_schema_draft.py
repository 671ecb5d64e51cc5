"""A first schema for a table, read off its data: for the owner's eyes, marked so, and refused until confirmed."""

from __future__ import annotations

import datetime
import json
from collections.abc import Collection
from typing import Any

from privet.artifact import as_text, days_since
from privet.engine import ColumnKind, Profile, extent, occurring, profile
from privet.protect.train.tabular._public_schema import KnownColumn, Schema
from privet.protect.train.tabular._schema_file import FORMAT
from privet.source import Origin, Table

MOST_VALUES = 100  # text with more values than this is no category
_FEW = 10  # numbers with so few values are one
_HEAD = """\
# What may be known of each column before the data are looked at. This draft was READ OFF THE DATA: rare values and
# exact ends in it belong to single people. Put in what you know from elsewhere (a form, a rule, a code list), take out
# what you do not, then either set `origin: stated` on each column or say below why all of it may be public.
# Kinds: number (lower, upper, scale: linear or log), date (lower, upper), category (values), ignore.
"""


def drafted(table: Table, *, leave_out: Collection[str] = ()) -> Schema:
    """Kinds, bounds and values as the data have them. Owner only: `Schema.confirmed` makes it usable."""
    profiles = profile(table.relation)
    return Schema(
        {
            name: KnownColumn("ignore", origin=Origin.DATA)
            if name in leave_out
            else _known(table, name, found)
            for name, found in profiles.items()
        }
    )


def _known(table: Table, name: str, found: Profile) -> KnownColumn:
    few = found.exact and 1 < found.distinct <= (_FEW if found.kind.is_number else MOST_VALUES)
    if found.kind is ColumnKind.BOOLEAN:
        return KnownColumn("category", values=("false", "true"), origin=Origin.SCHEMA)
    if few and found.kind in (ColumnKind.TEXT, ColumnKind.INTEGER):
        values = [as_text(value) for (value,) in occurring(table.relation, [name], MOST_VALUES + 1)]
        return KnownColumn("category", values=tuple(value for value in values if value), origin=Origin.DATA)
    if found.kind.is_number:
        ends = extent(table.relation, name)
        if ends is not None and ends[0] < ends[1]:
            return KnownColumn("number", float(ends[0]), float(ends[1]), origin=Origin.DATA)
    if found.kind in (ColumnKind.DATE, ColumnKind.TIMESTAMP) and found.values:
        days = [datetime.date.fromisoformat(text[:10]) for text, _ in found.values]
        last = max(days) + datetime.timedelta(days=1)
        return KnownColumn("date", days_since(min(days)), days_since(last), origin=Origin.DATA)
    return KnownColumn("ignore", origin=Origin.DATA)


def schema_record(schema: Schema) -> dict[str, Any]:
    """The schema as plain values."""
    record: dict[str, Any] = {"format": FORMAT, "confirmed": schema.confirmed_because}
    if schema.records is not None:
        record["records"] = schema.records
    record["columns"] = {name: _entry(known) for name, known in schema.columns.items()}
    return record


def schema_text(name: str, schema: Schema) -> str:
    """What to write into a file of that name: YAML or JSON."""
    record = schema_record(schema)
    if name.lower().endswith(".json"):
        return json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    import yaml

    body = yaml.safe_dump(record, sort_keys=False, allow_unicode=True, default_flow_style=None, width=100)
    return _HEAD + str(body)


def _entry(known: KnownColumn) -> dict[str, Any]:
    entry: dict[str, Any] = {"kind": known.kind}
    if known.kind == "category":
        entry["values"] = list(known.values)
    elif known.kind != "ignore":
        assert known.lower is not None
        assert known.upper is not None
        ends = known.lower, known.upper
        entry["lower"], entry["upper"] = map(_day, ends) if known.kind == "date" else map(_plain, ends)
        if known.kind == "number":
            entry["scale"] = known.scale
    entry["origin"] = known.origin.value
    if known.why:
        entry["why"] = known.why
    return entry


def _day(days: float) -> str:
    return (datetime.date(1970, 1, 1) + datetime.timedelta(days=round(days))).isoformat()


def _plain(value: float) -> int | float:
    return int(value) if value.is_integer() else value
