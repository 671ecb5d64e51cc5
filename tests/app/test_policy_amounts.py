"""Amounts in one line."""

from privet.app._policy_amounts import amounts


def test_epsilon_and_rho_come_before_delta_s_and_digits_are_six() -> None:
    assert amounts({"delta": "0.0000001", "epsilon": "0.3333333333"}) == "epsilon 0.333333, delta 1e-07"
    assert amounts({"rho": "2"}) == "rho 2"
    assert amounts({}) == ""
