"""What each column is to HIPAA's Safe Harbor rule: as somebody said, or as an audit finds an identifier in it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING

from privet.audits.columns import CATEGORIES
from privet.errors import BadRecipe
from privet.source import Role

if TYPE_CHECKING:
    from privet.audits import ColumnFinding
    from privet.source import Table

# What the recipe does with each category of personal data that it does not simply remove.
_COARSE = {
    "user.contact.address.postal_code": "zip",
    "user.demographic.date_of_birth": "birth date",
    "user.demographic.year_of_birth": "birth date",
    "user.demographic.age": "age",
    "user.date": "date",
}


def safe_harbor_kinds(table: Table, said: Mapping[str, str]) -> dict[str, str]:
    """What to do with each column: as said, else removed or made coarse where an audit finds an identifier.

    Every other column must be spoken of: that nothing identifying was seen in it does not mean that nothing is.
    """
    from privet.audits import classify

    kinds = {column: kind.replace("-", " ") for column, kind in said.items()}
    undecided = []
    for name, finding in classify(table).items():
        if name in kinds:
            if kinds[name] not in _allowed(finding):
                raise _recognised(name, finding)
            continue
        if finding.category in _COARSE:
            kinds[name] = _COARSE[finding.category]
        elif finding.hipaa is not None or finding.role == "direct":
            kinds[name] = "remove"
        elif table.roles.get(name) in (Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE):
            kinds[name] = "keep"
        else:
            undecided.append(name)
    if undecided:
        raise BadRecipe(
            f"nobody has said that these columns hold none of the 18 identifiers: {', '.join(map(repr, undecided))}.",
            f"Say what is to be done with each: {' '.join(f'--as {shlex.quote(name)}=remove' for name in undecided)}, "
            "or =keep once somebody has looked.",
            columns=undecided,
        )
    return kinds


def _allowed(finding: ColumnFinding) -> tuple[str, ...]:
    """What may be said of a column: of a recognised identifier only what the rule does with its kind.

    A unique number treated as an age would keep the small ones; so every treatment is looked at, not only `keep`.
    """
    if finding.category in _COARSE:
        return ("remove", _COARSE[finding.category])
    if finding.hipaa is not None or finding.role == "direct":
        return ("remove",)
    return ("remove", "zip", "date", "birth date", "age", "keep")


def _recognised(name: str, finding: ColumnFinding) -> BadRecipe:
    """What looks like one of the 18 identifiers is not kept under their rule, whoever says so."""
    label = CATEGORIES[finding.category].label
    uses = [f"--as {shlex.quote(name)}={use.replace(' ', '-')}" for use in reversed(_allowed(finding))]
    return BadRecipe(
        f"column {name!r} looks like {label}, which Safe Harbor does not keep as they are.",
        f"Say {', or '.join(uses)}. To publish the column, make another promise: Safe Harbor cannot be claimed with it.",
        columns=[name],
    )
