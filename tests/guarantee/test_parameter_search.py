"""Searches for the edge of what meets a target, over curves whose edge is known."""

import math
from fractions import Fraction

import pytest

from privet.errors import NoSolution
from privet.guarantee._parameter_search import edge, grows, log_ratio, smallest_whole, whole_edge


def test_the_sign_is_that_of_the_exact_comparison():
    assert log_ratio(math.inf, Fraction(1)) == math.inf
    assert log_ratio(Fraction(0), Fraction(1)) == -math.inf  # exact: an infinity
    assert log_ratio(2.0, Fraction(1)) == pytest.approx(math.log(2))
    assert log_ratio(Fraction(1, 2), Fraction(1)) == pytest.approx(-math.log(2))
    assert log_ratio(Fraction(1), Fraction(1)) == 0  # exact: the logarithm of one
    hardly = Fraction(1, 10**40)
    assert log_ratio(1 + hardly, Fraction(1)) > 0
    assert log_ratio(1 - hardly, Fraction(1)) <= 0


# --- floats ---


@pytest.mark.parametrize("target", [1e-9, 0.3, 1.0, 7.0, 1e9])
@pytest.mark.parametrize("power", [1, 2, 0.5])
def test_the_edge_of_a_falling_curve_is_met_from_the_safe_side(target, power):
    """The excess of a loss that falls with the parameter: safety lies upwards, so the search goes down."""

    def excess(value):
        return power * (math.log(target) - math.log(value))

    found = float(edge(excess, upwards=False, precision=1e-9))
    assert target <= found <= target * (1 + 2e-9)


@pytest.mark.parametrize("target", [1e-9, 0.3, 1.0, 7.0, 1e9])
def test_the_edge_of_a_rising_curve_is_met_from_the_safe_side(target):
    found = float(edge(lambda value: math.log(value) - math.log(target), upwards=True, precision=1e-9))
    assert target * (1 - 2e-9) <= found <= target


def test_a_step_is_found_without_a_slope():
    found = float(edge(lambda value: 1.0 if value < 5 else -1.0, upwards=False, precision=1e-6))
    assert 5 <= found <= 5 * (1 + 2e-6)


def test_few_values_are_tried_where_the_curve_is_straight():
    tried = []

    def excess(value):
        tried.append(value)
        return math.log(3) - math.log(value)

    edge(excess, upwards=False, precision=1e-9)
    assert len(tried) < 12


def test_the_domain_may_end_before_the_target_is_met():
    """Values above 10 do not exist; the edge at 9 lies close to the end."""

    def excess(value):
        return None if value > 10 else math.log(9) - math.log(value)

    found = float(edge(excess, upwards=False, precision=1e-9))
    assert 9 <= found <= 9 * (1 + 2e-9)


def test_a_loss_that_turns_infinite_ends_the_domain_too():
    def excess(value):
        return math.inf if value > 10 else math.log(9) - math.log(value)

    found = float(edge(excess, upwards=False, precision=1e-9))
    assert 9 <= found <= 9 * (1 + 2e-9)


@pytest.mark.parametrize(
    ("excess", "says"),
    [
        (lambda _: None, "none of the values"),
        (lambda _: -1.0, "every value"),
        (lambda _: 1.0, "no value"),
        (lambda value: math.log(9) - math.log(value) if value < 8 else math.inf, "no value"),
    ],
)
def test_there_may_be_no_edge(excess, says):
    with pytest.raises(NoSolution, match=says):
        edge(excess, upwards=False, precision=1e-9)


# --- direction ---


def test_the_direction_is_that_of_the_first_difference():
    assert grows(float, integer=False) is True
    assert grows(lambda value: -float(value), integer=False) is False
    assert grows(lambda value: None if value < 4 else float(value), integer=False) is True
    assert grows(lambda value: -1.0 if value > 1000 else 5.0, integer=True) is False


def test_whole_numbers_alone_are_tried_where_only_they_exist():
    def excess(value):
        assert value.denominator == 1
        return -float(value)

    assert grows(excess, integer=True) is False


def test_a_loss_that_never_changes_has_no_direction():
    tried = []

    def excess(value):
        tried.append(value)
        return 1.0

    with pytest.raises(NoSolution):
        grows(excess, integer=False)
    assert len(tried) == 25
    with pytest.raises(NoSolution):
        grows(lambda _: None, integer=False)


# --- whole numbers ---


@pytest.mark.parametrize("last", [1, 2, 3, 7, 8, 1000, 2**40 + 1])
def test_the_largest_and_the_smallest_whole_number_that_fits(last):
    assert whole_edge(lambda value: -1.0 if value <= last else 1.0, upwards=True) == last
    assert whole_edge(lambda value: -1.0 if value >= last else 1.0, upwards=False) == last


def test_exactly_the_target_fits():
    assert whole_edge(lambda value: float(value - 5), upwards=True) == 5


@pytest.mark.parametrize(
    ("excess", "upwards", "says"),
    [
        (lambda _: 1.0, True, "not even one"),
        (lambda _: -1.0, True, "no whole number"),
        (lambda _: 1.0, False, "no whole number"),
        (lambda _: None, False, "no whole number"),
    ],
)
def test_there_may_be_no_whole_edge(excess, upwards, says):
    with pytest.raises(NoSolution, match=says):
        whole_edge(excess, upwards=upwards)


@pytest.mark.parametrize("above", [0, 1, 5, 100])
@pytest.mark.parametrize("further", [1, 2, 3, 10, 999])
def test_the_smallest_whole_number_within_a_falling_cost(above, further):
    first = above + further
    cost = lambda value: Fraction(1) if value < first else Fraction(1, 2)  # noqa: E731
    assert smallest_whole(cost, Fraction(1, 2), above=above) == first


def test_a_cost_that_never_falls_so_far_has_no_solution():
    with pytest.raises(NoSolution, match="threshold"):
        smallest_whole(lambda _: Fraction(1), Fraction(1, 2), above=0)


@pytest.mark.parametrize("upwards", [True, False])
def test_where_the_curve_is_a_cliff_the_middle_still_finds_the_edge(upwards):
    cliff = 0.3

    def excess(value):
        return -math.inf if (value <= cliff) == upwards else math.inf

    asked = []
    found = edge(lambda value: asked.append(value) or excess(value), upwards=upwards, precision=1e-6)
    assert float(found) == pytest.approx(cliff, rel=2e-6)
    assert excess(found) < 0
    assert len(asked) < 60  # halves of the bracket, not steps
