"""What errors matter: moves probed from error bars, weights, targets, and goals that do not fit."""

import pyarrow as pa
import pytest

import privet as pv
from privet.errors import BadUsage
from privet.guarantee import DiscreteGaussian
from privet.protect.query.noise_plan import Goals
from privet.protect.query.noise_plan._error_weights import quantile_of, stakes
from privet.protect.query.noise_plan._vector_candidates import sketch


def questions(**aggregates):
    rows = pa.table({"id": [1, 2], "x": [1.0, 2.0]})
    found = sketch(
        pv.open_table(rows, unit=pv.Person("id", max_rows=1), bounds={"x": (0, 10)}).agg(**aggregates)
    )
    return [(found.readings, found.sensitivities)]


def test_an_answer_with_its_own_vector_moves_by_one_unit_for_each_step() -> None:
    (stake,) = stakes(questions(n=pv.count()), Goals(), 0.95)
    assert list(stake.moves.values()) == pytest.approx([1.0], rel=0.01)
    assert stake.weight == pytest.approx(1)
    assert stake.target is None


def test_a_target_is_a_half_width_turned_into_a_standard_deviation() -> None:
    (stake,) = stakes(questions(n=pv.count()), Goals(error=[{"n": 196}]), 0.95)
    assert stake.target == pytest.approx(100, rel=0.01)  # 1.96 deviations hold 95 %


def test_the_error_bar_of_gaussian_noise_is_its_known_quantile() -> None:
    assert quantile_of(DiscreteGaussian(10**5), 0.95) == pytest.approx(1.96, rel=0.001)
    assert quantile_of(DiscreteGaussian(10**5), 0.99) == pytest.approx(2.576, rel=0.001)


def test_weights_by_name_leave_the_others_at_one() -> None:
    found = stakes(questions(n=pv.count(), s=pv.sum("x")), Goals(weights=[{"s": 3}]), 0.95)
    assert [stake.weight for stake in found] == pytest.approx([1, 3])
    both = stakes(questions(n=pv.count(), s=pv.sum("x")), Goals(weights=[3]), 0.95)
    assert [stake.weight for stake in both] == pytest.approx([3, 3])


@pytest.mark.parametrize(
    ("goals", "said"),
    [
        (Goals(weights=[1], error=[{"n": 1}]), "two ways"),
        (Goals(weights=[1, 2]), "1 questions and weights for 2"),
        (Goals(error=[]), "1 questions and errors for 0"),
        (Goals(weights=[{"m": 1}]), "no answer 'm'"),
        (Goals(error=[{}]), "needs an error for 'n'"),
    ],
)
def test_goals_that_do_not_fit_are_refused(goals: Goals, said: str) -> None:
    with pytest.raises(BadUsage, match=said):
        stakes(questions(n=pv.count()), goals, 0.95)


@pytest.mark.parametrize("bad", [0, -1])
def test_what_matters_is_positive(bad: int) -> None:
    for goals in (Goals(weights=[bad]), Goals(error=[{"n": bad}])):
        with pytest.raises(pv.errors.PrivetError):
            stakes(questions(n=pv.count()), goals, 0.95)
