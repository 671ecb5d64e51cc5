"""What commands exit with: scripts rely on the numbers."""

from privet import errors
from privet.errors import _exit_codes


def test_the_numbers_are_part_of_the_interface() -> None:
    assert {name: getattr(errors, name) for name in _exit_codes.__all__} == {
        "OK": 0,
        "FAILURE": 1,
        "USAGE": 2,
        "FINDINGS": 6,
        "POLICY": 7,
        "BUDGET": 8,
        "TAMPERING": 9,
        "GAP": 10,
    }
