"""`privet explain-error`: the page of a code in the terminal."""

import json
import sys

import pytest

from privet import errors
from privet.app._cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(["explain-error", *arguments])
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


@pytest.mark.parametrize("code", ["E-LEDGER-001", "e-ledger-001 "])
def test_the_page_is_printed(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, code)
    assert status == 0
    assert out.startswith("# E-LEDGER-001: BudgetExceeded\n")
    assert err == ""


def test_on_a_terminal_it_is_set_for_reading(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    _, out, _ = run(capsys, "E-LEDGER-001")
    assert "BudgetExceeded" in out
    assert "# E-LEDGER-001" not in out


def test_programs_get_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "E-LEDGER-001", "--json")
    said = json.loads(out)
    assert said["code"] == "E-LEDGER-001"
    assert said["name"] == "BudgetExceeded"
    assert said["exit_code"] == errors.BUDGET
    assert said["page"].startswith("# E-LEDGER-001")


def test_an_unknown_code_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "E-LEDGR-001")
    assert status == errors.USAGE
    assert "'E-LEDGER-001'" in err


def test_every_error_says_how_to_read_more_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, err = run(capsys, "nothing of the sort")
    assert "privet explain-error E-GENERAL-003" in err


@pytest.mark.parametrize("code", errors.catalogue())
def test_every_code_can_be_explained(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, code)[0] == 0
