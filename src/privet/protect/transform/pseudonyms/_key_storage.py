"""Where keys are kept: in the environment, in the system's key ring, or in an encrypted file of the owner's alone.

Keys never come from an argument, a policy file or a plain file. The passphrase of a key file comes from the
environment or from the terminal. The file holds the ring sealed by AES-GCM under a key that scrypt (RFC 7914)
makes of the passphrase; its rights are 0600, and a file that others may read is refused.
"""

from __future__ import annotations

import base64
import binascii
import importlib
import json
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from privet.artifact import OwnerOnly, is_there, written_whole
from privet.errors import BadKeyRing, FileProblem, KeyFileLocked, MissingExtra, NoKeys, SecretExposed, checked
from privet.evidence import read_json, record_bytes, refuse_special
from privet.mechanism import fresh_bytes
from privet.protect.transform.pseudonyms._key_ring import Key, KeyRing

VARIABLE, PASSPHRASE = "PRIVET_KEYS", "PRIVET_PASSPHRASE"
ENVIRONMENT, SYSTEM = "env", "keyring"
DEFAULT_FILE = "privet.keys"
# 128 MiB and about half a second for each guess at the passphrase.
SCRYPT = {"n": 2**17, "r": 8, "p": 1}
_NONCE = 12  # bytes
_MOST_WORK, _MOST_TIMES = 2**23, 16  # n times r, of 128 bytes each; p
_SHORTEST = 12
_SEALED_AS = b"privet keys 1"


@checked
def find_keys(place: str | None = None, *, ask: Callable[[], str] | None = None) -> KeyRing:
    """The ring at a place: `env`, `keyring:NAME` or a file; if none is named, the first of these that has one."""
    if place == ENVIRONMENT or (place is None and os.environ.get(VARIABLE)):
        return _from_text(os.environ.get(VARIABLE, ""), f"the variable {VARIABLE}")
    if place is not None and (place == SYSTEM or place.startswith(f"{SYSTEM}:")):
        return _from_system(place)
    file = Path(place or DEFAULT_FILE)
    if is_there(file) and file.is_file():
        return read_file(file, ask=ask)
    raise NoKeys(
        f"there are no keys at {file}, and {VARIABLE} is not set."
        if place is None
        else f"there is no key file {file}.",
        "Make a key: privet keys create. Or name where keys are: --keys FILE, --keys env, --keys keyring:NAME.",
    )


def save_keys(
    ring: KeyRing, place: str | None = None, *, ask: Callable[[], str] | None = None, fresh: bool = False
) -> str:
    """Keep a ring at a place (`keyring:NAME` or a file) and say which; `fresh` refuses to replace one."""
    if place == ENVIRONMENT:
        raise BadKeyRing(
            "a program cannot put keys into your environment, and printing them would show them.",
            f'Set it yourself: export {VARIABLE}="k1=$(openssl rand -base64 32)".',
        )
    if place is not None and (place == SYSTEM or place.startswith(f"{SYSTEM}:")):
        _to_system(ring, place, fresh=fresh)
        return place
    file = Path(place or DEFAULT_FILE)
    if fresh and file.exists():
        raise BadKeyRing(f"{file} exists already.", "Use privet keys rotate, or name another file.")
    write_file(file, ring, ask=ask)
    return str(file)


def read_file(file: Path, *, ask: Callable[[], str] | None = None) -> KeyRing:
    """The ring in an encrypted file; refused if others may read the file."""
    check_private(file)
    try:
        stored = read_json(record_bytes(file, largest=1_000_000), what=file.name)
        salt, nonce, sealed = (base64.b64decode(stored[name]) for name in ("salt", "nonce", "sealed"))
        cost = {name: int(stored[name]) for name in ("n", "r", "p")}
        whole = _is_cost(cost) and len(nonce) == _NONCE
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        whole = False
    if not whole:
        raise BadKeyRing(f"{file} is not a key file.", "Make one: privet keys create.")
    if cost["n"] * cost["r"] > _MOST_WORK or cost["p"] > _MOST_TIMES:
        raise BadKeyRing(f"{file} asks for more work than any key file of ours.", "It may have been changed.")
    plain = _opened(_stretched(_passphrase(ask), salt, cost), nonce, sealed)
    return KeyRing(
        tuple(Key(one["id"], base64.b64decode(one["secret"]), one["created"]) for one in json.loads(plain))
    )


def _is_cost(cost: dict[str, int]) -> bool:
    """Whether scrypt takes these parameters (RFC 7914, section 6)."""
    return cost["n"] > 1 and cost["n"].bit_count() == 1 and cost["r"] >= 1 and cost["p"] >= 1


def write_file(file: Path, ring: KeyRing, *, ask: Callable[[], str] | None = None) -> None:
    """Keep a ring in an encrypted file that only its owner may read."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    phrase = _passphrase(ask)
    if len(phrase) < _SHORTEST:
        raise KeyFileLocked(
            f"the passphrase is shorter than {_SHORTEST} characters.",
            "Use several words: whoever copies the file can guess.",
        )
    salt, nonce = fresh_bytes(16), fresh_bytes(_NONCE)
    listed = [{"id": key.id, "created": key.created, "secret": _coded(key.secret)} for key in ring.keys]
    sealed = AESGCM(_stretched(phrase, salt, SCRYPT)).encrypt(nonce, json.dumps(listed).encode(), _SEALED_AS)
    stored = {
        "privet_keys": 1,
        **SCRYPT,
        "salt": _coded(salt),
        "nonce": _coded(nonce),
        "sealed": _coded(sealed),
    }
    written_whole(file, OwnerOnly(json.dumps(stored, indent=1) + "\n"))


def check_private(file: Path) -> None:
    """Refuse a file that anybody but its owner may read or write, and a link or a pipe in its place."""
    refuse_special(file)
    try:
        rights = stat.S_IMODE(file.stat().st_mode)
    except OSError as problem:
        raise FileProblem(
            f"{file} cannot be read ({problem.strerror}).", "Check the name and its rights."
        ) from None
    if os.name == "posix" and rights & 0o077:
        raise SecretExposed(
            f"{file} may be read by others (its rights are {rights:03o}).",
            f"Close it: chmod 600 {file}. If somebody may have copied it, make new keys.",
        )


def _passphrase(ask: Callable[[], str] | None) -> str:
    if os.environ.get(PASSPHRASE):
        return os.environ[PASSPHRASE]
    if ask is not None:
        return ask()
    if sys.stdin is not None and sys.stdin.isatty():
        import getpass

        return getpass.getpass("Passphrase of the key file: ")
    raise KeyFileLocked(
        "the key file needs a passphrase.", f"Set {PASSPHRASE}, or run on a terminal to be asked."
    )


def _stretched(phrase: str, salt: bytes, cost: dict[str, int]) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    return Scrypt(salt=salt, length=32, **cost).derive(phrase.encode())


def _opened(key: bytes, nonce: bytes, sealed: bytes) -> bytes:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        return AESGCM(key).decrypt(nonce, sealed, _SEALED_AS)
    except InvalidTag:
        raise KeyFileLocked(
            "the key file does not open: the passphrase is wrong, or the file was changed.",
            "Try again, or restore the file from your backup.",
        ) from None


def _from_text(text: str, where: str) -> KeyRing:
    """A ring written as `k2=BASE64,k1=BASE64`, the current key first. The text is never repeated."""
    keys = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, sign, secret = part.partition("=")
        try:
            decoded = base64.b64decode(secret, validate=True)
        except (binascii.Error, ValueError):
            sign = ""
        if not sign:
            raise BadKeyRing(
                f"{where} does not hold keys.",
                f'Write {VARIABLE}="k1=$(openssl rand -base64 32)", the current key first.',
            )
        keys.append(Key(name, decoded))
    if not keys:
        raise NoKeys(f"{where} holds no keys.", f'Set it: export {VARIABLE}="k1=$(openssl rand -base64 32)".')
    return KeyRing(tuple(keys))


def _system(place: str) -> tuple[Any, str]:
    try:
        keyring = importlib.import_module("keyring")
    except ImportError:
        raise MissingExtra(
            "the system's key ring needs a library.", "pip install 'privet[keyring]', or use a key file."
        ) from None
    return keyring, place.partition(":")[2] or "default"


def _from_system(place: str) -> KeyRing:
    library, name = _system(place)
    try:
        found = library.get_password("privet", name)
    except library.errors.KeyringError:
        raise NoKeys(
            "this machine has no key ring that can be used.", "Use a key file or the environment."
        ) from None
    if found is None:
        raise NoKeys(
            "the system's key ring holds no keys of that name.", f"Make one: privet keys create {place}."
        )
    return _from_text(found, "the entry in the key ring")


def _to_system(ring: KeyRing, place: str, *, fresh: bool) -> None:
    library, name = _system(place)
    text = ",".join(f"{key.id}={_coded(key.secret)}" for key in ring.keys)
    try:
        if fresh and library.get_password("privet", name) is not None:
            raise BadKeyRing("the key ring has an entry of that name already.", "Use privet keys rotate.")
        library.set_password("privet", name, text)
    except library.errors.KeyringError:
        raise NoKeys(
            "this machine has no key ring that can be used.", "Use a key file or the environment."
        ) from None


def _coded(content: bytes) -> str:
    return base64.b64encode(content).decode()
