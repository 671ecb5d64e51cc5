"""Passwords in addresses of databases: found, left out of whatever is shown or kept, and never needed in writing.

An address names its password instead of holding it: `?password_env=NAME`, `?password_file=/run/secrets/db` or
`?password_keyring=NAME` (`privet.artifact.connectable` looks it up at the moment of connecting). `redacted` is the one
function that takes passwords out of a text; every error and every line on a terminal has passed it.
"""

from __future__ import annotations

import base64
import re
from typing import Any
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit

REFERENCES = ("password_env", "password_file", "password_keyring")
PASSWORDS = ("password", "sslpassword")
HIDDEN = "***"
DEFAULT_PORT = "5432"
_SHORTEST = 4  # a shorter secret would blot out half of every text, and is none
_LOGIN = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://[^\s:/?#@\"'<>]*):([^\s\"'<>]+)@")
# A password that makes an address valid: others may be typed, and lead nowhere.
_HELD = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://[^\s:/?#@\"'<>]*):[^\s/?#\"'<>]+@")
_PARAMETER = re.compile(rf"([?&\s](?:{'|'.join(PASSWORDS)})\s*=\s*)([^&#\s\"'<>]+)", re.IGNORECASE)
_known: set[str] = set()


def keep_secret(secret: str) -> None:
    """Let `redacted` know a password of this process, so that it finds it wherever a library may have put it."""
    if len(secret) < _SHORTEST:
        return
    forms = {secret, quote(secret, safe=""), quote(secret)}
    # In base64 a text looks different at each of three offsets; what surrounds it touches some characters at both ends.
    coded = secret.encode()
    for pad in range(3):
        whole = base64.b64encode(b"\0" * pad + coded).decode()
        forms.add(whole[pad + (pad > 0) : 8 * (pad + len(coded)) // 6])
    _known.update(form for form in forms if len(form) >= _SHORTEST)


def redacted(text: str) -> str:
    """The text without any password: neither in an address, nor one that this process has looked up."""
    shown = text
    if "://" in shown:
        shown = _LOGIN.sub(rf"\1:{HIDDEN}@", shown)
    if "password" in shown.lower():
        shown = _PARAMETER.sub(rf"\1{HIDDEN}", shown)
    for secret in sorted(_known, key=len, reverse=True):
        shown = shown.replace(secret, HIDDEN)
    return shown


def redacted_values(value: Any) -> Any:
    """Plain data without any password in its texts."""
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, dict):
        return {redacted_values(name): redacted_values(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return (
            type(value)([redacted_values(inner) for inner in value])
            if type(value) in (list, tuple)
            else value
        )
    return value


def holds_password(text: str) -> bool:
    """Whether a password stands in an address."""
    return "://" in text and bool(_HELD.search(text) or _PARAMETER.search(text))


def without_password(address: str) -> str:
    """An address without its password, to be kept and shown; references stay. A file is given back as it is."""
    if not holds_password(address):
        return address
    shown = _HELD.sub(r"\1@", address)
    server, mark, name = shown.partition("#")
    server, sign, query = server.partition("?")
    kept = "&".join(part for part in query.split("&") if part.partition("=")[0].lower() not in PASSWORDS)
    return f"{server}{sign if kept else ''}{kept}{mark}{name}"


def with_reference(address: str, reference: str, name: str) -> str:
    """An address that names its password instead of holding it."""
    server, mark, table = without_password(address).partition("#")
    joint = "&" if "?" in server else "?"
    return f"{server}{joint}{reference}={quote(name)}{mark}{table}"


def with_password(parts: SplitResult, secret: str) -> str:
    """The address to connect with: it is used at once, and neither kept nor shown."""
    login, sign, host = parts.netloc.rpartition("@")
    query = [
        (key, value) for key, value in parse_qsl(parts.query, keep_blank_values=True) if key not in REFERENCES
    ]
    return parts._replace(
        netloc=f"{login.partition(':')[0] if sign else ''}:{quote(secret, safe='')}@{host}",
        query=urlencode(query, quote_via=quote),
    ).geturl()


def same_address(one: str, other: str) -> bool:
    """Whether two addresses lead to the same table or ledger, whoever asks and however the password is given."""
    return _identity(one) == _identity(other)


def _identity(address: str) -> tuple[str, ...]:
    try:
        parts = urlsplit(without_password(address))
        query = dict(parse_qsl(parts.query))
        host, port = (
            (parts.hostname or query.get("host", "")).lower(),
            str(parts.port or query.get("port", DEFAULT_PORT)),
        )
    except ValueError:  # no address at all
        return (address,)
    name = unquote(parts.fragment) or query.get("table", "") or query.get("ledger", "")
    database = unquote(parts.path).strip("/") or query.get("dbname", "")
    scheme = "postgresql" if parts.scheme == "postgres" else parts.scheme
    return scheme, host, port, database, name.removeprefix("public.").removeprefix("main")
