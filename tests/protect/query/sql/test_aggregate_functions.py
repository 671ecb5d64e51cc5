"""The functions of SQL that ask for an aggregate: each has one reader, and those that cannot be private say what to ask."""

import pytest
from tests.protect.query.sql.registers import registers

from privet.errors import BadQuestion
from privet.protect.query.estimators import ESTIMATORS
from privet.protect.query.sql import AGGREGATE_NAMES, parse_sql
from privet.protect.query.sql._aggregate_functions import FUNCTIONS, INSTEAD


def test_no_function_is_declared_twice_or_both_answered_and_refused():
    declared = [name for one in ESTIMATORS for name in one.functions]
    assert len(declared) == len(set(declared)) == len(FUNCTIONS)
    assert not set(FUNCTIONS) & set(INSTEAD)


def test_names_for_completion_are_those_that_people_write():
    assert {"COUNT", "SUM", "AVG", "MEDIAN", "REGRESSION"} <= set(AGGREGATE_NAMES)
    assert len(AGGREGATE_NAMES) == len(set(AGGREGATE_NAMES))
    assert all(name == name.upper() and name.replace("_", "").isalnum() for name in AGGREGATE_NAMES)


@pytest.mark.parametrize(
    "call",
    [
        "MAX(cost)",
        "MIN(cost)",
        "MODE(ward)",
        "FIRST(cost)",
        "LAST(cost)",
        "ANY_VALUE(cost)",
        "ARRAY_AGG(cost)",
        "STRING_AGG(ward, ',')",
        "ARG_MAX(ward, cost)",
    ],
)
def test_what_shows_one_persons_value_is_refused_with_what_to_ask_instead(call):
    with pytest.raises(BadQuestion, match="cannot be answered privately") as refused:
        parse_sql(f"SELECT {call} FROM t", registers()["visits"])
    assert refused.value.hint in INSTEAD.values()
