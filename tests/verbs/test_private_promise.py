"""Epsilon with or without delta, or rho: one kind of promise, exact."""

from decimal import Decimal

import pytest
from pydantic import ValidationError

import privet as pv
from privet.errors import BadUsage
from privet.verbs._private_promise import PrivatePromise
from privet.verbs._verb_options import validated


@pytest.mark.parametrize(
    ("said", "promise"),
    [
        ({}, None),
        ({"epsilon": "0.1"}, pv.PureDP("0.1")),
        ({"epsilon": 1, "delta": "1e-7"}, pv.ApproxDP(1, "1e-7")),
        ({"rho": "0.5"}, pv.ZeroConcentratedDP("0.5")),
        ({"delta": "1e-7"}, None),
    ],
)
def test_promises(said, promise):
    assert PrivatePromise(**said).promised() == promise


@pytest.mark.parametrize(
    "said",
    [
        {"epsilon": 0},
        {"epsilon": "nan"},
        {"epsilon": "inf"},
        {"delta": 0, "epsilon": 1},
        {"delta": 1, "epsilon": 1},
        {"rho": 1, "epsilon": 1},
        {"rho": 1, "delta": "1e-7"},
        {"confidence": 1},
        {"eps": 1},
    ],
)
def test_what_is_no_promise_is_refused(said):
    with pytest.raises(ValidationError):
        PrivatePromise(**said)


def test_the_refusal_says_what_to_write():
    with pytest.raises(BadUsage) as refused:
        validated(PrivatePromise, {"epsilon": "-1"})
    assert "--epsilon" in refused.value.fact
    assert "--epsilon 0.5" in refused.value.hint
    assert PrivatePromise(epsilon="0.1").epsilon == Decimal("0.1")
