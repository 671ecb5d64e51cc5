"""The one table of aggregates: each question finds its estimator, and vectors of one name are wanted once."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pytest

import privet as pv
from privet.errors import InternalError
from privet.protect.query.estimators._estimator_registry import ESTIMATORS, measures_and_readings
from privet.source import Count


@dataclass(frozen=True, slots=True)
class Unheard(Count):
    """A question that nobody declared an estimator for."""


def table() -> pv.Table:
    return pv.open_table(
        pa.table({"x": [1.0, 2.0]}), unit=pv.Row(), bounds={"x": (0, 4)}, name="t", version="1"
    )


def test_aggregates_share_vectors() -> None:
    alone, _ = measures_and_readings(table().agg(m=pv.mean("x")))
    both, readings = measures_and_readings(table().agg(m=pv.mean("x"), s=pv.sum("x")))
    assert set(alone) == set(both)
    assert [one.name for one in readings] == ["m", "s"]


def test_what_was_not_declared_is_not_answered_as_something_like_it() -> None:
    with pytest.raises(InternalError):
        measures_and_readings(table().agg(n=Unheard()))


def test_declarations_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        ESTIMATORS[0].not_in_sql = "because"  # type: ignore[misc]
