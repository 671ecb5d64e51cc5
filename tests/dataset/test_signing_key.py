"""The data set's key: made once, for its owner alone, sealed with a passphrase, rotated, or kept by a service."""

import json
import os

import pytest
from tests.evidence.keys import FORGER, NEXT, OWNER

from privet.dataset import _signing_key as storage
from privet.dataset import make_signing_key, public_keys_of, public_of, rotate_signing_key, signing_of
from privet.errors import EvidenceBroken, KeyFileLocked, NoSigningKey, SecretExposed, UnsafePath
from privet.evidence import FOLDER, HISTORY, standing_of

RECORD = {"schema": 1, "artifact": "released-answer", "epsilon": "1"}


def hardware(folder):
    """A second signer, as an HSM's module would offer it: its key is nowhere in the folder."""
    assert folder.is_dir()
    return OWNER


def other_hardware(folder):
    return FORGER


def broken_hardware(folder):
    raise RuntimeError("slot 3, pin 1234")


@pytest.mark.skipif(os.name != "posix", reason="rights are those of POSIX")
@pytest.mark.parametrize("how", ["folder", "list", "linked key", "linked folder"])
def test_keys_that_others_could_have_put_there_sign_nothing(tmp_path, how):
    """Whoever may write beside the key could point at it from a folder of their own, without what it is bound to."""
    make_signing_key(tmp_path)
    place = tmp_path / FOLDER
    if how == "folder":
        place.chmod(0o775)
    elif how == "list":
        (place / "keys.json").chmod(0o664)
    elif how == "linked key":
        (place / "key").rename(tmp_path / "key")
        (place / "key").symlink_to(tmp_path / "key")
    else:
        place.rename(tmp_path / "away")
        place.symlink_to(tmp_path / "away")
    with pytest.raises(UnsafePath if how == "linked folder" else NoSigningKey, match=r"anybody's|anywhere"):
        signing_of(tmp_path)


def test_a_key_is_made_once_and_signs(tmp_path):
    made = make_signing_key(tmp_path)
    assert make_signing_key(tmp_path) == made == public_keys_of(tmp_path)
    signed = signing_of(tmp_path).signed(RECORD)
    assert standing_of(signed, made).signed_by == made.current.public
    assert public_of(tmp_path / FOLDER / HISTORY) == made.current.public == public_of(made.current.public)


def test_two_data_sets_have_two_keys_and_one_without_has_none(tmp_path):
    (tmp_path / "other").mkdir()
    assert signing_of(tmp_path) is None
    assert make_signing_key(tmp_path).current.public != make_signing_key(tmp_path / "other").current.public


@pytest.mark.skipif(os.name != "posix", reason="rights are those of POSIX")
def test_the_secret_is_the_owner_s_alone(tmp_path):
    make_signing_key(tmp_path)
    secret = tmp_path / FOLDER / storage.SECRET
    assert secret.stat().st_mode & 0o777 == 0o600
    assert "key" in (tmp_path / FOLDER / ".gitignore").read_text().split()
    secret.chmod(0o644)
    with pytest.raises(SecretExposed):
        signing_of(tmp_path)


def test_with_a_passphrase_it_is_sealed(tmp_path, monkeypatch):
    monkeypatch.setenv("PRIVET_PASSPHRASE", "four quiet words here")
    made = make_signing_key(tmp_path)
    text = (tmp_path / FOLDER / storage.SECRET).read_text()
    assert "seed" not in text
    assert signing_of(tmp_path).signer.public == made.current.public
    monkeypatch.setenv("PRIVET_PASSPHRASE", "four other words here")
    with pytest.raises(KeyFileLocked):
        signing_of(tmp_path)


def test_a_rotation_ends_the_old_key(tmp_path):
    old = make_signing_key(tmp_path).current.public
    before = signing_of(tmp_path).signed(RECORD)
    stolen = (tmp_path / FOLDER / storage.SECRET).read_bytes()
    history = rotate_signing_key(tmp_path)
    assert [key.public for key in history.keys] == [old, signing_of(tmp_path).signer.public]
    assert standing_of(before, history).signed_by == old
    (tmp_path / FOLDER / storage.SECRET).write_bytes(stolen)
    with pytest.raises(NoSigningKey, match="not the current one"):
        signing_of(tmp_path)


def test_a_rotation_that_was_stopped_between_list_and_key_goes_on(tmp_path, monkeypatch):
    make_signing_key(tmp_path)
    real = storage._listed

    def dies(history, place):
        real(history, place)
        raise KeyboardInterrupt

    monkeypatch.setattr(storage, "_listed", dies)
    with pytest.raises(KeyboardInterrupt):
        rotate_signing_key(tmp_path)
    monkeypatch.undo()
    assert signing_of(tmp_path).signer.public == public_keys_of(tmp_path).current.public


def test_a_rotation_that_was_stopped_before_its_list_changes_nothing(tmp_path, monkeypatch):
    made = make_signing_key(tmp_path)
    monkeypatch.setattr(storage, "_listed", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        rotate_signing_key(tmp_path)
    monkeypatch.undo()
    assert signing_of(tmp_path).signer.public == made.current.public
    assert len(rotate_signing_key(tmp_path).keys) == 2


def test_a_service_signs_where_the_environment_names_one(tmp_path, monkeypatch):
    monkeypatch.setenv(storage.SIGNER, f"{__name__}:hardware")
    history = make_signing_key(tmp_path)
    assert history.current.public == OWNER.public
    assert not (tmp_path / FOLDER / storage.SECRET).exists()
    assert standing_of(signing_of(tmp_path).signed(RECORD), history).believed
    monkeypatch.setenv(storage.SIGNER, f"{__name__}:other_hardware")
    with pytest.raises(NoSigningKey, match="not the current one"):
        signing_of(tmp_path)


@pytest.mark.parametrize(
    "said", ["nowhere:at_all", f"{__name__}:broken_hardware", f"{__name__}:nothing", "x"]
)
def test_a_service_that_cannot_be_used_is_refused_without_its_words(tmp_path, monkeypatch, said):
    monkeypatch.setenv(storage.SIGNER, said)
    with pytest.raises(NoSigningKey) as refusal:
        make_signing_key(tmp_path)
    assert "1234" not in str(refusal.value)


def test_a_service_without_a_list_of_keys_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv(storage.SIGNER, f"{__name__}:hardware")
    with pytest.raises(NoSigningKey, match="no list of public keys"):
        signing_of(tmp_path)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"privet_signing_key": 1, "seed": "zz"}', "[" * 1000])
def test_a_file_that_is_no_key_is_refused(tmp_path, content):
    make_signing_key(tmp_path)
    secret = tmp_path / FOLDER / storage.SECRET
    secret.write_text(content)
    with pytest.raises(Exception, match="E-") as refusal:
        signing_of(tmp_path)
    assert refusal.value.exit_code == 2


def test_a_list_of_keys_that_somebody_replaced_does_not_fit_the_key(tmp_path):
    make_signing_key(tmp_path)
    forged = tmp_path / "forged"
    forged.mkdir()
    make_signing_key(forged)
    (tmp_path / FOLDER / HISTORY).write_text((forged / FOLDER / HISTORY).read_text())
    with pytest.raises(NoSigningKey, match="not the current one"):
        signing_of(tmp_path)


def test_a_list_of_keys_that_was_edited_is_refused(tmp_path):
    make_signing_key(tmp_path)
    file = tmp_path / FOLDER / HISTORY
    record = json.loads(file.read_text())
    record["keys"][0]["public"] = NEXT.public
    file.write_text(json.dumps(record))
    with pytest.raises(EvidenceBroken):
        signing_of(tmp_path)
