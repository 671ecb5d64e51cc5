"""dBitFlip: its variance is that of what a report adds, summed over the matrix."""

import itertools
from fractions import Fraction

import pytest

from privet.errors import BadAmount
from privet.guarantee.oracles import WORD, oracle_class


@pytest.mark.parametrize("epsilon", ["1/2", "3"])
def test_the_variance_follows_from_the_matrix(epsilon) -> None:
    oracle = oracle_class("dbitflip").made(Fraction(epsilon), 5, {"chosen": 2})
    flip = Fraction(oracle.odds()[0], WORD)
    seen = [
        (places, bits)
        for places in itertools.combinations(range(5), 2)
        for bits in itertools.product((0, 1), repeat=2)
    ]

    def added(at: int) -> Fraction:
        places, bits = seen[at]
        if 0 not in places:
            return Fraction(0)
        return Fraction(5, 2) * (bits[places.index(0)] - flip) / (1 - 2 * flip)

    for x, count in ((0, 1), (3, 0)):
        row = oracle.matrix()[x]
        mean = sum(chance * added(at) for at, chance in enumerate(row))
        square = sum(chance * added(at) ** 2 for at, chance in enumerate(row))
        assert mean == (x == 0)
        assert abs(float(square - mean**2) - float(oracle.variance(1.0, float(count)))) < 1e-9


def test_more_places_than_values_are_refused() -> None:
    with pytest.raises(BadAmount):
        oracle_class("dbitflip").made(Fraction(1), 3, {"chosen": 4})
