"""`privet audit`: what a table would give away."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit, urlunsplit

import typer

from privet.app import output
from privet.errors import BadUsage

if TYPE_CHECKING:
    from privet.audit import Audit

_HTML, _JSON, _ROLES = (".html", ".htm"), (".json",), (".yaml", ".yml", ".json")


class Missing(enum.StrEnum):
    """What a missing value means for who looks alike."""

    OWN_VALUE = "own-value"
    WILDCARD = "wildcard"
    IGNORED = "ignored"


class Linker(enum.StrEnum):
    """Who links by probability."""

    AUTO = "auto"
    SPLINK = "splink"
    OWN = "own"


Data = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="A file (CSV, Parquet, JSON lines, DuckDB, SQLite) or a database URL."
    ),
]


def command(
    data: Data,
    *,
    quasi: Annotated[
        str | None, typer.Option(help="Columns an outsider may know: a,b,c [default: found].")
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option(help="Columns an outsider must not learn [default: found].")
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            help="The column that says whose row it is (a,b if two do together), or 'row' [default: proposed]."
        ),
    ] = None,
    roles: Annotated[Path | None, typer.Option(help="A file of roles, as --write-roles writes it.")] = None,
    population: Annotated[
        str | None, typer.Option(help="A table of everybody, for k-map and journalist risk.")
    ] = None,
    auxiliary: Annotated[
        str | None, typer.Option(help="A table that an attacker could have, to link with.")
    ] = None,
    truth: Annotated[
        str | None, typer.Option(help="Who is who in both tables, to score the linkage.")
    ] = None,
    link: Annotated[
        list[str] | None,
        typer.Option(help="Columns that mean the same in both: born=date_of_birth. Repeatable."),
    ] = None,
    linker: Annotated[Linker, typer.Option(help="Who links by probability.")] = Linker.AUTO,
    weights: Annotated[str | None, typer.Option(help="A column of survey weights.")] = None,
    fraction: Annotated[
        float | None, typer.Option(help="The part of the population that the table holds.")
    ] = None,
    missing: Annotated[
        Missing, typer.Option(help="What a missing value means for who looks alike.")
    ] = Missing.OWN_VALUE,
    presidio: Annotated[
        bool, typer.Option("--presidio", help="Also look into text with Presidio, offline.")
    ] = False,
    delimiter: Annotated[
        str | None, typer.Option(help="The CSV's delimiter, if it cannot be guessed.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write the owner's report: one .html file.")] = None,
    public: Annotated[
        Path | None, typer.Option(help="Write what others may be shown, rounded: .html or .json.")
    ] = None,
    write_roles: Annotated[
        Path | None, typer.Option(help="Write the roles of the columns: .yaml or .json.")
    ] = None,
    as_json: output.JsonOption = False,
) -> None:
    """Measure what a table would give away: who can be found in it, by what, and what would be learned."""
    _check_outputs(html, public, write_roles)
    from privet.audit import audit
    from privet.audit.auditing import STAGES
    from privet.source import open_table
    from privet.source.roles_file import read_roles

    stated = read_roles(roles) if roles else None
    pairs = _pairs(link)
    table = open_table(data, delimiter=delimiter)
    with output.progress("opening", total=STAGES) as advance:
        found = audit(
            table,
            quasi=_names(quasi, "--quasi"),
            sensitive=_names(sensitive, "--sensitive"),
            roles=stated,
            unit=unit,
            population=population,
            auxiliary=auxiliary,
            truth=truth,
            link=pairs,
            linker=linker.value,
            weights=weights,
            fraction=fraction,
            missing=_MEANINGS[missing],
            presidio=presidio,
            source=_shown(data),
            progress=advance,
        )
    saved = _save(found, html, public, write_roles)
    text = "\n\n".join([str(found), *(["\n".join(f"saved {path}" for path in saved)] if saved else [])])
    output.emit(found.to_json(), _coloured(text), plain=_plain(found), as_json=as_json)


_MEANINGS: dict[Missing, Any] = {
    Missing.OWN_VALUE: "own value",
    Missing.WILDCARD: "wildcard",
    Missing.IGNORED: "ignored",
}


def _shown(data: str) -> str:
    """What commands in the advice call the table: an address without its password."""
    if "://" not in data:
        return data
    parts = urlsplit(data)
    place = (parts.hostname or "") + (f":{parts.port}" if parts.port else "")
    who = f"{parts.username}@" if parts.username else ""
    return urlunsplit((parts.scheme, who + place, parts.path, "", parts.fragment))


def _names(text: str | None, option: str) -> list[str] | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if not all(names) or len(set(names)) < len(names):
        raise BadUsage(f"{option} could not be read.", f"Write {option} a,b,c: each column once.")
    return names


def _pairs(given: list[str] | None) -> dict[str, str] | None:
    pairs = {}
    for text in given or []:
        mine, sign, other = text.partition("=")
        if not (mine and sign and other):
            raise BadUsage("--link could not be read.", "Write --link born=date_of_birth.")
        pairs[mine] = other
    return pairs or None


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

    from privet.report.audit_page import audit_page, public_page
    from privet.source.roles_file import roles_text

    if html:
        output.write_file(html, audit_page(found))
    if public:
        shown = found.publishable()
        as_page = public.suffix.lower() in _HTML
        output.write_file(
            public, public_page(shown) if as_page else json.dumps(shown.to_json(), indent=2) + "\n"
        )
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
        output.write_file(roles, text)
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
    return "\n".join(f"{name}\t{finding.role}\t{finding.category}" for name, finding in found.columns.items())
