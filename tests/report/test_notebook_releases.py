"""What may leave, with its promise beside it."""

import pyarrow as pa
from tests.report.views import HOSTILE, Checked

import privet as pv
from privet.report._notebook_html import OWNER, RELEASED
from privet.report._notebook_releases import answer_view, table_view


def test_an_answer_has_its_error_promise_cost_and_reason() -> None:
    table = pv.open_table(pa.table({"ward": ["a", "b"] * 20}), unit=pv.Row(), keys={"ward": ["a", HOSTILE]})
    ledger = pv.Ledger.in_memory(limit=pv.PureDP(3))
    answer = pv.release(table.group_by("ward").agg(n=pv.count()), pv.PureDP(1), ledger=ledger, why="bed plan")
    text = Checked(answer_view(answer)).text
    for said in (
        RELEASED,
        HOSTILE,
        "± at 95% confidence",
        answer.promise.sentence(),
        "bed plan",
        "epsilon 1",
    ):
        assert said in text


def test_figures_about_the_original_are_the_owner_s_and_are_gone_when_published() -> None:
    rows = pv.open_table(pa.table({"age": [20, 20, 20, 30, 30, 30]}), unit=pv.Row(), roles={"age": "quasi"})
    made = pv.anonymize(rows, pv.KAnonymity(3), max_suppressed=0)
    text = Checked(table_view(made)).text
    assert OWNER in text
    assert "original" in text
    outside = Checked(table_view(made.published())).text
    assert OWNER not in outside
    assert "6 rows published, 0 suppressed" in outside
