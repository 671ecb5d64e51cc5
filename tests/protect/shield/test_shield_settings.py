"""Settings of a shield: those that make no sense are refused."""

import pytest

from privet.errors import BadShield
from privet.protect.shield import ShieldSettings


def test_the_record_of_settings_makes_them_again() -> None:
    made = ShieldSettings(layers=2, steps=10)
    assert ShieldSettings(**made.to_json()) == made


@pytest.mark.parametrize(
    "wrong",
    [
        {"layers": 0},
        {"batch": 1},
        {"rate": 0.0},
        {"cosine": -1.0},
        {"least_log_variance": 5.0},
        {"most_log_variance": 50.0},
    ],
)
def test_settings_out_of_range_are_refused(wrong) -> None:
    with pytest.raises(BadShield):
        ShieldSettings(**wrong)
