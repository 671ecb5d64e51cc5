"""The verb carries what belongs to it, and is itself what it says."""

import inspect

import pytest

import privet as pv
from privet.protect.train.gradients import plan
from privet.protect.train.tabular import train as on_a_table


def test_it_takes_what_training_on_a_table_takes_and_is_documented_as_that():
    assert pv.train.__doc__ == on_a_table.__doc__
    assert inspect.signature(pv.train) == inspect.signature(on_a_table)
    assert pv.train.plan is plan
    assert callable(pv.train.tune)


def test_what_is_given_is_handed_on(monkeypatch):
    seen = []
    monkeypatch.setattr(pv.train, "_verb", lambda *args, **more: seen.append((args, more)) or "a model")
    assert pv.train(1, 2, target="y") == "a model"
    assert seen == [((1, 2), {"target": "y"})]
    with pytest.raises(AttributeError):
        pv.train.nothing  # noqa: B018
