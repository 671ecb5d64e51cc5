"""`privet pseudonymize`, `privet reveal`, `privet erase-subject`: pseudonyms, and the ways back and out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.app.output import JsonOption, emit
from privet.app.rewriting import (
    DataArgument,
    DatasetOption,
    DelimiterOption,
    KeysOption,
    OutOption,
    finish,
    opened,
)
from privet.errors import BadUsage

if TYPE_CHECKING:
    from privet.protect.anonymize.pseudonyms import KeyRing, Vault

ColumnOption = Annotated[
    list[str],
    typer.Option(help="The column, or COLUMN=DOMAIN where columns of other names are to match. Repeatable."),
]
VaultOption = Annotated[Path | None, typer.Option(help="The vault's file, for vault and subject.")]


class Making(Enum):
    """How pseudonyms are made."""

    HMAC = "hmac"
    SIV = "siv"
    FF1 = "ff1"
    VAULT = "vault"
    SUBJECT = "subject"
    SHA256 = "sha256"


class Opening(Enum):
    """Which pseudonyms can be turned back."""

    SIV = "siv"
    FF1 = "ff1"
    VAULT = "vault"
    SUBJECT = "subject"


class Alphabet(Enum):
    """The characters that format-preserving pseudonyms exchange."""

    DIGITS = "digits"
    LOWER = "lower"
    UPPER = "upper"
    ALPHANUMERIC = "alphanumeric"


def pseudonymize(
    data: DataArgument,
    out: OutOption,
    column: ColumnOption,
    dataset: Annotated[
        str | None, typer.Option(help="The project; its tables share pseudonyms, other projects have others.")
    ] = None,
    method: Annotated[
        Making,
        typer.Option(
            help="hmac: one-way. siv: reversible. ff1: same format. vault: random tokens. subject: sealed "
            "under each subject's own key, which can be destroyed. sha256: refused for what can be guessed."
        ),
    ] = Making.HMAC,
    keys: KeysOption = None,
    vault: VaultOption = None,
    subject: Annotated[
        str | None, typer.Option(help="For subject: the column that says whose it is.")
    ] = None,
    alphabet: Annotated[
        Alphabet, typer.Option(help="For ff1: the characters to exchange.")
    ] = Alphabet.DIGITS,
    fold: Annotated[bool, typer.Option("--fold", help="Letter case and outer space do not matter.")] = False,
    delimiter: DelimiterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Put pseudonyms in the place of values; equal values get equal ones, in all tables of the data set."""
    from privet.protect.anonymize.pseudonyms import hash_unkeyed
    from privet.protect.anonymize.pseudonyms import pseudonymize as replace
    from privet.protect.anonymize.rewritten import Rewritten

    domains = _domains(column)
    table = opened(data, out, delimiter, as_text=[*domains, *([subject] if subject else [])])
    result = Rewritten(table, {})
    if method is Making.SHA256:
        for name in domains:
            result = result.then(hash_unkeyed, name)
        finish(result, out, as_json=as_json)
        return
    if dataset is None:
        raise BadUsage("pseudonyms belong to a data set.", "Add --dataset hospital.")
    ring = _ring(keys)
    # The column that names subjects comes last, while the others can still see whose row it is.
    for name in sorted(domains, key=lambda name: name == subject):
        result = result.then(
            replace,
            name,
            keys=ring,
            dataset=dataset,
            domain=domains[name],
            method=method.value,
            subject=subject,
            vault=_vault(vault, ring),
            alphabet=alphabet.value,
            fold=fold,
        )
    finish(result, out, as_json=as_json, more={"key": ring.current.id, "method": method.value})


def reveal(
    data: DataArgument,
    out: OutOption,
    column: ColumnOption,
    dataset: DatasetOption,
    method: Annotated[Opening, typer.Option(help="How they were made.")] = Opening.SIV,
    keys: KeysOption = None,
    key: Annotated[str | None, typer.Option(help="For ff1: the id of the key that made them.")] = None,
    vault: VaultOption = None,
    alphabet: Annotated[Alphabet, typer.Option(help="For ff1: the characters exchanged.")] = Alphabet.DIGITS,
    delimiter: DelimiterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Turn reversible pseudonyms back into values. The result is personal data again."""
    from privet.protect.anonymize.pseudonyms import reveal as turn_back
    from privet.protect.anonymize.rewritten import Rewritten

    domains = _domains(column)
    ring = _ring(keys)
    result = Rewritten(opened(data, out, delimiter, as_text=domains), {})
    for name, domain in domains.items():
        result = result.then(
            turn_back,
            name,
            keys=ring,
            dataset=dataset,
            domain=domain,
            method=method.value,
            vault=_vault(vault, ring),
            alphabet=alphabet.value,
            key=key,
        )
    finish(result, out, as_json=as_json)


def erase_subject(
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
    from privet.protect.anonymize.pseudonyms import Scope, Vault

    if not vault.is_file():
        raise BadUsage(f"there is no vault {vault}.", "Name the file that privet pseudonymize --vault wrote.")
    store = Vault(vault, _ring(keys))
    if token:
        erased, asked = store.erase_tokens(token), len(token)
    else:
        if not (dataset and domain):
            raise BadUsage(
                "ids belong to a data set and a domain.", "Add --dataset and --domain, or use --token."
            )
        ids = _ids()
        erased, asked = store.erase(ids, Scope(dataset, domain)), len(ids)
    said = f"erased {erased} {'entry' if erased == 1 else 'entries'} of {asked} {'subject' if asked == 1 else 'subjects'}"
    note = "Copies of the vault file, such as backups, still hold them until they are let go."
    emit(
        {"erased": erased, "subjects": asked, "note": note},
        f"{said}\n{note}",
        plain=str(erased),
        as_json=as_json,
    )


COMMANDS: dict[str, Callable[..., None]] = {
    "pseudonymize": pseudonymize,
    "reveal": reveal,
    "erase-subject": erase_subject,
}


def _domains(given: list[str]) -> dict[str, str]:
    """Columns with their domains: a column's own name, unless another is stated."""
    found = {}
    for text in given:
        column, _, domain = text.partition("=")
        if not column or column in found:
            raise BadUsage("--column could not be read.", "Write --column patient_id, once for each column.")
        found[column] = domain or column
    return found


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


def _ring(place: str | None) -> KeyRing:
    from privet.protect.anonymize.pseudonyms import find_keys

    return find_keys(place)


def _vault(file: Path | None, ring: KeyRing) -> Vault | None:
    from privet.protect.anonymize.pseudonyms import Vault

    return None if file is None else Vault(file, ring)
