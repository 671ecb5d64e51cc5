"""`privet erase-subject`: the entries of subjects taken out of a vault of pseudonyms. It reads no rows, so it is no verb."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from privet.app._keys_command import KeysOption
from privet.app._terminal import JsonOption, emit
from privet.errors import BadUsage


def command(
    vault: Annotated[Path, typer.Option(help="The vault's file.")],
    dataset: Annotated[str | None, typer.Option(help="The project, for ids from standard input.")] = None,
    domain: Annotated[
        str | None, typer.Option(help="What the ids name: the column they were pseudonymised in.")
    ] = None,
    token: Annotated[
        list[str] | None, typer.Option(help="A pseudonym of the subject, in place of ids. Repeatable.")
    ] = None,
    keys: KeysOption = None,
    as_json: JsonOption = False,
) -> None:
    """Erase subjects from a vault: their pseudonyms lead nowhere, everybody else's stay.

    Ids are read from standard input, one on each line, so that they stay out of the shell's history. One-way (hmac)
    and key-only (siv, ff1) pseudonyms are not in a vault: they end with their key.
    """
    from privet.protect.transform.pseudonyms import KeyScope, Vault, find_keys

    if not vault.is_file():
        raise BadUsage(f"there is no vault {vault}.", "Name the file that privet pseudonymize --vault wrote.")
    store = Vault(vault, find_keys(keys))
    if token:
        erased, asked = store.erase_tokens(token), len(token)
    else:
        if not (dataset and domain):
            raise BadUsage(
                "ids belong to a data set and a domain.", "Add --dataset and --domain, or use --token."
            )
        ids = _ids()
        erased, asked = store.erase(ids, KeyScope(dataset, domain)), len(ids)
    said = f"erased {erased} {'entry' if erased == 1 else 'entries'} of {asked} {'subject' if asked == 1 else 'subjects'}"
    note = "Copies of the vault file, such as backups, still hold them until they are let go."
    emit(
        {"erased": erased, "subjects": asked, "note": note},
        f"{said}\n{note}",
        plain=str(erased),
        as_json=as_json,
    )


def _ids() -> list[str]:
    if sys.stdin is not None and sys.stdin.isatty():
        found = [typer.prompt("Id of the subject", hide_input=True, err=True)]
    else:
        found = [] if sys.stdin is None else sys.stdin.read().splitlines()
    ids = list(dict.fromkeys(line.strip() for line in found if line.strip()))
    if not ids:
        raise BadUsage(
            "no subject was named.", "Write one id on each line of standard input, or use --token."
        )
    return ids
