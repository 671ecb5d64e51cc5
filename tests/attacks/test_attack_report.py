"""Several results in one report: the worst verdict, limits, and the record that is kept."""

import json

import pyarrow as pa
import pytest

import privet as pv
from privet.artifact import Adversary, AttackCost, IntervalEstimate, RiskEstimate, Verdict
from privet.attacks._attack_report import AttackReport, verdict_words
from privet.errors import NoSuchEntry, UnknownRecord


def one(
    name: str = "x", low: float = 0.6, high: float = 0.8, bound: float | None = None, **more
) -> RiskEstimate:
    return RiskEstimate(
        attack=name,
        measure="AUC",
        success=IntervalEstimate((low + high) / 2, low, high, 0.95),
        baseline=more.pop("baseline", 0.5),
        adversary=Adversary("somebody", (), "black box"),
        cost=AttackCost(1.0),
        bound=bound,
        promise=None if bound is None else pv.PureDP(1),
        detectable=more.pop("detectable", 0.99),
        **more,
    )


BROKEN, KEPT, EDGE, SILENT, OPEN = (
    one("broken", bound=0.5),
    one("kept", bound=0.9),
    one("edge", bound=0.7),
    one("silent", bound=0.9, detectable=0.85),
    one("open"),
)


@pytest.mark.parametrize(
    ("estimates", "verdict"),
    [
        ([KEPT, BROKEN, EDGE], Verdict.CONTRADICTS), ([KEPT, EDGE, SILENT], Verdict.EDGE), ([KEPT, SILENT, OPEN], Verdict.INCONCLUSIVE),
        ([OPEN, KEPT], Verdict.WITHIN), ([OPEN], Verdict.NOT_PROMISED), ([], Verdict.INCONCLUSIVE),
    ],
)  # fmt: skip
def test_the_worst_verdict_is_the_report_s(estimates, verdict) -> None:
    assert AttackReport(tuple(estimates)).verdict is verdict


def test_estimates_by_place_and_by_name() -> None:
    report = AttackReport((KEPT, BROKEN))
    assert (len(report), report[1], report["kept"], list(report)) == (2, BROKEN, KEPT, [KEPT, BROKEN])
    assert report.contradicted == (BROKEN,)
    with pytest.raises(NoSuchEntry) as caught:
        report["brokn"]
    assert "broken" in caught.value.hint


def test_limits_by_name() -> None:
    report = AttackReport((one("x", 0.6, 0.8),))
    assert report.exceeded({"x": 0.9}) == ()
    assert len(report.exceeded({"x": 0.55, "y": 0.5})) == 2
    assert "was not run" in report.exceeded({"y": 0.5})[0]


def test_what_no_promise_speaks_of_is_put_into_words() -> None:
    assert verdict_words(OPEN) == "no promise; found something"
    assert verdict_words(one(baseline=0.7)) == "no promise; nothing shown beyond chance"
    assert verdict_words(one(unfair="they differ")) == "no promise; members and control differ"
    assert verdict_words(KEPT) == Verdict.WITHIN.value


def test_the_record_comes_back_and_strange_ones_are_refused(tmp_path) -> None:
    report = AttackReport((KEPT, OPEN), "a model", ("y needs z.",), 0.95)
    record = json.loads(report.save(tmp_path / "r.json").read_text(encoding="utf-8"))
    assert AttackReport.from_json(record) == report
    for wrong in (
        {**record, "schema": 2},
        {**record, "artifact": "other"},
        {key: record[key] for key in ("schema", "artifact")},
    ):
        with pytest.raises(UnknownRecord):
            AttackReport.from_json(wrong)


def test_one_row_for_each_attack_with_its_types() -> None:
    table = AttackReport((KEPT, OPEN)).to_arrow()
    assert table["allowed"].to_pylist() == [0.9, None]  # exact: figures as given
    assert table.schema.field("control").type == pa.float64()
    assert AttackReport(()).to_arrow().schema == table.schema


def test_the_text_says_what_was_left_out_and_how_sure_it_is() -> None:
    text = str(AttackReport((KEPT,), "a model", ("y needs z.",), 0.9))
    assert text.startswith("a model: ")
    assert "hold together with 0.9 confidence" in text
    assert text.endswith("skipped (reasons below):\n  y needs z.")
    assert "test power: not measured for kept." in text
    assert "nothing was tested" in str(AttackReport(()))
