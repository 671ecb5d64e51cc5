"""A report in files, and trade-offs that are read back."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.report.a_run import record, tradeoff

from privet.errors import UnknownRecord
from privet.report._run_files import checked_tradeoff, save_report, tradeoff_of
from privet.report._run_report import run_report


def test_files_are_written_whole_and_by_audience(tmp_path: Path) -> None:
    owner, data = save_report(run_report(record()), tmp_path)
    other, more = save_report(run_report(record(), public=True), tmp_path)
    assert [path.name for path in (owner, data, other, more)] == [
        "report.html", "report.json", "report-public.html", "report-public.json",
    ]  # fmt: skip
    assert json.loads(data.read_text()) == run_report(record())
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*")) == [
        "owner/report.html", "owner/report.json", "public/report-public.html", "public/report-public.json",
    ]  # fmt: skip
    assert [oct(path.stat().st_mode & 0o777) for path in (owner, owner.parent)] == ["0o600", "0o700"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda one: [],
        lambda one: {**one, "schema": 2},
        lambda one: {**one, "artifact": "audit"},
        lambda one: {**one, "points": None},
        lambda one: {name: value for name, value in one.items() if name != "knee"},
        lambda one: {**one, "points": [{}]},
        lambda one: {**one, "points": [{**one["points"][0], "risk": 0.5}]},
    ],
)
def test_what_is_no_trade_off_is_refused(spoil: Any) -> None:
    assert checked_tradeoff(tradeoff()) == tradeoff()
    with pytest.raises(UnknownRecord):
        checked_tradeoff(spoil(tradeoff()))


def made(path: str) -> dict[str, Any]:
    return {"steps": [{"kind": "tradeoff", "made": {"path": path}}]}


def test_the_trade_off_of_a_run_is_read_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps(tradeoff()))
    assert tradeoff_of(made("t.json"), tmp_path) == tradeoff()
    assert tradeoff_of(made("gone.json"), tmp_path) is None
    assert tradeoff_of({"steps": []}, tmp_path) is None


def test_a_trade_off_elsewhere_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(json.dumps(tradeoff()))
    (tmp_path / "out").mkdir()
    assert tradeoff_of(made("../t.json"), tmp_path / "out") is None
