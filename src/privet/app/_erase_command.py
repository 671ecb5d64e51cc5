"""`privet erase`: what can and cannot be taken back for one person."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from privet.app import _terminal as terminal
from privet.app._keys_command import KeysOption
from privet.app._policy_amounts import DEFAULT, PolicyOption
from privet.errors import BadUsage


def command(
    subject: Annotated[
        str, typer.Argument(metavar="SUBJECT", help="The person's id; - reads it from standard input.")
    ],
    *,
    policy: PolicyOption = DEFAULT,
    vault: Annotated[
        Path | None, typer.Option(help="A vault of pseudonyms: the person's entries there are erased.")
    ] = None,
    dataset: Annotated[
        str | None, typer.Option(help="The vault's project [default: the data set's name].")
    ] = None,
    domain: Annotated[
        str | None, typer.Option(help="What the id names in the vault [default: the unit's column].")
    ] = None,
    keys: KeysOption = None,
    as_json: terminal.JsonOption = False,
) -> None:
    """List what can and cannot be recalled for one person; with --vault, erase the person's pseudonyms there.

    The id is looked up in the vault alone, and is neither shown nor kept. With - it stays out of the shell's history.
    """
    from privet.artifact import inside
    from privet.pipeline import OUT, Recall, read_policy, recalls

    who = _id(subject)
    found, _ = read_policy(policy)
    folder = policy.resolve().parent
    others = [place for place in found.vaults if vault is None or (folder / place) != vault.resolve()]
    listed = recalls(inside(folder, OUT), found, others)
    erased = None
    if vault is not None:
        project = dataset or found.dataset.name
        if project is None:
            raise BadUsage("the vault's project is not known.", "Add --dataset.")
        erased = _erased(who, vault, project, domain or found.dataset.unit.column, keys)
        said = f"{erased} erased: pseudonyms of the person lead nowhere now, except in copies of the vault."
        listed.append(Recall(vault.name, "vault", possible=True, why=said))
    lines = [f"{'can' if one.possible else 'CANNOT'} be recalled: {one.what}. {one.why}" for one in listed]
    record = {"recalls": [one.to_json() for one in listed], "erased": erased}
    plain = "\n".join(f"{'yes' if one.possible else 'no'}\t{one.what}" for one in listed)
    terminal.emit(record, "\n".join(lines), plain=plain, as_json=as_json)


def _id(subject: str) -> str:
    who = sys.stdin.readline() if subject == "-" and sys.stdin is not None else subject
    if not who.strip():
        raise BadUsage("no id was given.", "Name the person as the unit's column does.")
    return who.strip()


def _erased(who: str, vault: Path, project: str, domain: str, keys: str | None) -> int:
    from privet.protect.transform.pseudonyms import KeyScope, Vault, find_keys

    if not vault.is_file():
        raise BadUsage(f"there is no vault {vault}.", "Name the file that privet pseudonymize --vault wrote.")
    return Vault(vault, find_keys(keys)).erase([who], KeyScope(project, domain))
