"""Keys never show, scopes never clash, and rings rotate."""

import copy
import json
import pickle

import pytest

from privet.errors import BadKeyRing, BadTransform
from privet.protect.transform.pseudonyms._key_ring import Key, KeyRing, KeyScope, subkey

SECRET = bytes(range(32))


def test_a_key_never_shows_its_secret() -> None:
    key = Key("k1", SECRET)
    ring = KeyRing((key,))
    assert repr(key) == str(key) == "<key k1>"
    assert repr(ring) == "<key ring: k1>"
    with pytest.raises(BadKeyRing):
        pickle.dumps(ring)
    with pytest.raises(BadKeyRing):
        copy.deepcopy(key)
    with pytest.raises(TypeError):
        json.dumps(key)


@pytest.mark.parametrize("name", ["", "K1", "1k", "k 1", "k.1", "v", "s", "k" * 17])
def test_ids_are_short_words_that_tokens_can_carry(name: str) -> None:
    with pytest.raises(BadKeyRing):
        Key(name, SECRET)


@pytest.mark.parametrize("secret", [b"", b"swordfish", bytes(32), b"ab" * 16])
def test_weak_secrets_are_refused_without_showing_them(secret: bytes) -> None:
    with pytest.raises(BadKeyRing) as caught:
        Key("k1", secret)
    assert not secret or secret.decode(errors="replace") not in str(caught.value)


def test_rings_rotate_and_forget() -> None:
    ring = KeyRing.fresh()
    twice = ring.rotated().rotated()
    assert twice.ids == ("k3", "k2", "k1")
    assert twice.current.id == "k3"
    assert twice.find("k1") is ring.current
    assert twice.without("k2").ids == ("k3", "k1")
    assert twice.without("k2").rotated().ids == ("k4", "k3", "k1")
    assert KeyRing.fresh().current.secret != ring.current.secret
    for name in ("k3", "k9"):
        with pytest.raises(BadKeyRing):
            twice.without(name)


def test_rings_need_keys_with_ids_of_their_own() -> None:
    with pytest.raises(BadKeyRing):
        KeyRing(())
    with pytest.raises(BadKeyRing):
        KeyRing((Key("k1", SECRET), Key("k1", bytes(range(1, 33)))))


def test_subkeys_are_hkdf_and_apart() -> None:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    key = Key("k1", SECRET)
    info = b"privet pseudonyms 1 one-way\0" + b"\0\0\0\2abc"[:6] + b"\0\0\0\1c"
    expected = HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(SECRET)
    assert subkey(key, "one-way", KeyScope("ab", "c")) == expected
    others = [
        subkey(key, "one-way", KeyScope("a", "bc")),
        subkey(key, "reversible", KeyScope("ab", "c")),
        subkey(Key("k1", bytes(range(1, 33))), "one-way", KeyScope("ab", "c")),
        subkey(key, "one-way", KeyScope("c", "ab")),
    ]
    assert len({expected, *others}) == 5


@pytest.mark.parametrize(("dataset", "domain"), [("", "x"), ("x", ""), ("  ", "x")])
def test_scopes_have_names(dataset: str, domain: str) -> None:
    with pytest.raises(BadTransform):
        KeyScope(dataset, domain)
