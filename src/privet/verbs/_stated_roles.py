"""Roles of the columns of a bare file, as they are stated with a request, and as an audit would propose them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from privet.errors import BadUsage
from privet.guarantee import Person

if TYPE_CHECKING:
    from privet.source import Table
    from privet.verbs._request import RolesStated


def stated_roles(said: RolesStated) -> dict[str, str]:
    """Roles from a file and from the options; options win over the file, and never contradict each other."""
    found: dict[str, str] = {}
    if said.roles is not None:
        from privet.source import read_roles

        found = {name: role for name, role in read_roles(said.roles).items() if role != "free text"}
    stated: dict[str, str] = {}
    for names, role in ((said.quasi, "quasi"), (said.sensitive, "sensitive"), (said.keep, "insensitive")):
        for name in names or ():
            if name in stated:
                raise BadUsage(f"column {name!r} is named twice.", "Give each column one role.")
            stated[name] = role
    return {**found, **stated}


def proposed(table: Table) -> str:
    """The options that state what an audit finds; columns that it is not sure of are not among them."""
    from privet.audits import classify

    own = table.unit.column if isinstance(table.unit, Person) else None
    findings = {name: found for name, found in classify(table).items() if name != own}
    said = []
    for option, role in (("--quasi", "quasi"), ("--sensitive", "sensitive")):
        names = [name for name, found in findings.items() if found.role == role]
        if names:
            said.append(f"{option} {listed(names)}")
    return " ".join(said) or "no quasi-identifier; name those that an outsider may know with --quasi"


def listed(names: Sequence[str]) -> str:
    """Names of columns as an option of a command takes them, for a shell."""
    return shlex.quote(",".join(map(_in_a_list, names)))


def _in_a_list(name: str) -> str:
    """A name as a list of names on the command line holds it."""
    return '"' + name.replace('"', '""') + '"' if "," in name or '"' in name else name
