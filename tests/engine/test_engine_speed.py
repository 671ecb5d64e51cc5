"""Speed limits: understood or refused."""

from __future__ import annotations

import pytest

from privet.engine._engine_speed import Speed
from privet.errors import BadSpeed, BadUsage


def test_only_what_is_set_is_passed_on():
    assert Speed().duckdb_settings() == {}
    assert Speed(memory_limit="2GB", threads=2).duckdb_settings() == {"memory_limit": "2GB", "threads": 2}


@pytest.mark.parametrize(
    "wrong",
    [
        {"memory_limit": "plenty"},
        {"memory_limit": "5"},
        {"threads": 0},
        {"threads": True},
        {"temp_directory": ""},
    ],
)
def test_misspelt_limits_are_refused(wrong):
    with pytest.raises((BadSpeed, BadUsage)):
        Speed(**wrong)
