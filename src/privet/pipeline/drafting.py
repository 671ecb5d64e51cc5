"""A first policy for a table: roles as an audit finds them, everything that only people can say left open.

What is read off the data here are roles and names of columns, for the owner. No bound, value or count of the data
goes into the draft: what a release rests on has to be known without it.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from privet.pipeline.checking import OPEN
from privet.pipeline.policy_schema import NAME as SCHEMA_NAME

if TYPE_CHECKING:
    from privet.audit import Audit
    from privet.audit.classification import ColumnFinding

MAX_ROWS, MAX_GROUPS, YEARS = 20, 5, 1
_PUBLISHED = ("quasi", "sensitive", "insensitive")
_MOST_GROUPS, _MOST_PROVEN = 50, 5
_PER_GROUP = 300  # people: groups of fewer would hardly be shown, since nobody has stated which there are
TRIAL = "none claimed: a trial by the controller's own staff, of which nothing leaves"


@dataclass(frozen=True)
class Said:
    """What a person has said of the purpose; what they have not said stays open, and is a gap."""

    use: str = OPEN
    basis: str = OPEN
    recipients: tuple[str, ...] = (OPEN,)
    unit: str | None = None

    @classmethod
    def trial(cls) -> Said:
        """What lets a policy run at once: internal use only, on nobody's claim."""
        return cls("a first look at what can be done safely", TRIAL, ("internal",))


def audited(data: str, delimiter: str | None = None, progress: Callable[[str], None] | None = None) -> Audit:
    """What an audit finds, for the draft."""
    from privet.audit import audit
    from privet.source import open_table

    return audit(open_table(data, delimiter=delimiter), progress=progress)


def draft(found: Audit, data: str, said: Said, *, today: datetime.date, delimiter: str | None = None) -> str:
    """The policy file, as text."""
    unit = said.unit or found.unit.column or "row"
    name = table_name(data)
    lines = [
        f"# yaml-language-server: $schema=./{SCHEMA_NAME}",
        "# What is there, who may use what for which purpose, and what is to be done.",
        "# Drafted from an audit: roles are guesses, to be confirmed by somebody who knows the data.",
        "version: 1",
        "dataset:",
        f"  source: {_word(data)}",
        f"  name: {_word(name)}",
        *([f"  delimiter: {_word(delimiter)}"] if delimiter else []),
        f"  # Whose presence is hidden. {_why(found, said)} Confirm it.",
        "  unit: " + ("{column: row}" if unit == "row" else _person(unit)),
        f"  ledger: {_word(_ledger(data))}",
        "  budget: {epsilon: 3, delta: 1e-6}",
        "columns:",
        "  # Public bounds ([low, high]) and values are for people to add: never read them off the data.",
        *(f"  {_word(column)}: {_column(finding)}" for column, finding in found.columns.items()),
        *_purpose(found, said, today, unit),
        "steps:",
        *_steps(found, name, unit),
        "limits:",
        *(_limits(found, unit) or ["  {}"]),
    ]
    return "\n".join(lines) + "\n"


def _ledger(data: str) -> str:
    """The ledger that `privet query` and `privet train` would book in too: another one would be another budget."""
    from privet.engine.opening import split_file

    return f"{table_name(data)}.ledger" if "://" in data else f"{split_file(data)[0]}.ledger"


def table_name(data: str) -> str:
    """What SQL calls the table."""
    place = data.partition("#")[2] or Path(data.partition("?")[0]).name.partition(".")[0]
    return re.sub(r"\W+", "_", place).strip("_").lower() or "data"


def _word(text: str) -> str:
    """A text that YAML reads as that text."""
    plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_./-]*", text)
    known = text.lower() in {"yes", "no", "on", "off", "true", "false", "null", "y", "n", "inf", "nan"}
    return text if plain and not known else json.dumps(text, ensure_ascii=not text.isprintable())


def _why(found: Audit, said: Said) -> str:
    if said.unit is not None:
        return "As stated."
    if found.unit.column is None:
        return (
            "No column was found that identifies people who have several rows, so each row counts by itself."
        )
    return "Found by the audit: rows that share it look like one person's."


def _person(column: str) -> str:
    return f"{{column: {_word(column)}, max_rows: {MAX_ROWS}, max_groups: {MAX_GROUPS}}}"


def _column(finding: ColumnFinding) -> str:
    special = ", special: true" if finding.special else ""
    role = _word(finding.role) if finding.role in (*_PUBLISHED, "direct", "free text") else "sensitive"
    return f"{{role: {role}, category: {_word(finding.category)}{special}}}"


def _usable(found: Audit, unit: str) -> list[str]:
    return [name for name, finding in found.columns.items() if finding.role in _PUBLISHED and name != unit]


def _purpose(found: Audit, said: Said, today: datetime.date, unit: str) -> list[str]:
    ends = today + datetime.timedelta(days=365 * YEARS)
    review = today + datetime.timedelta(days=182)
    usable = ", ".join(_word(name) for name in _usable(found, unit))
    return [
        "purposes:",
        "  first-use:",
        f"    use: {_word(said.use)}",
        f"    basis: {_word(said.basis)}",
        f"    columns: [{usable}]",
        "    outputs: [audit, table, answer, model, report]",
        f"    recipients: [{', '.join(_word(one) for one in said.recipients)}]",
        "    budget: {epsilon: 1, delta: 1e-6}",
        f"    expires: {ends.isoformat()}",
        f"    review: {review.isoformat()}",
    ]


def _quasi(found: Audit, unit: str) -> list[str]:
    return [name for name in _usable(found, unit) if found.columns[name].role == "quasi"]


def _steps(found: Audit, name: str, unit: str) -> list[str]:
    steps = ["  - {do: audit, purpose: first-use, name: before}"]
    quasi = _quasi(found, unit)
    if quasi and found.people >= 10:
        search = "" if len(quasi) <= _MOST_PROVEN else ", search: anytime"
        steps.append(
            "  # Add holdout: 0.2 to keep a fifth of the people apart: attacks have somebody to compare with then."
        )
        steps.append(
            f"  - {{do: anonymize, purpose: first-use, name: safe, k: 5, max_suppressed: 0.1{search}, to: safe.parquet}}"
        )
    by = _grouping(found, unit)
    steps += [
        "  - do: release",
        "    purpose: first-use",
        "    name: counts",
        f"    sql: {_word(_counting(name, by, unit))}",
        "    epsilon: 0.5",
        *(["    delta: 1e-7"] if by else []),
        "    to: counts.json",
    ]
    return steps


def _counting(table: str, by: str | None, unit: str) -> str:
    """How many there are, of each kind if there is one to count by. People are counted, not rows: it takes less noise."""
    count = "COUNT(*) AS n" if unit == "row" else f"COUNT(DISTINCT {_quoted(unit)}) AS n"
    if by is None:
        return f"SELECT {count} FROM {_quoted(table)}"  # noqa: S608
    return f"SELECT {_quoted(by)}, {count} FROM {_quoted(table)} GROUP BY {_quoted(by)}"  # noqa: S608


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _grouping(found: Audit, unit: str) -> str | None:
    """A column to count by: of few values, and neither secret nor somebody's name."""
    fit = [
        name
        for name in _usable(found, unit)
        if found.columns[name].role == "insensitive"
        and found.columns[name].kind in ("text", "boolean")
        and 1 < found.columns[name].distinct <= min(_MOST_GROUPS, found.people // _PER_GROUP)
    ]
    return fit[0] if fit else None


def _limits(found: Audit, unit: str) -> list[str]:
    return ["  risk-highest: 0.2"] if _quasi(found, unit) and found.people >= 10 else []
