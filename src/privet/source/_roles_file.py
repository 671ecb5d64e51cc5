"""Roles of columns in a file: written by an audit, corrected by people, read when a table is opened."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from privet.errors import BadRoles
from privet.evidence import checked_yaml, given_text, read_json

FORMAT = "privet-roles/1"
_HEAD = """\
# What each column can do to a person: direct, quasi, sensitive, insensitive or free text.
# Proposed by an audit. Look through it, correct what is wrong, and say under `confirmed` who has done so: until then the
# file is not taken for an answer. Then open the table with it: open_table("…", roles="{name}").
# A column without a role is withheld: say what it is, and take its # away.
"""


def read_roles(path: str | Path) -> dict[str, str]:
    """The roles in a file (.yaml, .yml or .json): column to role. Roles are checked where they are used.

    A file that an audit has written is refused until somebody has confirmed it; one written by hand says what it says.
    """
    file = Path(path)
    try:
        text = given_text(file)
    except OSError:
        raise BadRoles(f"the file of roles {file.name} cannot be read.", "Check its name.") from None
    except UnicodeDecodeError:
        raise BadRoles(f"{file.name} is not a text file.", "Roles are YAML or JSON.") from None
    content = _parsed(file, text)
    roles = content.get("roles") if isinstance(content, dict) else None
    if not isinstance(roles, dict) or not all(
        isinstance(name, str) and isinstance(role, str) for name, role in roles.items()
    ):
        raise BadRoles(
            f"{file.name} is not a file of roles.",
            "It has a part `roles:` with a line `column: role` for each.",
        )
    if "confirmed" in content and content["confirmed"] in (None, False, "", "no"):
        raise BadRoles(
            f"nobody has confirmed the roles in {file.name}.",
            "Look through them, correct what is wrong, and write `confirmed: yes`, or who has done so.",
        )
    return dict(roles)


def _parsed(file: Path, text: str) -> Any:
    if file.suffix.lower() == ".json":
        try:
            return read_json(text, what=file.name)
        except ValueError:
            raise BadRoles(f"{file.name} is not JSON.", "Write it again with --write-roles.") from None
    import yaml

    try:
        checked_yaml(text, what=file.name)
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as error:  # the latter for a day that no month has
        mark = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 1})" if mark is not None else ""
        raise BadRoles(f"{file.name} is not YAML{place}.", "Write it again with --write-roles.") from None


def roles_text(
    name: str,
    roles: Mapping[str, str],
    *,
    unit: str | None,
    evidence: Mapping[str, str],
    unknown: Sequence[str] = (),
) -> str:
    """What to write into a file of that name; in YAML, the evidence for each role stands beside it.

    Columns of which nothing is known get no role: they are listed first, for somebody to fill in.
    """
    if name.lower().endswith(".json"):
        content = {
            "format": FORMAT,
            "confirmed": False,
            "unit": unit,
            "unknown": list(unknown),
            "roles": dict(roles),
        }
        return json.dumps(content, indent=2) + "\n"
    lines = [_HEAD.format(name=name), f"format: {FORMAT}", "confirmed: no"]
    if unit is not None:
        lines.append(f"unit: {_quoted(unit)}")
    lines.append("roles:" if roles else "roles: {}")
    lines += [f"  # {_quoted(column)}: ?  # unknown" for column in unknown]
    for column, role in roles.items():
        said = " ".join(evidence.get(column, "").split())
        lines.append(f"  {_quoted(column)}: {role}" + (f"  # {said}" if said else ""))
    return "\n".join(lines) + "\n"


def _quoted(name: str) -> str:
    """A name as YAML reads it back, on one line."""
    import yaml

    plain = name.isidentifier() and name.isascii() and not _is_word(name)
    return name if plain else str(yaml.safe_dump(name, default_style='"', width=2**31)).strip()


def _is_word(name: str) -> bool:
    """Words that YAML takes for something else than text."""
    return name.lower() in {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
