"""Keys, pseudonyms and erasure as a person types them; nothing raw and no secret in what is said."""

import base64
import csv
import json
import stat
import sys
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from privet.app._cli import main
from privet.protect.transform.pseudonyms import _key_storage as key_places

PHRASE = "correct horse battery staple"
SECRET = base64.b64encode(bytes(range(32))).decode()
ROWS = "patient_id,email,ssn,seen\n007,ada@x.org,078-05-1120,2024-02-29\n8,bob@x.org,219-09-9999,2024-03-01\n007,ada@x.org,078-05-1120,2024-03-10\n"


class Desk:
    """A folder, and a command line in it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys

    def __call__(self, *words: str, code: int = 0) -> Any:
        with pytest.raises(SystemExit) as stop:
            main([*words, "--json"])
        said = self.capsys.readouterr()
        assert stop.value.code == code, said.out + said.err
        assert "Traceback" not in said.err
        assert SECRET not in said.out + said.err
        assert PHRASE not in said.out + said.err
        return json.loads(said.out)

    def column(self, file: str, name: str) -> list[str]:
        with (self.folder / file).open(encoding="utf-8") as opened:
            return [row[name] for row in csv.DictReader(opened)]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(key_places, "SCRYPT", {"n": 2**10, "r": 8, "p": 1})
    monkeypatch.setenv("PRIVET_PASSPHRASE", PHRASE)
    monkeypatch.delenv("PRIVET_KEYS", raising=False)
    (tmp_path / "in.csv").write_text(ROWS)
    return Desk(tmp_path, capsys)


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


def test_identifiers_are_read_as_text_and_join_across_files(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRIVET_KEYS", f"k5={SECRET}")
    said = desk("pseudonymize", "in.csv", "--column", "patient_id", "--dataset", "h", "-o", "out.csv")
    assert said["rows"] == 3
    assert said["key"] == "k5"
    assert said["method"] == "hmac"
    assert "one-way" in said["columns"]["patient_id"]
    tokens = desk.column("out.csv", "patient_id")
    assert tokens[0] == tokens[2] != tokens[1]
    assert tokens[0].startswith("k5.")
    (desk.folder / "stays.csv").write_text("pid,ward\n8,A\n007,B\n7,C\n")
    desk("pseudonymize", "stays.csv", "--column", "pid=patient_id", "--dataset", "h", "-o", "stays-out.csv")
    stays = desk.column("stays-out.csv", "pid")
    assert stays[:2] == [tokens[1], tokens[0]]
    assert stays[2] not in tokens, "7 is not 007"


@pytest.mark.parametrize("method", ["siv", "ff1"])
def test_there_and_back(desk: Desk, method: str) -> None:
    desk("keys", "create")
    options = ["--column", "ssn", "--dataset", "h", "--method", method]
    desk("pseudonymize", "in.csv", *options, "-o", "out.parquet")
    desk("reveal", "out.parquet", *options, "-o", "back.csv")
    assert desk.column("back.csv", "ssn") == ["078-05-1120", "219-09-9999", "078-05-1120"]
    error = desk("reveal", "in.csv", "--column", "ssn", "--dataset", "h", "-o", "no.csv", code=2)["error"]
    assert error["code"] == "E-ANONYMIZE-008"
    assert "078" not in json.dumps(error)
    assert not (desk.folder / "no.csv").exists()


def test_one_subject_is_erased_and_the_others_stay(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk("keys", "create")
    vault = ["--vault", "people.vault"]
    options = ["--column", "email", "--column", "ssn", "--dataset", "h", "--method", "subject", *vault]
    desk("pseudonymize", "in.csv", *options, "--subject", "patient_id", "-o", "out.csv")
    desk("keys", "rotate", *vault)
    monkeypatch.setattr(sys, "stdin", StringIO("007\n\n"))
    said = desk("erase-subject", *vault, "--dataset", "h", "--domain", "patient_id")
    assert (said["erased"], said["subjects"]) == (1, 1)
    back = desk("reveal", "out.csv", *options, "-o", "back.csv")
    assert desk.column("back.csv", "email") == ["", "bob@x.org", ""]
    assert desk.column("back.csv", "ssn") == ["", "219-09-9999", ""]
    assert back["values_erased"] == 1
    monkeypatch.setattr(sys, "stdin", StringIO("007\n"))
    error = desk("erase-subject", *vault, "--dataset", "h", "--domain", "patient_id", code=2)["error"]
    assert error["code"] == "E-ANONYMIZE-010"
    token = desk.column("out.csv", "email")[1]
    assert desk("erase-subject", *vault, "--token", token)["erased"] == 1


def test_random_tokens_lead_back_through_the_vault(desk: Desk) -> None:
    desk("keys", "create")
    options = ["--column", "email", "--dataset", "h", "--method", "vault", "--vault", "people.vault"]
    desk("pseudonymize", "in.csv", *options, "-o", "out.csv")
    desk("reveal", "out.csv", *options, "-o", "back.csv")
    assert desk.column("back.csv", "email") == desk.column("in.csv", "email")
    desk("keys", "rotate", "--vault", "people.vault")
    desk("keys", "rotate", "--forget", "k1", "--vault", "people.vault")
    desk("reveal", "out.csv", *options, "-o", "again.csv")
    assert desk.column("again.csv", "email") == desk.column("in.csv", "email")


def test_a_forgotten_key_takes_its_vault_along_before_it_goes(desk: Desk) -> None:
    desk("keys", "create")
    options = ["--column", "email", "--dataset", "h", "--method", "vault", "--vault", "people.vault"]
    desk("pseudonymize", "in.csv", *options, "-o", "out.csv")
    desk("keys", "rotate")
    assert "2 entries" in desk("keys", "rotate", "--forget", "k1", "--vault", "people.vault")["note"]
    desk("reveal", "out.csv", *options, "-o", "back.csv")
    assert desk.column("back.csv", "email") == desk.column("in.csv", "email")


@pytest.mark.parametrize(
    ("words", "exit_code", "error"),
    [
        (["--column", "email", "--method", "sha256"], 7, "E-ANONYMIZE-002"),
        (["--column", "email"], 2, "E-GENERAL-003"),
        (["--column", "email", "--dataset", "h"], 2, "E-ANONYMIZE-004"),
        (["--column", "email", "--column", "email", "--dataset", "h"], 2, "E-GENERAL-003"),
        (["--column", "email", "--dataset", "h", "--keys", "env"], 2, "E-ANONYMIZE-004"),
    ],
)
def test_refusals_have_codes_and_show_no_value(
    desk: Desk, words: list[str], exit_code: int, error: str
) -> None:
    found = desk("pseudonymize", "in.csv", *words, "-o", "out.csv", code=exit_code)["error"]
    assert found["code"] == error
    assert "ada" not in json.dumps(found)
    assert [path.name for path in desk.folder.iterdir()] == ["in.csv"]


def test_an_empty_list_of_ids_and_a_missing_vault_are_said(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk("keys", "create")
    assert "no vault" in desk("erase-subject", "--vault", "no.vault", code=2)["error"]["message"]
    desk(
        "pseudonymize",
        "in.csv",
        "--column",
        "email",
        "--dataset",
        "h",
        "--method",
        "vault",
        "--vault",
        "v",
        "-o",
        "o.csv",
    )
    monkeypatch.setattr(sys, "stdin", StringIO("\n"))
    said = desk("erase-subject", "--vault", "v", "--dataset", "h", "--domain", "email", code=2)
    assert said["error"]["code"] == "E-GENERAL-003"
    assert desk("erase-subject", "--vault", "v", code=2)["error"]["code"] == "E-GENERAL-003"


def test_a_wrong_passphrase_is_a_failure(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk("keys", "create")
    monkeypatch.setenv("PRIVET_PASSPHRASE", "another horse battery staple")
    assert desk("keys", "list", code=1)["error"]["code"] == "E-ANONYMIZE-006"


def test_dates_are_shifted(desk: Desk) -> None:
    desk("keys", "create")
    options = ["--person", "patient_id", "--max-days", "20", "--dataset", "h"]
    said = desk("shift-dates", "in.csv", "--columns", "seen", *options, "-o", "out.csv")
    assert said["dates_out_of_range"] == 0
    assert desk.column("out.csv", "patient_id") == ["007", "8", "007"]
    moved = [
        (date.fromisoformat(after) - date.fromisoformat(before)).days
        for before, after in zip(
            ["2024-02-29", "2024-03-01", "2024-03-10"], desk.column("out.csv", "seen"), strict=True
        )
    ]
    assert moved[0] == moved[2]
    assert all(1 <= abs(days) <= 20 for days in moved)
