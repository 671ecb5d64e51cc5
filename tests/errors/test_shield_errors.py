"""Errors of shields: their codes, and that what is refused is an input."""

from privet.errors import BadInput, BadShield, ForeignShield


def test_codes_and_group() -> None:
    assert (BadShield.code, ForeignShield.code) == ("E-SHIELD-001", "E-SHIELD-002")
    assert issubclass(BadShield, BadInput)
    assert issubclass(ForeignShield, BadInput)
