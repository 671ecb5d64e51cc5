"""keys: made, listed, rotated and forgotten; their file is its owner's alone."""

import stat

import pytest
from tests.app.pseudonym_desk import Desk


def test_keys_are_made_listed_rotated_and_forgotten(desk: Desk) -> None:
    made = desk("keys", "create")
    assert [(key["id"], key["current"]) for key in made["keys"]] == [("k1", True)]
    assert stat.S_IMODE((desk.folder / "privet.keys").stat().st_mode) == 0o600
    assert desk("keys", "create", code=2)["error"]["code"] == "E-ANONYMIZE-003"
    desk("keys", "rotate")
    listed = desk("keys", "list")
    assert [(key["id"], key["current"]) for key in listed["keys"]] == [("k2", True), ("k1", False)]
    assert [key["id"] for key in desk("keys", "rotate", "--forget", "k1")["keys"]] == ["k2"]
    assert desk("keys", "rotate", "--forget", "k2", code=2)["error"]["code"] == "E-ANONYMIZE-003"
    (desk.folder / "privet.keys").chmod(0o644)
    assert desk("keys", "list", code=7)["error"]["code"] == "E-ANONYMIZE-005"


def test_a_forgotten_key_takes_its_vault_along_before_it_goes(desk: Desk) -> None:
    desk("keys", "create")
    options = ["--column", "email", "--dataset", "h", "--method", "vault", "--vault", "people.vault"]
    desk("pseudonymize", "in.csv", *options, "-o", "out.csv")
    desk("keys", "rotate")
    assert "2 entries" in desk("keys", "rotate", "--forget", "k1", "--vault", "people.vault")["note"]
    desk("reveal", "out.csv", *options, "-o", "back.csv")
    assert desk.column("back.csv", "email") == desk.column("in.csv", "email")


def test_a_wrong_passphrase_is_a_failure(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk("keys", "create")
    monkeypatch.setenv("PRIVET_PASSPHRASE", "another horse battery staple")
    assert desk("keys", "list", code=1)["error"]["code"] == "E-ANONYMIZE-006"
