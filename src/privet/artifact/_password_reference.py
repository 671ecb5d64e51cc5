"""Passwords of databases by reference: looked up when a connection is made, and known to nobody else.

    postgresql://clinic@db.example/hospital?password_env=CLINIC_PASSWORD#stays
    postgresql://clinic@db.example/hospital?password_file=/run/secrets/clinic#stays
    postgresql://clinic@db.example/hospital?password_keyring=clinic#stays

Without any of these, PostgreSQL's own ways hold (`PGPASSWORD`, `~/.pgpass`, a service file).
"""

from __future__ import annotations

import importlib
import os
import re
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from privet._address_secrets import (
    REFERENCES,
    holds_password,
    keep_secret,
    redacted,
    with_password,
    with_reference,
)
from privet.errors import MissingExtra, PasswordNotFound, PasswordWritten, UnsafePath
from privet.evidence import given_file

SERVICE = "privet"  # under which the key ring keeps passwords
SUGGESTED = "PRIVET_DB_PASSWORD"
_LONGEST = 4096


def refuse_password(text: str, where: str) -> None:
    """Refuse an address with a password in it; `where` says in which place others could read it."""
    if not holds_password(text):
        return
    address = re.search(r"[A-Za-z][A-Za-z0-9+.-]*://\S+", text)
    named = with_reference(address[0] if address else "", "password_env", SUGGESTED)
    raise PasswordWritten(
        f"{where} an address holds a password, which others can read there.",
        f"Keep it in the environment (read -rs {SUGGESTED}; export {SUGGESTED}) and name it: '{redacted(named)}'. "
        "password_file=/run/secrets/db and password_keyring=NAME do as well.",
    )


def connectable(address: str) -> str:
    """The address with the password that it names, to connect with at once; it is never kept."""
    try:
        parts = urlsplit(address)
        named = [
            (key, value) for key, value in parse_qsl(parts.query, keep_blank_values=True) if key in REFERENCES
        ]
    except ValueError:
        return address  # whoever connects says what is wrong with it
    if not named:
        _remember(address)
        return address
    if len(named) > 1 or holds_password(address):
        raise PasswordWritten(
            "an address gives its password in more than one way.", "Leave one: password_env=NAME."
        )
    ((kind, name),) = named
    found = {"password_env": _of_environment, "password_file": _of_file, "password_keyring": _of_key_ring}[
        kind
    ](name)
    if not found or len(found) > _LONGEST or "\0" in found:
        raise PasswordNotFound("the place that the address names holds no password.", "Put it there.")
    keep_secret(found)
    return with_password(parts, found)


def _remember(address: str) -> None:
    """A program may have put a password into its address: from now on it is known for one."""
    try:
        parts = urlsplit(address)
        given = [parts.password or "", *(value for key, value in parse_qsl(parts.query) if key == "password")]
    except ValueError:
        return
    for secret in given:
        keep_secret(unquote(secret))


def _of_environment(name: str) -> str:
    found = os.environ.get(name)
    if found is None:
        raise PasswordNotFound(
            f"the environment has no {name}, which should hold the database's password.",
            f"Set it: read -rs {name}; export {name}",
        )
    return found


def _of_file(name: str) -> str:
    place = Path(name).expanduser()
    if not place.is_absolute():
        raise PasswordNotFound(
            "the file with the database's password is not named by its whole path.",
            "Write password_file=/run/secrets/db.",
        )
    try:
        with given_file(place) as file:
            text = file.read(_LONGEST + 2).decode()
    except (OSError, ValueError, UnsafePath):
        raise PasswordNotFound(
            "the file that should hold the database's password cannot be read.",
            f"Check {place} and its rights.",
        ) from None
    return text.removesuffix("\n").removesuffix("\r")


def _of_key_ring(name: str) -> str:
    try:
        keyring = importlib.import_module("keyring")
    except ImportError:
        raise MissingExtra(
            "the system's key ring needs a library.", "pip install 'privet[keyring]'"
        ) from None
    try:
        found = keyring.get_password(SERVICE, name)
    except keyring.errors.KeyringError:
        raise PasswordNotFound(
            "this machine has no key ring that can be used.", "Use password_env=NAME or password_file=PATH."
        ) from None
    if found is None:
        raise PasswordNotFound(
            "the system's key ring holds no password of that name.",
            f"Put it there: keyring set {SERVICE} {name}",
        )
    return str(found)
