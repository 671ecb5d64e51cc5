"""A first policy for a table: what somebody has said of it; what an audit proposes stands beside it, and binds nobody.

What is read off the data here are roles and names of columns, for the owner. No bound, value or count of the data
goes into the draft: what a release rests on has to be known without it.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from privet._outgoing_text import for_yaml
from privet.dataset import OPEN, PUBLISHED, RoleName
from privet.pipeline._policy_schema import SCHEMA_NAME

if TYPE_CHECKING:
    from privet.audits import Audit, ColumnFinding

MAX_ROWS, MAX_GROUPS, YEARS = 20, 5, 1
_ROLES = get_args(RoleName)
_FEWEST = 10  # people, of whom a table can be made
_MOST_GROUPS, _MOST_PROVEN = 50, 5
_PER_GROUP = 300  # people: groups of fewer would hardly be shown, since nobody has stated which there are
TRIAL = "none claimed: a trial for internal use"


@dataclass(frozen=True)
class OwnerStatements:
    """What a person has said of the purpose; what they have not said stays open, and is a gap."""

    use: str = OPEN
    basis: str = OPEN
    special_basis: str | None = OPEN  # None: nobody is asked, and special categories are not used
    recipients: tuple[str, ...] = (OPEN,)
    unit: str = "row"
    roles: Mapping[str, str] = field(default_factory=dict)  # confirmed by somebody

    def trial(self) -> OwnerStatements:
        """What lets a policy run at once: internal use only, on nobody's claim."""
        use = "a first look at what can be done safely"
        return replace(self, use=use, basis=TRIAL, special_basis=None, recipients=("internal",))


def audited(
    data: str,
    delimiter: str | None = None,
    progress: Callable[[str], None] | None = None,
    unit: str | None = None,
) -> Audit:
    """What an audit finds, for the draft."""
    from privet.audits import audit
    from privet.source import open_table

    return audit(open_table(data, delimiter=delimiter), unit=unit, progress=progress)


def draft(
    found: Audit, data: str, said: OwnerStatements, *, today: datetime.date, delimiter: str | None = None
) -> str:
    """The policy file, as text."""
    unit = said.unit
    name = table_name(data)
    lines = [
        f"# yaml-language-server: $schema=./{SCHEMA_NAME}",
        "# What is there, who may use what for which purpose, and what is to be done.",
        "# A column of unknown role is withheld from rows that leave. `proposed` is what an audit found: say it under `role`",
        "# once somebody who knows the data has confirmed it.",
        "version: 1",
        "dataset:",
        f"  source: {_word(data)}",
        f"  name: {_word(name)}",
        *([f"  delimiter: {_word(delimiter)}"] if delimiter else []),
        "  # Whose presence is hidden, as stated.",
        "  unit: " + ("{column: row}" if unit == "row" else _person(unit)),
        f"  ledger: {_word(_ledger(data))}",
        "  budget: {epsilon: 3, delta: 1e-6}",
        "columns:",
        "  # Public bounds ([low, high]) and values are for people to add: never read them off the data.",
        *(f"  {_word(column)}: {_column(column, one, said)}" for column, one in found.columns.items()),
        *_purpose(found, said, today),
        "steps:",
        *_steps(found, name, said),
        "limits:",
        *(_limits(found, said) or ["  {}"]),
    ]
    return "\n".join(lines) + "\n"


def _ledger(data: str) -> str:
    """The ledger that `privet query` and `privet train` would book in too: another one would be another budget."""
    from privet.engine import split_file

    return f"{table_name(data)}.ledger" if "://" in data else f"{split_file(data)[0]}.ledger"


def table_name(data: str) -> str:
    """What SQL calls the table."""
    place = data.partition("#")[2] or Path(data.partition("?")[0]).name.partition(".")[0]
    return re.sub(r"\W+", "_", place).strip("_").lower() or "data"


def _word(text: str) -> str:
    """A text that YAML reads as that text."""
    plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_./-]*", text)
    known = text.lower() in {"yes", "no", "on", "off", "true", "false", "null", "y", "n", "inf", "nan"}
    return text if plain and not known else for_yaml(text)


def _person(column: str) -> str:
    return f"{{column: {_word(column)}, max_rows: {MAX_ROWS}, max_groups: {MAX_GROUPS}}}"


def _column(name: str, finding: ColumnFinding, said: OwnerStatements) -> str:
    special = ", special: true" if finding.special else ""
    category = f", category: {_word(finding.category)}" if finding.category else ""
    if name in said.roles:
        return f"{{role: {_word(said.roles[name])}{category}{special}}}"
    proposed = f", proposed: {_word(finding.role)}" if finding.role in _ROLES else ""
    because = f", because: {for_yaml(finding.evidence[0].says)}" if finding.evidence else ""
    return f"{{role: unknown{proposed}{because}{category}{special}}}"


def _confirmed(found: Audit, said: OwnerStatements) -> list[str]:
    """What somebody has said may be looked at together with others; nothing unknown, and nobody's name."""
    return [name for name in found.columns if said.roles.get(name) in PUBLISHED and name != said.unit]


def confirmed_special(found: Audit, said: OwnerStatements) -> list[str]:
    """Of these, the special categories (GDPR Art. 9): they are used where somebody names a point of Art. 9(2)."""
    return [name for name in _confirmed(found, said) if found.columns[name].special]


def _usable(found: Audit, said: OwnerStatements) -> list[str]:
    """What the purpose may use."""
    unused = confirmed_special(found, said) if said.special_basis is None else []
    return [name for name in _confirmed(found, said) if name not in unused]


def _purpose(found: Audit, said: OwnerStatements, today: datetime.date) -> list[str]:
    ends = today + datetime.timedelta(days=365 * YEARS)
    review = today + datetime.timedelta(days=182)
    usable = ", ".join(_word(name) for name in _usable(found, said))
    special = [f"    special_basis: {_word(said.special_basis or OPEN)}  # which point of GDPR Art. 9(2)"]
    if said.special_basis is None:
        special = ["    # special_basis: needed to use special categories, such as GDPR Art. 9(2)(j)"]
    return [
        "purposes:",
        "  first-use:",
        f"    use: {_word(said.use)}",
        f"    basis: {_word(said.basis)}",
        *(special if confirmed_special(found, said) else []),
        f"    columns: [{usable}]",
        "    outputs: [audit, table, answer, model, twin, report]",
        f"    recipients: [{', '.join(_word(one) for one in said.recipients)}]",
        "    budget: {epsilon: 1, delta: 1e-6}",
        f"    expires: {ends.isoformat()}",
        f"    review: {review.isoformat()}",
    ]


def _quasi(found: Audit, said: OwnerStatements) -> list[str]:
    return [name for name in _usable(found, said) if said.roles[name] == "quasi"]


def _steps(found: Audit, name: str, said: OwnerStatements) -> list[str]:
    unit, quasi = said.unit, _quasi(found, said)
    steps = ["  - {do: audit, purpose: first-use, name: before}"] if quasi else []
    if quasi and found.people >= _FEWEST:
        search = "" if len(quasi) <= _MOST_PROVEN else ", search: anytime"
        steps.append(
            "  # A fifth of the people is the holdout, so that attacks have somebody to compare with."
        )
        steps.append(
            "  - {do: anonymize, purpose: first-use, name: safe, k: 5, max_suppressed: 0.1"
            f"{search}, holdout: 0.2, to: safe.parquet}}"
        )
    if not quasi:
        steps.append("  # No rows leave: nobody has said which columns an outsider may know (role: quasi).")
    by = _grouping(found, said)
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


def _grouping(found: Audit, said: OwnerStatements) -> str | None:
    """A column to count by: of few values, and neither secret nor somebody's name."""
    fit = [
        name
        for name in _usable(found, said)
        if said.roles[name] == "insensitive"
        and found.columns[name].kind in ("text", "boolean")
        and 1 < found.columns[name].distinct <= min(_MOST_GROUPS, found.people // _PER_GROUP)
    ]
    return fit[0] if fit else None


def _limits(found: Audit, said: OwnerStatements) -> list[str]:
    return ["  risk-highest: 0.2"] if _quasi(found, said) and found.people >= _FEWEST else []
