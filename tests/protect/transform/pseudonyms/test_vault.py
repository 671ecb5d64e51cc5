"""The vault: random tokens, subject keys, erasure of one that leaves the others, rotation."""

import os
import sqlite3
import stat
import threading
from pathlib import Path

import pytest

from privet.errors import BadPseudonym, NoSuchSubject, SecretExposed, VaultUnavailable
from privet.protect.transform.pseudonyms import Key, KeyRing, KeyScope, Vault

PEOPLE, MAIL = KeyScope("hospital", "patient_id"), KeyScope("hospital", "email")
NAMES = ["ada@example.org", "bob@example.org", "cy@example.org"]


@pytest.fixture
def vault(tmp_path: Path, ring: KeyRing) -> Vault:
    return Vault(tmp_path / "people.vault", ring)


def test_tokens_are_kept_and_random(vault: Vault, ring: KeyRing, tmp_path: Path) -> None:
    tokens = vault.tokens(NAMES, MAIL)
    assert len(set(tokens)) == 3
    assert all(token.startswith("v.") and len(token) == 28 for token in tokens)
    assert Vault(vault.file, ring).tokens(NAMES[::-1], MAIL) == tokens[::-1]
    assert vault.values(tokens, MAIL) == NAMES
    assert Vault(tmp_path / "other.vault", ring).tokens(NAMES, MAIL) != tokens
    assert not set(vault.tokens(NAMES, PEOPLE)) & set(tokens)


def test_the_file_shows_nobody(vault: Vault) -> None:
    vault.tokens(NAMES, MAIL)
    vault.sealed_for(["17"], ["Ada Lovelace"], PEOPLE, MAIL)
    content = vault.file.read_bytes()
    assert not any(name.encode() in content for name in (*NAMES, "Lovelace", "example.org"))
    assert stat.S_IMODE(vault.file.stat().st_mode) == 0o600


def test_erasing_one_leaves_the_others(vault: Vault) -> None:
    tokens = vault.tokens(NAMES, MAIL)
    assert vault.erase([NAMES[1]], MAIL) == 1
    assert vault.values(tokens, MAIL) == [NAMES[0], None, NAMES[2]]
    again = vault.tokens(NAMES, MAIL)
    assert again[0] == tokens[0]
    assert again[1] != tokens[1], "who comes back is somebody new"
    assert vault.erase_tokens([tokens[2], tokens[0]]) == 2
    assert vault.values(tokens, MAIL) == [None, None, None]


def test_what_was_deleted_is_overwritten(vault: Vault) -> None:
    vault.tokens(NAMES, MAIL)
    book = sqlite3.connect(vault.file)
    rows = book.execute("SELECT value FROM entries").fetchall()
    book.close()
    vault.erase(NAMES, MAIL)
    content = vault.file.read_bytes()
    assert not any(value in content for (value,) in rows)


def test_a_subject_s_key_opens_all_its_columns_until_it_is_destroyed(vault: Vault) -> None:
    mails = vault.sealed_for(["1", "2", "1"], ["a@x", "b@x", "a2@x"], PEOPLE, MAIL)
    notes = vault.sealed_for(["1", "2"], ["tall", "short"], PEOPLE, KeyScope("hospital", "note"))
    assert vault.opened_for(mails, MAIL) == ["a@x", "b@x", "a2@x"]
    assert mails == vault.sealed_for(["1", "2", "1"], ["a@x", "b@x", "a2@x"], PEOPLE, MAIL)
    assert vault.erase(["1"], PEOPLE) == 1
    assert vault.opened_for(mails, MAIL) == [None, "b@x", None]
    assert vault.opened_for(notes, KeyScope("hospital", "note")) == [None, "short"]
    assert vault.erase_tokens([notes[1]]) == 1
    assert vault.opened_for(mails, MAIL) == [None, None, None]


def test_equal_values_of_two_subjects_look_different(vault: Vault) -> None:
    first, second = vault.sealed_for(["1", "2"], ["flu", "flu"], PEOPLE, MAIL)
    assert first.rpartition(".")[2] != second.rpartition(".")[2]


def test_an_unknown_subject_is_said_and_nothing_is_erased(vault: Vault) -> None:
    tokens = vault.tokens(NAMES, MAIL)
    with pytest.raises(NoSuchSubject, match="1 of 2") as caught:
        vault.erase([NAMES[0], "dan@example.org"], MAIL)
    assert "dan" not in str(caught.value)
    assert vault.values(tokens, MAIL) == NAMES
    with pytest.raises(NoSuchSubject):
        vault.erase([NAMES[0]], PEOPLE)
    with pytest.raises(NoSuchSubject):
        vault.erase([], MAIL)
    with pytest.raises(BadPseudonym):
        vault.erase_tokens(["k1.abc"])


def test_values_of_another_scope_or_form_do_not_open(vault: Vault) -> None:
    tokens = vault.tokens(NAMES, MAIL)
    with pytest.raises(BadPseudonym, match="another data set or domain"):
        vault.values(tokens, PEOPLE)
    for bad in ("", "v", "v.", "v.abc", "s.abc", "ada@example.org", "v.!!!"):
        with pytest.raises(BadPseudonym) as caught:
            vault.values([bad], MAIL)
        assert "ada" not in str(caught.value)
    sealed = vault.sealed_for(["1"], ["a@x"], PEOPLE, MAIL)
    with pytest.raises(BadPseudonym):
        vault.opened_for(sealed, PEOPLE)
    with pytest.raises(BadPseudonym):
        vault.opened_for([sealed[0][:-4] + "aaaa"], MAIL)


def test_rotation_keeps_tokens_and_lets_the_old_key_go(vault: Vault, ring: KeyRing) -> None:
    tokens = vault.tokens(NAMES, MAIL)
    sealed = vault.sealed_for(["1"], ["a@x"], PEOPLE, MAIL)
    rotated = ring.rotated()
    both = Vault(vault.file, rotated)
    assert both.tokens(NAMES, MAIL) == tokens
    with pytest.raises(VaultUnavailable, match="k1"):
        Vault(vault.file, rotated.without("k1")).values(tokens, MAIL)
    assert both.rewrap() == 4
    assert both.rewrap() == 0
    new = Vault(vault.file, rotated.without("k1"))
    assert new.values(tokens, MAIL) == NAMES
    assert new.tokens(NAMES, MAIL) == tokens
    assert new.opened_for(sealed, MAIL) == ["a@x"]
    assert new.sealed_for(["1"], ["a@x"], PEOPLE, MAIL) == sealed
    assert new.erase(["1"], PEOPLE) == 1


def test_another_key_of_the_same_id_opens_nothing(vault: Vault) -> None:
    tokens = vault.tokens(NAMES, MAIL)
    stranger = Vault(vault.file, KeyRing((Key("k1", bytes(range(1, 33))),)))
    with pytest.raises(BadPseudonym, match="another key"):
        stranger.values(tokens, MAIL)


def test_a_failure_changes_nothing(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter([b"a" * 16, b"a" * 16])
    monkeypatch.setattr("privet.protect.transform.pseudonyms._vault.fresh_bytes", lambda _: next(drawn))
    with pytest.raises(VaultUnavailable, match="IntegrityError"):
        vault.tokens(NAMES, MAIL)
    monkeypatch.undo()
    book = sqlite3.connect(vault.file)
    assert book.execute("SELECT count(*) FROM entries").fetchone() == (0,)
    book.close()


def test_other_files_are_no_vaults(tmp_path: Path, ring: KeyRing) -> None:
    text = tmp_path / "text"
    text.write_text("not a database at all, but long enough to be taken for one" * 20)
    text.chmod(0o600)
    database = tmp_path / "other.db"
    book = sqlite3.connect(database)
    book.execute("CREATE TABLE t (x)")
    book.close()
    database.chmod(0o600)
    for file in (text, database, tmp_path / "missing" / "vault"):
        with pytest.raises(VaultUnavailable):
            Vault(file, ring)


@pytest.mark.skipif(os.name != "posix", reason="rights of files are POSIX's")
def test_an_open_vault_is_refused(vault: Vault, ring: KeyRing) -> None:
    vault.file.chmod(0o644)
    with pytest.raises(SecretExposed):
        Vault(vault.file, ring)


def test_threads_that_make_a_vault_at_once_share_one(ring: KeyRing, tmp_path: Path) -> None:
    start, found = threading.Barrier(6), []

    def ask() -> None:
        start.wait()
        found.append(Vault(tmp_path / "shared.vault", ring).tokens(["Ada", "Bob"], KeyScope("d", "name")))

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert len({tuple(tokens) for tokens in found}) == 1
