"""`privet init`: a first policy for a table, from an audit of it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.app import _terminal as terminal
from privet.app._policy_amounts import DEFAULT
from privet.artifact import OwnerOnly, Publishable
from privet.errors import BadUsage, NothingToAudit, UnitNotStated

if TYPE_CHECKING:
    from privet.audits import Audit
    from privet.pipeline import OwnerStatements, Policy

_SHOWN = 4  # candidates for whose rows they are


def command(
    data: Annotated[str, typer.Argument(metavar="DATA", help="A file or a database URL.")],
    *,
    to: Annotated[Path, typer.Option("--output", "-o", help="The policy file to write.")] = DEFAULT,
    yes: Annotated[
        bool,
        typer.Option("--yes", "-y", help="Ask nothing: a trial for internal use that can be run at once."),
    ] = False,
    unit: Annotated[
        str | None,
        typer.Option(
            help="The column that identifies a person (a,b if two do together), or 'row' [default: asked]."
        ),
    ] = None,
    roles: Annotated[
        Path | None,
        typer.Option(help="Roles of columns that somebody has confirmed, as `privet audit` writes them."),
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="The CSV's delimiter, if it cannot be guessed.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file if it exists.")] = False,
    as_json: terminal.JsonOption = False,
) -> None:
    """Write a policy for a table: whose rows they are, what its columns are, one purpose, and first steps.

    What only people can say is asked, or stays open: a policy does not run until its purpose is said, and columns whose role nobody has confirmed are withheld. With --yes the purpose is a trial for internal use, and --unit is needed.
    """
    from privet.dataset import make_signing_key, placed
    from privet.ledger import clock
    from privet.pipeline import SCHEMA_NAME, check_policy, draft, policy_schema

    _refuse_place(to, overwrite=overwrite)
    stated = _stated(roles)
    asks = not as_json and sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    if unit is None and (yes or not asks):
        raise UnitNotStated("say whose rows they are: it is not guessed.", _candidates(data, delimiter))
    found = _audited(data, delimiter, unit)
    said = _said(found, unit, stated, yes=yes, ask=asks)
    text = draft(found, _from(data, to), said, today=clock.now().date(), delimiter=delimiter)
    policy = check_policy(placed(text, to.name))
    schema = Publishable(policy_schema(), "holds nothing from the data")
    terminal.write_file(to.resolve().parent / SCHEMA_NAME, schema)
    terminal.write_file(to, OwnerOnly(text))
    key = make_signing_key(to.resolve().parent).current.public
    open_parts = [] if yes else _open(text)
    record = {
        "policy": str(to),
        "schema": SCHEMA_NAME,
        "signing_key": key,
        "unit": policy.dataset.unit.column,
        "withheld": _withheld(policy),
        "columns": {name: column.role for name, column in policy.columns.items()},
        "open": open_parts,
    }
    lines = [*_written(policy, to, key), *_left_to_say(policy, found, said, data, to), *_next(open_parts, to)]
    terminal.emit(record, "\n".join(lines), plain=str(to), as_json=as_json)


def _refuse_place(to: Path, *, overwrite: bool) -> None:
    if to.exists() and not overwrite:
        raise BadUsage(f"{to} is there already.", "Add --overwrite, or name another file with -o FILE.")
    if not to.resolve().parent.is_dir():
        raise BadUsage(f"the folder of {to} does not exist.", "Create it first.")


def _audited(data: str, delimiter: str | None, unit: str | None) -> Audit:
    from privet.audits import STAGES
    from privet.pipeline import audited

    try:
        with terminal.progress("opening", total=STAGES) as advance:
            return audited(data, delimiter, advance, unit)
    except NothingToAudit as nothing:
        raise NothingToAudit(
            nothing.fact,
            "A policy would have nothing to use here: take a table with more than identifiers, or give them keyed "
            "pseudonyms with privet pseudonymize.",
        ) from None


def _withheld(policy: Policy) -> list[str]:
    return [name for name, column in policy.columns.items() if column.role == "unknown"]


def _written(policy: Policy, to: Path, key: str) -> list[str]:
    """What was written, and for whom and what."""
    from privet.evidence import FOLDER
    from privet.pipeline import SCHEMA_NAME

    whose = policy.dataset.unit.column
    return [
        f"wrote {to} and {SCHEMA_NAME} beside it",
        f"signing key: {key[:16]}…, in {FOLDER} (keep a copy elsewhere; `privet keys public` gives out the public part)",
        f"privacy unit: {'row' if whose == 'row' else f'everything of one {whose!r}'}",
        f"columns: {len(policy.columns)}, of which the purpose may use {len(policy.purposes['first-use'].columns)}",
    ]


def _left_to_say(policy: Policy, found: Audit, said: OwnerStatements, data: str, to: Path) -> list[str]:
    """What is not used until somebody says more of it."""
    from privet.pipeline import confirmed_special

    lines = []
    unknown = _withheld(policy)
    if unknown:
        lines.append(
            f"withheld, until somebody says what they are: {', '.join(unknown)}\n"
            f"  (proposals stand beside them in {to.name}; or privet audit {shlex.quote(data)} --write-roles roles.yaml, "
            "confirm it, and init again with --roles roles.yaml)"
        )
    unused = confirmed_special(found, said) if said.special_basis is None else []
    if unused:
        lines.append(
            f"not used, until somebody names a point of GDPR Art. 9(2) for special categories: {', '.join(unused)}\n"
            f"  (say it under special_basis in {to.name}, and add them to the purpose's columns)"
        )
    if len(policy.columns) == 1:
        lines.append(
            "only one column was found: if the file has more, name what stands between them: --delimiter"
        )
    return lines


def _next(open_parts: list[str], to: Path) -> list[str]:
    """The next command, after what has to be said first."""
    plan = "privet plan" if to == DEFAULT else f"privet plan --policy {shlex.quote(str(to))}"
    if not open_parts:
        return [f"next: {plan}"]
    return [
        f"to be said by somebody: {', '.join(open_parts)}",
        f"next: say these, then: {plan}",
    ]


def _from(data: str, to: Path) -> str:
    """The source as seen from the policy's folder."""
    if "://" in data:
        return data
    folder = to.resolve().parent
    name, mark, part = data.partition("#")
    place = Path(name).resolve()
    inside = place.relative_to(folder).as_posix() if place.is_relative_to(folder) else place.as_posix()
    return inside + mark + part


def _stated(roles: Path | None) -> dict[str, str]:
    if roles is None:
        return {}
    from privet.source import read_roles

    return read_roles(roles)


def _candidates(data: str, delimiter: str | None) -> str:
    """What the table itself argues for, as the option to add."""
    from privet.pipeline import audited

    ask = "Add --unit COLUMN, the column that identifies a person, or --unit row if each row is a person."
    try:
        with terminal.progress("looking for a column that identifies people"):
            found = audited(data, delimiter)
    except NothingToAudit:
        return ask
    best = next(iter(found.person_keys.repeated), None)
    if best is None:
        return f"{ask} {found.person_keys.unkeyed or ''}".rstrip()
    return (
        f"Add --unit {shlex.quote(best.option)} if that identifies a {best.kind} ({best.sentence()}), or --unit row if each "
        "row is a person."
    )


def _said(found: Audit, unit: str | None, roles: dict[str, str], *, yes: bool, ask: bool) -> OwnerStatements:
    from privet.pipeline import OwnerStatements

    _refuse_strangers(found, unit, roles)
    if yes or not ask:
        said = OwnerStatements(unit=unit or "row", roles=roles)
        return said.trial() if yes else said
    blank = OwnerStatements()
    if unit is None:
        unit = _asked_unit(found)
        _refuse_strangers(found, unit, {})
    confirmed = roles or _confirmed(found, unit)
    use = terminal.prompt("What will the data be used for?", default="", show_default=False)
    basis = terminal.prompt("On which legal basis? such as GDPR Art. 6(1)(e)", default="", show_default=False)
    special = _asked_special(found, str(unit), confirmed)
    whom = terminal.prompt("For whom? a,b,c", default="internal")
    recipients = tuple(one.strip() for one in whom.split(",") if one.strip())
    return OwnerStatements(
        use.strip() or blank.use,
        basis.strip() or blank.basis,
        special.strip() or blank.special_basis,
        recipients or blank.recipients,
        str(unit),
        confirmed,
    )


def _asked_special(found: Audit, unit: str, confirmed: dict[str, str]) -> str:
    """Which point of Art. 9(2) lets special categories be used, where some were confirmed."""
    from privet.pipeline import OwnerStatements, confirmed_special

    special = confirmed_special(found, OwnerStatements(unit=unit, roles=confirmed))
    if not special:
        return ""
    asks = f"{', '.join(special)}: special categories. Which point of GDPR Art. 9(2) lets them be used? such as Art. 9(2)(j)"
    return terminal.prompt(asks, default="", show_default=False)


def _asked_unit(found: Audit) -> str:
    """Whose rows they are, by whoever sits there: the evidence is shown, and only what it clearly proposes is a default."""
    keys = found.person_keys
    terminal.say("Whose rows are they?")
    for key in keys.candidates[:_SHOWN]:
        terminal.say(f"  {key.option}, a {key.kind}? {key.sentence()}")
    if keys.unkeyed is not None:
        terminal.say(f"  {keys.unkeyed}")
    if not keys.candidates and keys.unkeyed is None:
        terminal.say("  No column was found that says it.")
    default = keys.proposed.option if keys.proposed else None
    return terminal.prompt("A column, two with a comma between them, or row", default=default)


def _confirmed(found: Audit, unit: str) -> dict[str, str]:
    """What the audit proposes, if whoever sits there confirms it."""
    from typing import get_args

    from privet.dataset import RoleName

    known = get_args(RoleName)
    proposed = {name: one.role for name, one in found.columns.items() if one.role in known and name != unit}
    terminal.say("The audit proposes these roles:")
    for name, role in proposed.items():
        why = found.columns[name].evidence[0].says if found.columns[name].evidence else ""
        terminal.say(f"  {name}: {role}  {why}")
    agreed = terminal.confirm("Do you confirm them? What is not confirmed is withheld.", default=False)
    return proposed if agreed else {}


def _refuse_strangers(found: Audit, unit: str | None, roles: dict[str, str]) -> None:
    from privet.engine import ColumnKind, did_you_mean, key_parts
    from privet.source import unfit_person_column

    strange = [name for name in roles if name not in found.columns]
    parts = [] if unit is None or unit == "row" else key_parts(unit, found.columns)
    strange += [name for name in parts if name not in found.columns]
    if strange:
        raise BadUsage(
            f"the table has no column {strange[0]!r}.", did_you_mean(strange[0], ["row", *found.columns])
        )
    # What no door would open the table with is not written into a policy.
    kinds = {name: ColumnKind(one.kind) for name, one in found.columns.items()}
    for name in parts:
        if (fault := unfit_person_column(name, kinds)) is not None:
            raise BadUsage(
                fault, "Name a column of whole numbers or of texts, or --unit row if each row is a person."
            )


def _open(text: str) -> list[str]:
    from privet.dataset import OPEN

    return [line.split(":")[0].strip() for line in text.splitlines() if OPEN in line]
