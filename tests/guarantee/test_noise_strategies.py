"""Strategies as values: the farthest that one unit moves them, against every pattern and sign; what is refused; their error."""

import math
from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from privet.errors import BadAmount
from privet.guarantee import BandedStrategy, BufferedStrategy, Participation
from privet.guarantee._noise_strategies import root_up
from privet.guarantee._toeplitz_strategy import UNIT, moved_squares

HALF, QUARTER = UNIT // 2, UNIT // 4
# Powers of two, so that jax-privacy's floats and our integers are the same numbers.
BLT = ((3 * QUARTER, 31 * UNIT // 32), (QUARTER, UNIT // 8))


def exact_column(decays, weights, steps):
    decays, weights = ([Fraction(v, UNIT) for v in each] for each in (decays, weights))
    return [Fraction(1)] + [
        sum((w * d**t for d, w in zip(decays, weights, strict=True)), Fraction(0)) for t in range(steps - 1)
    ]


def matrix_of(column, steps):
    return np.array(
        [
            [float(column[t - i]) if 0 <= t - i < len(column) else 0.0 for i in range(steps)]
            for t in range(steps)
        ]
    )


def farthest(matrix, participations, separation):
    """By brute force over every pattern and every sign of one-dimensional gradients."""
    steps = len(matrix)
    return max(
        float(np.sum((matrix[:, list(chosen)] @ np.array(signs)) ** 2))
        for count in range(1, participations + 1)
        for chosen in combinations(range(steps), count)
        if all(later - earlier >= separation for earlier, later in pairwise(chosen))
        for signs in product((1.0, -1.0), repeat=count)
    )


@pytest.mark.parametrize(("participations", "separation"), [(1, 9), (2, 3), (3, 3), (3, 2), (4, 2), (2, 6)])
@pytest.mark.parametrize("kind", ["banded", "flat", "buffered"])
def test_no_pattern_and_no_sign_moves_farther_than_stated(kind, participations, separation):
    pattern = Participation(9, participations, separation)
    made = {
        "banded": BandedStrategy(pattern, (UNIT, 3 * QUARTER, HALF, QUARTER)),
        "flat": BandedStrategy(pattern, (UNIT,) * 5),
        "buffered": BufferedStrategy(pattern, *BLT),
    }[kind]
    column = exact_column(*BLT, 9) if kind == "buffered" else [Fraction(int(c), UNIT) for c in made.column()]
    found = farthest(matrix_of(column, 9), participations, separation)
    assert float(made.squares()) == pytest.approx(found, rel=1e-8)
    assert made.sensitivity() ** 2 >= made.squares()


def test_with_a_negative_coefficient_the_closed_form_would_be_too_small_and_it_is_refused():
    """1, -1/2 at separation 1: the sum of columns is short, and gradients of opposite signs move farther."""
    column = np.array([UNIT, -HALF], dtype=np.int64)
    stated = moved_squares(column, 4, 2, 1) / UNIT**2
    truth = farthest(matrix_of([1, -0.5], 4), 2, 1)
    assert truth > 1.5 * stated
    with pytest.raises(BadAmount, match="negative"):
        BandedStrategy(Participation(4, 2, 1), (UNIT, -HALF))


def test_a_rising_coefficient_is_refused_too():
    """1, 0, 1 at separation 1: two steps apart is worse than one, which is what the closed form looks at."""
    column = np.array([UNIT, 0, UNIT], dtype=np.int64)
    assert farthest(matrix_of([1, 0, 1], 5), 2, 1) > moved_squares(column, 5, 2, 1) / UNIT**2
    with pytest.raises(BadAmount, match="rise"):
        BandedStrategy(Participation(5, 2, 1), (UNIT, 0, UNIT))
    with pytest.raises(BadAmount, match="rise"):
        BufferedStrategy(Participation(5, 2, 1), (HALF, QUARTER), (HALF, HALF + 1))


@pytest.mark.parametrize(
    ("decays", "weights"),
    [
        ((), ()),
        ((HALF,), ()),
        ((UNIT,), (HALF,)),
        ((-1,), (HALF,)),
        ((HALF,), (0,)),
        ((HALF,), (-1,)),
        ((HALF, HALF), (1, 1)),
    ],
)
def test_what_is_no_buffered_strategy_is_refused(decays, weights):
    with pytest.raises(BadAmount):
        BufferedStrategy(Participation(5, 1, 5), decays, weights)


@pytest.mark.parametrize("coefficients", [(), (HALF,), (UNIT, 0.5), (UNIT,) * 6, (UNIT + 1, 1)])
def test_what_is_no_banded_strategy_is_refused(coefficients):
    with pytest.raises(BadAmount):
        BandedStrategy(Participation(5, 1, 5), coefficients)


@pytest.mark.parametrize("numbers", [(0, 1, 1), (5, 0, 1), (5, 1, 0), (10, 3, 5), (10**6 + 1, 1, 1)])
def test_what_is_no_pattern_is_refused(numbers):
    with pytest.raises(BadAmount):
        Participation(*numbers)


def test_rounds_that_are_begun_count():
    assert Participation.rounds(11, 5) == Participation(11, 3, 5)
    assert Participation.rounds(3, 5) == Participation(3, 1, 5)
    assert Participation(11, 3, 5).until(6) == Participation(6, 2, 5)


@pytest.mark.parametrize("decay", [0, 1, HALF, UNIT - 1, UNIT - 2**15])
def test_columns_are_rounded_up_and_hardly_so(decay):
    found = BufferedStrategy(Participation(300, 1, 300), (decay,), (HALF,)).column()
    for entry, exact in zip(found.tolist(), exact_column((decay,), (HALF,), 300), strict=True):
        assert 0 <= entry - exact * UNIT < 600


@pytest.mark.parametrize(
    ("pattern", "squares", "mean", "largest"),
    [
        ((1_024, 1, 1_024), 1.6253968253968252, 4.0785189740736625, 5.5546597568388485),
        ((2_000, 5, 400), 8.126996271592853, 5.495046020830258, 7.6134982843208245),
        ((2_000, 20, 100), 33.32986668050589, 5.495046020830258, 7.6134982843208245),
        ((60, 5, 12), 12.310884958545202, 1.7493203490626121, 2.017729916249165),
    ],
)
def test_sensitivity_and_error_of_buffered_strategies_are_those_of_jax_privacy(
    pattern, squares, mean, largest
):
    """jax-privacy 2.0.0 in 64 bits: `BufferedToeplitz.build([.75, .96875], [.25, .125])`, `minsep_sensitivity_squared`, `per_query_error`."""
    made = BufferedStrategy(Participation(*pattern), *BLT)
    assert float(made.squares()) == pytest.approx(squares, rel=1e-5)
    assert float(made.squares()) >= squares * (1 - 1e-12)
    assert made.running_error() == pytest.approx(mean, rel=1e-9)
    sums = np.cumsum(made._response)
    assert math.sqrt(float(sums @ sums)) == pytest.approx(largest, rel=1e-9)


@pytest.mark.parametrize("kind", ["banded", "buffered"])
@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_errors_are_those_of_the_matrices(kind, momentum):
    steps, pattern = 30, Participation(30, 3, 10)
    if kind == "banded":
        made = BandedStrategy(pattern, (UNIT, HALF, QUARTER))
        column = [1.0, 0.5, 0.25]
    else:
        made = BufferedStrategy(pattern, *BLT)
        column = exact_column(*BLT, steps)
    noise = np.linalg.inv(matrix_of(column, steps))
    heavy = np.cumsum(matrix_of([momentum**t for t in range(steps)], steps), axis=0)
    assert np.allclose([made.deviation_at(t) for t in range(steps)], np.linalg.norm(noise, axis=1))
    assert made.running_error(momentum) == pytest.approx(math.sqrt(((heavy @ noise) ** 2).sum() / steps))


def test_the_first_steps_alone_move_no_farther():
    for made in (
        BandedStrategy(Participation(12, 3, 4), (UNIT, HALF)),
        BufferedStrategy(Participation(12, 3, 4), *BLT),
    ):
        squares = [made.until(steps).squares() for steps in range(1, 13)]
        assert squares == sorted(squares)
        assert made.until(12) == made.until(99) == made
        assert squares[0] == 1


def test_a_column_is_as_long_as_one_participation():
    made = BandedStrategy(Participation(12, 3, 4), (UNIT, HALF, HALF))
    assert made.column_norm() == root_up(Fraction(3, 2))
    assert made.squares() == 3 * Fraction(3, 2)


def test_roots_are_rounded_up():
    for value in (Fraction(2), Fraction(1, 3), Fraction(9), Fraction(10**12)):
        found = root_up(value)
        assert found**2 >= value > (found - Fraction(1, 2**40)) ** 2


def test_records_hold_every_number():
    made = BufferedStrategy(Participation(12, 3, 4), *BLT)
    assert made.to_json() == {
        "kind": "buffered",
        "steps": 12,
        "participations": 3,
        "separation": 4,
        "decays": list(BLT[0]),
        "weights": list(BLT[1]),
    }
    assert BandedStrategy(Participation(4, 1, 4), (UNIT, 1)).to_json()["coefficients"] == [UNIT, 1]
