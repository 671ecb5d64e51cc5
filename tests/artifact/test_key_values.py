"""Keys and amounts in records: what is written is read back as what it was."""

import datetime
import json

import pytest

from privet.artifact._key_values import plain, priced, read_back, time_kind

DAY = datetime.date(2026, 3, 4)
MOMENT = datetime.datetime(2026, 3, 4, 12, 30, tzinfo=datetime.UTC)


@pytest.mark.parametrize("values", [("a", None), (None, 3), (2.5,), (True,), (DAY, None), (None, MOMENT)])
def test_a_key_column_survives_json(values):
    kind = time_kind(values)
    again = [read_back(value, kind) for value in json.loads(json.dumps([plain(value) for value in values]))]
    assert again == list(values)
    assert [type(value) for value in again] == [type(value) for value in values]


def test_only_days_and_moments_have_a_kind():
    assert time_kind((None, DAY)) == "day"
    assert time_kind((MOMENT,)) == "moment"
    assert time_kind(("2026-03-04",)) is None
    assert time_kind((None, None)) is None
    assert time_kind(()) is None


def test_amounts_for_people_leave_out_a_delta_that_is_not_in_play():
    assert priced({"delta": "0", "epsilon": "0.5"}) == "epsilon 0.5"
    assert priced({"delta": "0.000001", "epsilon": "0.5"}) == "epsilon 0.5, delta 1e-06"
    assert priced({"rho": "1/3", "delta": "0"}) == "rho 0.333333"
    assert priced({"epsilon": "0"}) == "epsilon 0"
    assert priced({}) == ""
