"""Keys, pseudonyms and erasure as a person types them; nothing raw and no secret in what is said."""

import json
from datetime import date

import pytest
from tests.app.pseudonym_desk import SECRET, Desk


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
