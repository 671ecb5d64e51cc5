"""The plan: golden prices, one booking by the ledger's accounting, and a question that names all it depends on."""

import pytest
from tests.protect.synthesize.people import table

import privet as pv
from privet.errors import BadSynthesis, PromiseUnmeetable
from privet.guarantee import Opaque, ZeroConcentrated, epsilon_of_rho
from privet.protect.synthesize import planned_twin


def test_the_booking_is_the_promise_and_never_above_it() -> None:
    basic = planned_twin(table(), pv.ApproxDP(1, 1e-9), accounting="basic")
    assert basic.event == Opaque(1, basic.promise.delta)
    # Golden, by the conversion of Canonne, Kamath and Steinke 2020.
    assert float(basic.rho) == pytest.approx(0.014973, abs=5e-7)
    assert epsilon_of_rho(basic.rho, 1e-9) <= 1
    zcdp = planned_twin(table(), pv.ApproxDP(1, 1e-9), accounting="zcdp")
    assert zcdp.event == ZeroConcentrated(zcdp.rho)
    assert planned_twin(table(), pv.ZeroConcentratedDP(0.5), accounting="zcdp").rho == pytest.approx(0.5)


def test_what_cannot_be_kept_is_refused() -> None:
    for promise, accounting in (
        (pv.PureDP(1), "basic"),
        (pv.ApproxDP(1, 1e-6), "pure"),
        (pv.ZeroConcentratedDP(1), "basic"),
    ):
        with pytest.raises(PromiseUnmeetable):
            planned_twin(table(), promise, accounting=accounting)
    with pytest.raises(BadSynthesis, match="method"):
        planned_twin(table(), pv.ApproxDP(1, 1e-6), accounting="basic", method="magic")
    with pytest.raises(BadSynthesis, match="max_rows"):
        planned_twin(table(unit=pv.Person("person")), pv.ApproxDP(1, 1e-6), accounting="basic")


def test_another_question_for_whatever_differs() -> None:
    one = table()

    def question(**more):
        return planned_twin(one, pv.ApproxDP(1, 1e-6), accounting="basic", **more).question()

    assert question() == question()
    changes = ({"method": "mst"}, {"workload": "back"}, {"columns": ["age"]}, {"bins": {"age": 5}}, {"model_cells": 9999},
               {"workload": {("age", "back"): 2.0, ("age",): 1.0}})  # fmt: skip
    assert len({question(), *(question(**one) for one in changes)}) == len(changes) + 1
