"""What people read of a bound never lies below it."""

from fractions import Fraction

from privet.app import _account_output as account_words


def test_what_people_read_is_never_below_the_bound():
    assert account_words._up(1.00001) == Fraction("1.0001")
    assert account_words._shown(10.4) == "10.4"
    assert account_words._shown(1.0) == "1.0"
    assert float(account_words._up(1234567.0)) >= 1234567.0
    assert account_words._shown(float("inf")) == "none at this delta"
