"""`privet audit`: what a table would give away."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from privet._outgoing_text import tab_line
from privet.app import _terminal as terminal
from privet.app import _verb_command as verb_command
from privet.artifact import OwnerOnly, Publishable
from privet.errors import BadUsage
from privet.verbs import AuditOptions, Flag, ForPurpose, Options, Request, RowsAsked, carried_out
from privet.verbs import AuditVerb as Verb

if TYPE_CHECKING:
    from privet.audits import Audit

_HTML, _JSON, _ROLES = (".html", ".htm"), (".json",), (".yaml", ".yml", ".json")


class RolesSaid(Options):
    """What somebody has said of the columns of a bare file."""

    roles: Annotated[
        str | None, Field(description="A file of roles, as --write-roles writes it."), Flag(file="in")
    ] = None


class AuditOutputs(Options):
    """What to write."""

    html: Annotated[
        Path | None, Field(description="Write the owner's report: one .html file."), Flag(file="out")
    ] = None
    public: Annotated[
        Path | None,
        Field(description="Write what others may be shown, rounded: .html or .json."),
        Flag(file="out"),
    ] = None
    write_roles: Annotated[
        Path | None, Field(description="Write the roles of the columns: .yaml or .json."), Flag(file="out")
    ] = None


def _run(said: verb_command.CommandInput) -> None:
    from privet.audits import STAGES
    from privet.source import read_roles

    files, stated = said.of(AuditOutputs), said.of(RolesSaid).roles
    _check_outputs(files.html, files.public, files.write_roles)
    roles = {} if stated is None else read_roles(stated)
    asked = Request.of(said.of(AuditOptions), said.of(RowsAsked), said.of(ForPurpose), roles=roles)
    with terminal.progress("opening", total=STAGES) as advance:
        done = carried_out(Verb(), asked, say=advance)
    found: Audit = done.made
    saved = _save(found, files.html, files.public, files.write_roles)
    text = "\n\n".join([str(found), *(["\n".join(f"saved {path}" for path in saved)] if saved else [])])
    terminal.emit(dict(done.facts), _coloured(text), plain=_plain(found), as_json=said.as_json)


command = verb_command.command(RowsAsked, RolesSaid, AuditOptions, ForPurpose, AuditOutputs, run=_run)


def _check_outputs(html: Path | None, public: Path | None, roles: Path | None) -> None:
    """Refuse impossible outputs before the work."""
    for path, endings, option in (
        (html, _HTML, "--html"),
        (public, _HTML + _JSON, "--public"),
        (roles, _ROLES, "--write-roles"),
    ):
        if path is None:
            continue
        if path.suffix.lower() not in endings:
            raise BadUsage(f"{option} cannot write {path.name}.", f"End the name in {' or '.join(endings)}.")
        if not path.resolve().parent.is_dir():
            raise BadUsage(f"the folder of {path.name} does not exist.", "Create it first.")


def _save(found: Audit, html: Path | None, public: Path | None, roles: Path | None) -> list[Path]:
    import json

    from privet.report import audit_page, public_page
    from privet.source import roles_text

    if html:
        terminal.write_file(html, OwnerOnly(audit_page(found)))
    if public:
        shown = found.publishable()
        as_page = public.suffix.lower() in _HTML
        text = public_page(shown) if as_page else json.dumps(shown.to_json(), indent=2) + "\n"
        terminal.write_file(public, Publishable(text, "built from what may be told"))
    if roles:
        text = roles_text(
            roles.name,
            {name: finding.role for name, finding in found.columns.items() if not finding.unknown},
            unknown=list(found.unknown),
            unit=found.unit.option if found.unit.columns else None,
            evidence={
                name: finding.evidence[0].says for name, finding in found.columns.items() if finding.evidence
            },
        )
        terminal.write_file(roles, OwnerOnly(text))
    return [path for path in (html, public, roles) if path]


def _coloured(text: str) -> Any:
    """The summary with its headings and roles set off; colour goes when there is no terminal."""
    from rich.text import Text

    shown = Text(text)
    shown.highlight_regex(
        r"(?m)^(To be said by somebody|Columns|\w+ that look alike|Several rows|Most exposed|An attacker|What to do, in order)",
        "bold green",
    )
    shown.highlight_regex(r"(?m)^  unknown ", "bold")
    shown.highlight_regex(r"(?m)^  direct ", "red")
    shown.highlight_regex(r"(?m)^  quasi ", "yellow")
    shown.highlight_regex(r"(?m)^  sensitive ", "magenta")
    shown.highlight_regex(r"(?m)^  free text ", "cyan")
    shown.highlight_regex(r"(?m)^     \$ .*$", "bold")
    lines = text.split("\n")
    if len(lines) > 1:
        begin = len(lines[0]) + 1
        shown.stylize("bold", begin, begin + len(lines[1]))
    return shown


def _plain(found: Audit) -> str:
    """For pipes: one line for each column with its role and category."""
    return "\n".join(
        tab_line([name, finding.role, finding.category]) for name, finding in found.columns.items()
    )
