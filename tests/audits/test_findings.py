"""Figures that follow from what was measured."""

from dataclasses import replace

import pytest
from tests.audits.small_tables import small

from privet.audits._findings import Advice


def test_secrets_are_those_measured_and_those_only_classified() -> None:
    told = small(town=["a", "b"], secret=[1, 2])
    assert told.secret == {"secret"}
    classified = {name: replace(one, role="sensitive") for name, one in told.columns.items()}
    assert replace(told, columns=classified).secret == {"town", "secret"}
    assert replace(told, sensitive=()).secret == {"secret"}


def test_shares_are_of_people_and_nobody_is_no_share() -> None:
    told = small(town=["a", "b", "b", "b"], secret=[1, 2, 3, 4])
    assert told.unique_share == pytest.approx(1 / 4)
    assert told.marketer == pytest.approx(2 / 4)
    assert replace(told, people=0).unique_share == pytest.approx(0)


def test_unknown_columns_are_to_be_looked_at() -> None:
    told = small(town=["a", "b"], q7=[1, 1], secret=[1, 2])
    assert set(told.unknown) == {name for name, one in told.columns.items() if one.role == "unknown"}
    assert "secret" not in told.unknown


def test_a_step_as_data() -> None:
    assert Advice("do", "because").to_json() == {"step": "do", "why": "because", "command": None}
