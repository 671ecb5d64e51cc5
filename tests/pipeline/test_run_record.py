"""Records of runs: what was written is read back whole, and nothing else is taken for one."""

from pathlib import Path

import pytest

from privet.artifact._receipt import Receipt
from privet.artifact._risk_estimate import Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.errors import UnknownRecord
from privet.guarantee._promise_registry import PureDP
from privet.pipeline._run_record import Book, Made, RunRecord, StepRecord

RISK = RiskEstimate(
    "linkage",
    "share linked",
    IntervalEstimate(0.2, 0.1, 0.3),
    0.05,
    Adversary("a neighbour", ("zip",), "table"),
    AttackCost(1),
)
RECEIPT = Receipt(
    "ab",
    2,
    "cd",
    "2026-01-01T00:00:00Z",
    None,
    None,
    {"kind": "row"},
    "pure",
    "adaptive filter",
    {},
    {},
    "test",
)
STEP = StepRecord(
    "beds", "release", "planning", ("ward",), ("name",), "SELECT ward", {"epsilon": "0.5"}, {"epsilon": "0.5"},
    RECEIPT, Made("beds.json", "answer", "00", PureDP("0.5"), "internal", "2027-01-01"), (RISK,),
    ("x needs y.",), {"a": 1}, {"sql": "SELECT"}, 0.5,
)  # fmt: skip
RECORD = RunRecord(
    {"version": 1}, {"steps": []}, (STEP,), Book("ab", "x.ledger", "cd", "pure", {}, None, (), ()), {"privet": "0"},
    ("linkage is above its limit.",), "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z",
)  # fmt: skip


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    assert RunRecord.load(RECORD.save(tmp_path / "run.json")) == RECORD
    assert RECORD.step("beds").risks == (RISK,)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 1, "artifact": "run-record"}', '{"schema": 2}'])
def test_anything_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text, encoding="utf-8")
    with pytest.raises(UnknownRecord):
        RunRecord.load(tmp_path / "run.json")
