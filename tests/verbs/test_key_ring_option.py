"""Where the keys are: named, in the environment, or beside the policy; never in an option itself."""

from types import SimpleNamespace

import pytest

from privet.protect.transform import pseudonyms
from privet.verbs._key_ring_option import key_ring


@pytest.fixture
def asked(monkeypatch, tmp_path):
    monkeypatch.delenv("PRIVET_KEYS", raising=False)
    seen = []
    monkeypatch.setattr(pseudonyms, "find_keys", lambda place: seen.append(place) or "a ring")

    def ask(keys):
        assert key_ring(SimpleNamespace(options=SimpleNamespace(keys=keys), folder=tmp_path)) == "a ring"
        return seen.pop()

    return ask


def test_a_file_is_seen_from_where_the_request_stands(asked, tmp_path):
    assert asked("my.keys") == str(tmp_path / "my.keys")
    assert asked(None) is None
    (tmp_path / "privet.keys").write_text("x")
    assert asked(None) == str(tmp_path / "privet.keys")


def test_places_that_are_no_files_are_taken_as_they_are(asked, tmp_path, monkeypatch):
    assert asked("env") == "env"
    assert asked("keyring:hospital") == "keyring:hospital"
    (tmp_path / "privet.keys").write_text("x")
    monkeypatch.setenv("PRIVET_KEYS", "somewhere")
    assert asked(None) is None, "the environment goes before the file beside"
    assert asked("other.keys") == str(tmp_path / "other.keys")
