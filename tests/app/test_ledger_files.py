"""Receipts in files, and exports that no spreadsheet runs."""

import csv
import io
import json
from pathlib import Path

import pytest

from privet.app._ledger_files import _records, as_csv, as_text, read_receipts
from privet.errors import FileProblem, UnknownRecord

ONE = {"ledger": "a", "head": "b", "entry": 1}


def test_receipts_are_found_alone_in_lists_and_inside() -> None:
    for document in (ONE, [ONE], {"receipt": ONE}, {"receipts": [ONE]}, [{"receipt": [ONE]}]):
        assert list(_records(document)) == [ONE]
    for document in ({}, [], 3, None, {"receipt": None}, {"ledger": "a", "head": "b"}):
        assert list(_records(document)) == []


def test_files_without_a_receipt_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="cannot be read"):
        read_receipts(tmp_path / "none.json")
    for text, said in (("{", "is not JSON"), ("[]", "holds no receipt")):
        (tmp_path / "x.json").write_text(text)
        with pytest.raises(UnknownRecord, match=said):
            read_receipts(tmp_path / "x.json")


@pytest.mark.parametrize("text", ["=1+1", "+cmd", "-2+3", "@x"])
def test_a_spreadsheet_does_not_run_what_callers_wrote(text: str) -> None:
    (row,) = csv.DictReader(io.StringIO(as_csv({"entries": [{"number": 1, "why": text}]})))
    assert row["why"] == f"'{text}"


def test_costs_have_columns_and_records_stay_json() -> None:
    entry = {"number": 1, "cost": {"epsilon": "0.5"}, "event": {"kind": "x"}, "why": None, "unheard": 1}
    (row,) = csv.DictReader(io.StringIO(as_csv({"entries": [entry]})))
    assert (row["epsilon"], row["delta"], row["why"]) == ("0.5", "", "")
    assert json.loads(row["event"]) == {"kind": "x"}
    assert "unheard" not in row
    assert as_text({"a": "é"}) == '{\n  "a": "é"\n}\n'
