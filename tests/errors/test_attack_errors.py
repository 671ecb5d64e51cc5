"""Errors of attacks. Codes and what commands exit with are part of the interface."""

from tests.errors.sections import faults

from privet.errors import _attack_errors as section

KNOWN = {
    "E-ATTACK-001": ("BadAttack", 2),
    "E-ATTACK-002": ("NoPower", 2),
    "E-ATTACK-003": ("AttackSucceeded", 6),
}


def test_codes_keep_their_class_and_their_exit() -> None:
    assert faults(section, KNOWN) == []
