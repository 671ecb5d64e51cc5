"""`privet keys`: the keys of pseudonyms, and the key that signs for the data set. No command ever shows a secret."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.app import _signing_keys_command as signing_keys
from privet.app._terminal import JsonOption, emit
from privet.errors import BadUsage

if TYPE_CHECKING:
    from privet.protect.transform.pseudonyms import KeyRing

app = typer.Typer(
    help="Keys for pseudonyms: make, list, rotate. Keys for signing: signing, public, renew, own, approvers.",
    no_args_is_help=True,
)
app.command("signing")(signing_keys.signing)
app.command("public")(signing_keys.public)
app.command("renew")(signing_keys.renew)
app.command("own")(signing_keys.own)
app.command("approvers")(signing_keys.approvers)

KeysOption = Annotated[
    str | None,
    typer.Option(
        "--keys",
        metavar="PLACE",
        help="Where the keys are: a key file, env, or keyring:NAME [default: PRIVET_KEYS if set, else privet.keys].",
    ),
]
PlaceArgument = Annotated[
    str | None, typer.Argument(metavar="PLACE", help="A key file, or keyring:NAME [default: privet.keys].")
]


@app.command()
def create(place: PlaceArgument = None, *, as_json: JsonOption = False) -> None:
    """Make a ring with one key, in an encrypted file of your own or in the system's key ring.

    The passphrase comes from PRIVET_PASSPHRASE or is asked for on the terminal.
    """
    from privet.protect.transform.pseudonyms import KeyRing, save_keys

    ring = KeyRing.fresh()
    where = save_keys(ring, place, ask=_twice(), fresh=True)
    note = "Keep a copy where the data is not. Without the key, reversible pseudonyms are lost."
    _say(ring, where, as_json=as_json, note=note)


@app.command("list")
def list_(place: PlaceArgument = None, *, as_json: JsonOption = False) -> None:
    """Show which keys there are, the current one first: ids and dates, never secrets."""
    from privet.protect.transform.pseudonyms import find_keys

    _say(find_keys(place), place or "", as_json=as_json)


@app.command()
def rotate(
    place: PlaceArgument = None,
    *,
    forget: Annotated[
        str | None,
        typer.Option(help="Instead, drop this retired key for good: what only it opens is lost."),
    ] = None,
    vault: Annotated[
        Path | None, typer.Option(help="Also seal this vault anew under the current key.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a new current key; the old ones stay on the ring and open what they made."""
    from privet.protect.transform.pseudonyms import Vault, find_keys, save_keys

    if vault is not None and not vault.is_file():
        raise BadUsage(f"there is no vault {vault}.", "Name the file that privet pseudonymize --vault wrote.")
    asked = _once()
    ring = find_keys(place, ask=asked)
    if forget is None:
        ring = ring.rotated()
        where = save_keys(ring, place, ask=asked)
    # Sealed anew while the key that is to go is still there; and a new key is kept before anything is sealed with it.
    note = f"{Vault(vault, ring).rewrap()} entries of the vault sealed anew." if vault is not None else ""
    if forget is not None:
        ring = ring.without(forget)
        where = save_keys(ring, place, ask=asked)
    _say(ring, where, as_json=as_json, note=note)


def _say(ring: KeyRing, where: str, *, as_json: bool, note: str = "") -> None:
    listed = [
        {"id": key.id, "created": key.created or None, "current": key is ring.current} for key in ring.keys
    ]
    lines = [
        f"{key.id}  {key.created or '(date unknown)'}{'  current' if key is ring.current else ''}"
        for key in ring.keys
    ]
    shown = "\n".join([*lines, *([note] if note else []), *([f"at {where}"] if where else [])])
    emit(
        {"keys": listed, "place": where or None, "note": note},
        shown,
        plain="\n".join(ring.ids),
        as_json=as_json,
    )


class _Asked:
    """A passphrase that is asked for once and remembered while the command runs."""

    def __init__(self, *, confirm: bool) -> None:
        self._confirm = confirm
        self._given: str | None = None

    def __call__(self) -> str:
        if self._given is None:
            self._given = str(
                typer.prompt(
                    "Passphrase of the key file", hide_input=True, confirmation_prompt=self._confirm, err=True
                )
            )
        return self._given


def _twice() -> _Asked | None:
    return _Asked(confirm=True) if _terminal() else None


def _once() -> _Asked | None:
    return _Asked(confirm=False) if _terminal() else None


def _terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and not os.environ.get("PRIVET_PASSPHRASE")
