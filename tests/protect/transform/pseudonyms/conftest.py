"""A ring that is always the same, a cheap passphrase, and no keys from outside."""

import pytest

from privet.protect.transform.pseudonyms import Key, KeyRing
from privet.protect.transform.pseudonyms import _key_storage as key_places


@pytest.fixture
def ring() -> KeyRing:
    return KeyRing((Key("k1", bytes(range(32)), "2026-01-01"),))


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRIVET_KEYS", raising=False)
    monkeypatch.delenv("PRIVET_PASSPHRASE", raising=False)
    monkeypatch.setattr(key_places, "SCRYPT", {"n": 2**10, "r": 8, "p": 1})
