"""Groups of errors and what commands exit with; how an error is printed and given to programs."""

import json

from privet import errors

GROUPS = [
    errors.BadInput,
    errors.FindingsExceeded,
    errors.PolicyViolation,
    errors.NotSaid,
    errors.BudgetError,
    errors.Tampering,
    errors.Failure,
]


def test_groups_have_distinct_exit_codes() -> None:
    exits = [group.exit_code for group in GROUPS]
    assert len(set(exits)) == len(exits)
    assert errors.OK not in exits
    assert exits == [2, 6, 7, 10, 8, 9, 1], "exit codes are part of the interface"


def test_an_error_prints_its_code_fact_and_hint() -> None:
    error = errors.BudgetExceeded("the spend is too large.", "Ask for less.", remaining="0.1")
    assert str(error) == "E-LEDGER-001: the spend is too large.\nhint: Ask for less."
    assert str(errors.BudgetExceeded("no.")) == "E-LEDGER-001: no."


def test_the_json_shape_is_stable() -> None:
    error = errors.BadAmount("epsilon must be finite.", "Give a number.", name="epsilon")
    assert error.to_json() == {
        "code": "E-GUARANTEE-001",
        "message": "epsilon must be finite.",
        "hint": "Give a number.",
        "page": "docs/errors/E-GUARANTEE-001.md",
        "details": {"name": "epsilon"},
    }
    json.dumps(error.to_json())


def test_an_error_of_no_group_exits_as_a_failure() -> None:
    assert errors.PrivetError("x").exit_code == errors.FAILURE == 1


def test_the_message_for_other_libraries_is_the_fact_alone() -> None:
    """What logs print of `args` holds neither hint nor details."""
    assert errors.BadAmount("a fact.", "a hint.", name="epsilon").args == ("a fact.",)
