"""The data set's signing key: where it is kept, how it is made and rotated, and how a module or service signs instead.

It stands in a folder of its own beside the declaration: `key` (the secret, 0600; sealed like the keys of pseudonyms where
PRIVET_PASSPHRASE is set) and `keys.json` (the public keys, for everybody). An HSM or KMS signs where the environment names
one: PRIVET_SIGNER=module:function. Neither ever comes from the declaration, which others may edit.
"""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path
from typing import Any

from privet.artifact import OwnerOnly, Publishable, discard, own_folder, written_whole
from privet.errors import NoSigningKey, PrivetError
from privet.evidence import (
    FOLDER,
    HISTORY,
    KeyHistory,
    SeedSigner,
    Signer,
    Signing,
    is_own,
    now,
    read_json,
    read_keys,
    record_bytes,
    record_text,
    refuse_special,
)

SIGNER = "PRIVET_SIGNER"
SECRET, NEXT = "key", "key.next"  # names of files
_PLAIN = "privet_signing_key"
_LARGEST = 100_000


def signing_of(folder: Path) -> Signing | None:
    """What signs for the data set declared in a folder; None where it has no key. One that cannot be used is refused."""
    history = _history(folder)
    if not history.is_file():
        if os.environ.get(SIGNER):
            raise NoSigningKey(
                f"{SIGNER} names a signer, and the data set has no list of public keys.",
                "Begin one with the signer's key: privet keys signing.",
            )
        return None
    _refuse_shared(folder, history)
    keys = read_keys(history)
    signer = _hooked(folder) or _kept(folder / FOLDER / SECRET)
    if signer.public != keys.current.public and (folder / FOLDER / NEXT).is_file():
        # A rotation was stopped between its list and its key.
        _take_over(folder / FOLDER)
        signer = _kept(folder / FOLDER / SECRET)
    if signer.public != keys.current.public:
        raise NoSigningKey(
            f"the key is not the current one of {FOLDER}/{HISTORY}.",
            "Put the right key back, or rotate to it with the old one.",
        )
    return Signing(signer, keys)


def _refuse_shared(folder: Path, history: Path) -> None:
    """What others could have written is not what one signs by: the list of keys, or the folder that they would swap."""
    secret = folder / FOLDER / SECRET
    if is_own(history) and (os.environ.get(SIGNER) or not os.path.lexists(secret) or is_own(secret)):
        return
    raise NoSigningKey(
        f"{FOLDER} is a link, or others can write to it or own what is in it: the key could be anybody's.",
        f"Find out whether it is yours; then: chmod go-w {FOLDER} {FOLDER}/{HISTORY}",
    )


def public_keys_of(folder: Path) -> KeyHistory | None:
    """The public keys of the data set declared in a folder, if it has any."""
    history = _history(folder)
    return read_keys(history) if history.is_file() else None


def _history(folder: Path) -> Path:
    """Where the public keys lie. A pipe or a link there is not the same as none: it would do without signatures."""
    history = folder / FOLDER / HISTORY
    for place in (folder / FOLDER, history):
        refuse_special(place)
    return history


def make_signing_key(folder: Path) -> KeyHistory:
    """Make the data set's key, or begin its list with the key of a module or service; one that is there stays."""
    place = folder / FOLDER
    if (place / HISTORY).is_file():
        return read_keys(place / HISTORY)
    _own_folder(place)
    signer = _hooked(folder) or _new(place / SECRET)
    return _listed(KeyHistory.first(signer, now()), place)


def rotate_signing_key(folder: Path, new: Signer | None = None) -> KeyHistory:
    """Put a new key in the old one's place. The old one signs that it hands over, ends, and is gone."""
    there = signing_of(folder)
    if there is None:
        raise NoSigningKey("the data set has no signing key yet.", "Make one: privet keys signing.")
    place = folder / FOLDER
    next_place = place / NEXT
    discard(next_place)
    chosen = new or _new(next_place)
    history = there.keys.rotated(there.signer, chosen, now())
    _listed(history, place)
    if new is None:
        _take_over(place)
    return history


def public_of(file: str | Path) -> str:
    """The public key in a file: of a list of keys the current one; or 64 hexadecimal digits."""
    try:
        text = record_text(file, largest=_LARGEST).strip()
    except (OSError, ValueError):
        text = str(file).strip()
    if len(text) == 64 and set(text) <= set("0123456789abcdef"):
        return text
    return read_keys(file).current.public


def signer_in(file: Path) -> Signer:
    """The signer of a person's own key file, as `make_own_key` wrote it."""
    return _kept(file)


def make_own_key(file: Path) -> Signer:
    """Make a key of one's own, for approving; refused where something stands."""
    if os.path.lexists(file):
        raise NoSigningKey(f"{file.name} is there already.", "Name another file.")
    return _new(file)


def _hooked(folder: Path) -> Signer | None:
    """The signer that the environment names."""
    said = os.environ.get(SIGNER)
    if not said:
        return None
    module, _, function = said.partition(":")
    try:
        found: Any = getattr(importlib.import_module(module), function)(folder)
        public = found.public
    except PrivetError:
        raise
    except Exception:  # noqa: BLE001  whatever a module of others raises, with whatever in its message
        raise NoSigningKey(
            f"{SIGNER} names a signer that cannot be used.",
            "Write PRIVET_SIGNER=module:function; the function takes the folder and gives an object with `public` and `sign`.",
        ) from None
    if not isinstance(public, str) or len(public) != 64:
        raise NoSigningKey(
            f"the signer that {SIGNER} names has no Ed25519 key.", "`public` is 64 hexadecimal digits."
        )
    return found  # type: ignore[no-any-return]


def _new(file: Path) -> Signer:
    """A new key, kept in a file that only its owner may read."""
    from privet.protect.transform.pseudonyms import PASSPHRASE, Key, KeyRing, save_keys

    secret = KeyRing.fresh().current.secret
    if os.environ.get(PASSPHRASE):
        save_keys(KeyRing((Key("k1", secret),)), str(file), fresh=True)
    else:
        text = json.dumps({_PLAIN: 1, "seed": secret.hex()}) + "\n"
        written_whole(file, OwnerOnly(text))
    return SeedSigner(secret)


def _kept(file: Path) -> Signer:
    from privet.protect.transform.pseudonyms import check_private, find_keys

    refuse_special(file)
    if not file.is_file():
        raise NoSigningKey(
            f"there is no key at {file.name}.", "Restore it from your backup, or name the right file."
        )
    check_private(file)
    try:
        record = read_json(record_bytes(file, largest=_LARGEST), what=file.name)
        plain = record.get(_PLAIN) == 1
        seed = bytes.fromhex(record["seed"]) if plain else find_keys(str(file)).current.secret
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise NoSigningKey(f"{file.name} is no signing key.", "Restore it from your backup.") from None
    return SeedSigner(seed)


def _take_over(place: Path) -> None:
    """The next key in the place of the one before it."""
    text = record_text(place / NEXT, largest=_LARGEST)
    written_whole(place / SECRET, OwnerOnly(text))
    discard(place / NEXT)


def _listed(history: KeyHistory, place: Path) -> KeyHistory:
    text = json.dumps(history.to_json(), indent=1) + "\n"
    written_whole(place / HISTORY, Publishable(text, "holds nothing from the data"))
    return history


def _own_folder(place: Path) -> None:
    own_folder(place, shared=True)
    # The secret and how far the ledger goes are no part of a repository; the public keys are.
    ignored = place / ".gitignore"
    if not ignored.exists():
        text = f"{SECRET}\n{SECRET}.*\nhead.json\n"
        written_whole(ignored, Publishable(text, "holds nothing from the data"))
