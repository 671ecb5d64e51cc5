"""Keys come from the environment, the system's key ring or an encrypted file, and leak from none."""

import base64
import json
import os
import stat
import types
from pathlib import Path

import pytest

from privet.errors import BadKeyRing, KeyFileLocked, MissingExtra, NoKeys, PrivetError, SecretExposed
from privet.protect.transform.pseudonyms import KeyRing, find_keys, save_keys
from privet.protect.transform.pseudonyms import _key_storage as key_places

PHRASE = "correct horse battery staple"
CODED = base64.b64encode(bytes(range(32))).decode()


@pytest.fixture
def file(tmp_path: Path, ring: KeyRing, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PRIVET_PASSPHRASE", PHRASE)
    path = tmp_path / "privet.keys"
    assert save_keys(ring.rotated(), str(path), fresh=True) == str(path)
    return path


def test_a_file_gives_back_its_ring_and_is_closed_to_others(file: Path, ring: KeyRing) -> None:
    found = find_keys(str(file))
    assert found.ids == ("k2", "k1")
    assert found.keys[1].secret == ring.current.secret
    assert found.keys[1].created == "2026-01-01"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["privet.keys"]


def test_a_file_holds_nothing_readable(file: Path) -> None:
    content = file.read_text()
    assert CODED not in content
    assert PHRASE not in content
    assert set(json.loads(content)) == {"privet_keys", "n", "r", "p", "salt", "nonce", "sealed"}


def test_the_shipped_cost_is_128_mebibytes() -> None:
    import importlib.util

    fresh = importlib.util.module_from_spec(importlib.util.find_spec(key_places.__name__))
    fresh.__spec__.loader.exec_module(fresh)
    assert 128 * fresh.SCRYPT["n"] * fresh.SCRYPT["r"] == 128 * 2**20


def test_a_wrong_passphrase_or_a_changed_file_does_not_open(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRIVET_PASSPHRASE", "wrong horse battery staple")
    with pytest.raises(KeyFileLocked, match="does not open"):
        find_keys(str(file))
    monkeypatch.setenv("PRIVET_PASSPHRASE", PHRASE)
    stored = json.loads(file.read_text())
    sealed = bytearray(base64.b64decode(stored["sealed"]))
    sealed[3] ^= 1
    file.write_text(json.dumps({**stored, "sealed": base64.b64encode(sealed).decode()}))
    with pytest.raises(KeyFileLocked, match="does not open"):
        find_keys(str(file))


def test_no_passphrase_is_said(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRIVET_PASSPHRASE")
    monkeypatch.setattr("sys.stdin", types.SimpleNamespace(isatty=lambda: False))
    with pytest.raises(KeyFileLocked, match="needs a passphrase"):
        find_keys(str(file))
    assert find_keys(str(file), ask=lambda: PHRASE).ids == ("k2", "k1")


def test_a_short_passphrase_is_refused(tmp_path: Path, ring: KeyRing) -> None:
    with pytest.raises(KeyFileLocked, match="shorter than 12"):
        save_keys(ring, str(tmp_path / "keys"), ask=lambda: "secret")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="rights of files are POSIX's")
@pytest.mark.parametrize("rights", [0o644, 0o640, 0o604, 0o620])
def test_a_file_that_others_may_read_is_refused(file: Path, rights: int) -> None:
    file.chmod(rights)
    with pytest.raises(SecretExposed, match=f"{rights:03o}"):
        find_keys(str(file))


def test_a_new_ring_never_replaces_one(file: Path, ring: KeyRing) -> None:
    before = file.read_bytes()
    with pytest.raises(BadKeyRing, match="exists already"):
        save_keys(ring, str(file), fresh=True)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "content",
    ["", "{}", "[1]", "not json", '{"salt": "!", "nonce": 1}', '{"salt": null, "nonce": "", "sealed": ""}'],
)
def test_other_files_are_no_key_files(tmp_path: Path, content: str) -> None:
    path = tmp_path / "keys"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(BadKeyRing, match="not a key file"):
        find_keys(str(path), ask=lambda: PHRASE)


def test_a_file_cannot_ask_for_endless_work(file: Path) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), "n": 2**40}))
    with pytest.raises(BadKeyRing, match="more work"):
        find_keys(str(file))


def test_the_environment_comes_first(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    assert find_keys().ids == ("k2", "k1")
    monkeypatch.setenv("PRIVET_KEYS", f"k7={CODED}")
    assert find_keys().ids == ("k7",)
    assert find_keys(str(file)).ids == ("k2", "k1")
    assert find_keys("env").current.secret == bytes(range(32))


@pytest.mark.parametrize("text", ["swordfish", "k1=swordfish", f"{CODED}", f"k1={CODED[:20]}", "k1:abc"])
def test_a_broken_variable_is_refused_and_not_repeated(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVET_KEYS", text)
    with pytest.raises(PrivetError) as caught:
        find_keys()
    said = str(caught.value) + json.dumps(caught.value.to_json())
    assert "swordfish" not in said
    assert CODED[:20] not in said


def test_without_keys_the_way_to_make_one_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for place in (None, "nowhere.keys", "env"):
        with pytest.raises(NoKeys) as caught:
            find_keys(place)
        assert "privet keys create" in caught.value.hint or "PRIVET_KEYS" in caught.value.hint


def test_keys_are_never_put_into_the_environment(ring: KeyRing) -> None:
    with pytest.raises(BadKeyRing, match="environment"):
        save_keys(ring, "env")


class Shelf(types.ModuleType):
    """A system key ring for tests."""

    def __init__(self, *, works: bool = True) -> None:
        super().__init__("keyring")
        self.errors = types.SimpleNamespace(KeyringError=type("KeyringError", (Exception,), {}))
        self.kept: dict[tuple[str, str], str] = {}
        self.works = works

    def get_password(self, service: str, name: str) -> str | None:
        if not self.works:
            raise self.errors.KeyringError("no backend")
        return self.kept.get((service, name))

    def set_password(self, service: str, name: str, text: str) -> None:
        self.kept[service, name] = text


def test_the_system_s_key_ring(ring: KeyRing, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf()
    monkeypatch.setitem(__import__("sys").modules, "keyring", shelf)
    with pytest.raises(NoKeys, match="no keys of that name"):
        find_keys("keyring:hospital")
    save_keys(ring.rotated(), "keyring:hospital", fresh=True)
    found = find_keys("keyring:hospital")
    assert found.ids == ("k2", "k1")
    assert found.keys[1].secret == ring.current.secret
    with pytest.raises(BadKeyRing, match="already"):
        save_keys(ring, "keyring:hospital", fresh=True)
    monkeypatch.setitem(__import__("sys").modules, "keyring", Shelf(works=False))
    with pytest.raises(NoKeys, match="no key ring"):
        find_keys("keyring")


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "keyring", None)
    with pytest.raises(MissingExtra, match="library"):
        find_keys("keyring:hospital")


@pytest.mark.parametrize(
    "change",
    [
        {"n": 3},
        {"n": 1},
        {"n": -8},
        {"n": 1e999},
        {"r": 0},
        {"p": 0},
        {"nonce": "AAAA"},
        {"sealed": "é"},
        {"n": 2**22, "r": 32},
        {"p": 17},
        {"n": 10**30},
        {"salt": [[]]},
    ],
)
def test_a_key_file_that_was_bent_is_refused_in_our_words(tmp_path, change):
    file = tmp_path / "keys.json"
    stored = {"n": 16, "r": 8, "p": 1, "salt": "AAAA", "nonce": "AAAAAAAAAAAAAAAA", "sealed": "AAAA"} | change
    file.write_text(json.dumps(stored))
    file.chmod(0o600)
    with pytest.raises(BadKeyRing):
        key_places.read_file(file, ask=lambda: "long enough a phrase")
