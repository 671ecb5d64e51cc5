"""Places where commands are typed."""

from pathlib import Path

import pytest
from tests.app.pseudonym_desk import PHRASE, ROWS, Desk

from privet.protect.transform.pseudonyms import _key_storage as key_places


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(key_places, "SCRYPT", {"n": 2**10, "r": 8, "p": 1})
    monkeypatch.setenv("PRIVET_PASSPHRASE", PHRASE)
    monkeypatch.delenv("PRIVET_KEYS", raising=False)
    (tmp_path / "in.csv").write_text(ROWS)
    return Desk(tmp_path, capsys)
