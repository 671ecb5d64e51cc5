"""Refusals about passwords say what to do, and exit as what they are."""

from privet.errors import BadInput, Failure, PasswordNotFound, PasswordWritten


def test_a_password_that_was_written_is_the_caller_s_to_correct_and_one_not_found_is_not() -> None:
    assert issubclass(PasswordWritten, BadInput)
    assert issubclass(PasswordNotFound, Failure)
    assert PasswordWritten.exit_code != PasswordNotFound.exit_code
    assert PasswordWritten.code == "E-SECRET-001"
    assert PasswordNotFound.code == "E-SECRET-002"


def test_neither_repeats_an_address_s_password() -> None:
    said = PasswordWritten("see postgresql://a:sesame@h/d", "not postgresql://a:sesame@h/d")
    assert "sesame" not in f"{said} {said.args} {said.to_json()}"
