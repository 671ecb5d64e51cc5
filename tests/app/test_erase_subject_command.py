"""erase-subject: one person goes and the others stay."""

import sys
from io import StringIO

import pytest
from tests.app.pseudonym_desk import Desk


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
