"""What a sweep tries: as it was named, sorted, each once."""

from decimal import Decimal

import pytest

from privet.errors import BadSweep
from privet.pipeline._sweep_settings import Sweep, amount


def test_numbers_may_be_given_as_they_come() -> None:
    given = Sweep(epsilon=(0.1, "1", Decimal(1), 2), delta=1e-6, max_suppressed=0.05).checked()
    assert given.epsilon == (Decimal("0.1"), Decimal(1), Decimal(2))
    assert (given.delta, given.max_suppressed) == (Decimal("0.000001"), Decimal("0.05"))
    with pytest.raises(BadSweep, match=r"an epsilon .* delta lies .* suppressed rows"):
        Sweep(epsilon=("x",), delta="nan", max_suppressed=float("inf")).checked()


def test_what_is_named_is_sorted_and_each_once():
    found = Sweep(k=(5, 2, 5), epsilon=("1", 0.5, "1.0")).checked()
    assert found.k == (2, 5)
    assert found.k_all == (), "the usual ones go with the usual k alone"
    assert found.epsilon == (Decimal("0.5"), Decimal(1))
    assert Sweep().checked().k_all == (5, 25)
    assert Sweep(k_all=()).checked().k_all == ()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"techniques": ("anonymise",)}, "no technique 'anonymise'.*anonymize"),
        ({"techniques": ()}, "no technique is named"),
        ({"models": ("magic",)}, "no learner 'magic'"),
        ({"k": (1,)}, "k is a whole number"),
        ({"l": 1}, "l is a whole number"),
        ({"epsilon": ("0",)}, "epsilon is a number above 0"),
        ({"epsilon": ("inf",)}, "epsilon is a number above 0"),
        ({"epsilon": ("one",)}, "epsilon is a number above 0"),
        ({"delta": "1"}, "delta lies between"),
        ({"max_suppressed": "1"}, "suppressed rows"),
        ({"repeats": 0}, "at least one fit"),
        ({"k": (), "k_all": ()}, "no k is named"),
        ({"epsilon": ()}, "no epsilon"),
    ],
)
def test_faults_are_named(given, words):
    with pytest.raises(BadSweep, match=words):
        Sweep(**given).checked()


def test_all_faults_come_at_once_and_amounts_are_exact():
    with pytest.raises(BadSweep) as refused:
        Sweep(k=(1,), delta="2", repeats=0).checked()
    assert len(refused.value.details["faults"]) == 3
    assert amount(0.1) == Decimal("0.1")
    assert amount("x").is_nan()


def test_twins_are_asked_for_and_made_in_ways_that_there_are() -> None:
    assert "synthesize" not in Sweep().techniques
    with pytest.raises(BadSweep, match="no way to make a twin, 'amm'"):
        Sweep(twin="amm").checked()
    with pytest.raises(BadSweep, match="no epsilon is named"):
        Sweep(techniques=("synthesize",), epsilon=()).checked()
