"""Ways to deal things out, counted by hand and by their own formulas."""

from math import comb, factorial, prod

import pytest

from privet.attacks.tables._possible_worlds import (
    MOST,
    compositions,
    dealt,
    number_of_compositions,
    refuse_many,
    ways,
)
from privet.errors import NoPower


@pytest.mark.parametrize(("total", "parts"), [(0, 1), (0, 3), (4, 2), (5, 3)])
def test_compositions_are_all_there_once(total, parts):
    found = list(compositions(total, parts))
    assert (
        len(found)
        == len(set(found))
        == number_of_compositions(total, parts)
        == comb(total + parts - 1, parts - 1)
    )
    assert all(sum(one) == total for one in found)


def test_orders_are_the_multinomial_coefficient():
    assert ways((2, 1, 1)) == pytest.approx(12)
    assert ways((3,)) == pytest.approx(1)
    assert ways((0, 0)) == pytest.approx(1)


def test_two_of_a_kind_dealt_to_two_groups_by_hand():
    """Groups of two and one; two of a, one of b. The pair is aa (one order, then b) or ab (two orders, then a)."""
    found = dict(dealt([2, 1], [2, 1]))
    assert found == {((2, 0), (0, 1)): pytest.approx(1), ((1, 1), (1, 0)): pytest.approx(2)}


@pytest.mark.parametrize(("sizes", "values"), [([3, 2], [1, 2, 2]), ([1, 1, 3], [2, 3]), ([4], [2, 2])])
def test_weights_add_up_to_all_orders(sizes, values):
    """Dealing to places one by one: n! over the orders of equal values."""
    total = sum(weight for _, weight in dealt(sizes, values))
    assert total == pytest.approx(factorial(sum(values)) / prod(map(factorial, values)))
    for way, _ in dealt(sizes, values):
        assert [sum(group) for group in way] == sizes
        assert [sum(column) for column in zip(*way, strict=True)] == values


def test_too_many_ways_are_refused():
    refuse_many(MOST)
    with pytest.raises(NoPower, match="too many"):
        refuse_many(MOST + 1)
