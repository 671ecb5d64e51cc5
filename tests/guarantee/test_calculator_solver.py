"""Solving for the `?` of the calculator's language."""

from fractions import Fraction

import pytest

from privet.errors import BadUsage, NoSolution, UnsupportedEvent
from privet.guarantee._calculator_notation import parse, parse_with_unknown
from privet.guarantee._calculator_solver import _Question, _written, solve_notation
from privet.guarantee._composition import epsilon_for
from privet.guarantee._privacy_units import Change


@pytest.mark.parametrize(
    ("text", "epsilon", "value"),
    [
        ("laplace(scale=?)", 1, 1),
        ("10 x laplace(scale=?)", 1, 10),
        ("laplace(scale=3, sensitivity=?)", 1, 3),
        ("? x laplace(scale=10)", 1, 10),
        ("? x laplace(scale=10)", "0.99", 9),
        ("exponential(epsilon=?)", 1, 1),
        ("randomized_response(p=0.5, buckets=?)", "1.1", 2),
        ("randomized_response(p=0.5, buckets=?)", "1.4", 3),
    ],
)
def test_pure_targets_have_closed_solutions(text, epsilon, value):
    assert solve_notation(parse_with_unknown([text]), epsilon=epsilon) == value


@pytest.mark.parametrize(
    ("text", "further"),
    [
        ("100 x gaussian(sigma=?)", 1.001),
        ("randomized_response(p=?, buckets=4)", 1.001),
        ("poisson(q=?, 10 x laplace(scale=2))", 0.999),
        ("opaque(epsilon=0.5) + zcdp(rho=?)", 0.999),
        ("opaque(epsilon=0.5, delta=?)", 0.999),
    ],
)
def test_the_solution_keeps_the_target_and_is_the_edge_of_it(text, further):
    template = parse_with_unknown([text])
    value = solve_notation(template, epsilon=1, delta="1e-6")
    digits = str(float(value)).replace(".", "").lstrip("0").partition("e")[0]
    assert len(digits) <= 6, "a number as people write it"
    assert epsilon_for(template.event(value), "1e-6").epsilon <= 1
    assert epsilon_for(template.event(value / Fraction(further)), "1e-6").epsilon > 1
    assert parse(text.replace("?", str(float(value)))) == template.event(value), "and it can be typed back in"


@pytest.mark.parametrize(
    ("text", "safer"),
    [
        ("? x gaussian(sigma=20)", -1),
        ("thresholded_keys(scale=1, threshold=?)", 1),
        ("thresholded_keys(scale=4, threshold=200, keys=?)", -1),
        ("discrete_gaussian(sigma=20, coordinates=?)", -1),
    ],
)
def test_whole_solutions_are_exact_edges(text, safer):
    template = parse_with_unknown([text])
    value = solve_notation(template, epsilon=1, delta="1e-6")
    assert value.denominator == 1
    assert epsilon_for(template.event(value), "1e-6").epsilon <= 1
    assert epsilon_for(template.event(value - safer), "1e-6").epsilon > 1


def test_a_tighter_accountant_allows_more():
    template = parse_with_unknown(["? x gaussian(sigma=20)"])
    counts = {
        a: solve_notation(template, epsilon=1, delta="1e-6", accountant=a) for a in ("zcdp", "rdp", "pld")
    }
    assert counts["pld"] > counts["zcdp"]
    assert counts["pld"] > counts["rdp"]
    assert solve_notation(template, epsilon=1, delta="1e-6") == counts["pld"]


def test_the_change_is_respected():
    template = parse_with_unknown(["gaussian(?)"])
    same = solve_notation(template, epsilon=1, delta="1e-6", change=Change.REPLACE)
    assert same == solve_notation(template, epsilon=1, delta="1e-6")
    with pytest.raises(UnsupportedEvent):
        solve_notation(
            parse_with_unknown(["poisson(0.1, gaussian(?))"]), epsilon=1, delta="1e-6", change=Change.REPLACE
        )


def test_each_step_is_told():
    steps = []
    solve_notation(parse_with_unknown(["laplace(?)"]), epsilon=1, each_step=lambda: steps.append(1))
    assert len(steps) > 2


@pytest.mark.parametrize(
    ("text", "delta"),
    [
        ("opaque(epsilon=2) + laplace(?)", 0),
        ("opaque(epsilon=0.1, delta=1e-3) + laplace(?)", "1e-6"),
        ("? x laplace(scale=0.5)", 0),
        ("? x laplace(scale=1e9, sensitivity=1/1000)", 0),
    ],
)
def test_no_edge_no_solution(text, delta):
    with pytest.raises(NoSolution):
        solve_notation(parse_with_unknown([text]), epsilon=1, delta=delta)


def test_an_accountant_that_does_not_apply_is_refused_as_such():
    with pytest.raises(UnsupportedEvent):
        solve_notation(parse_with_unknown(["gaussian(?)"]), epsilon=1, delta="1e-6", accountant="pure")


def test_noise_that_lowers_epsilon_and_raises_delta_has_a_window():
    # At scale 1 epsilon is too large, at scale 2 delta is; the edge lies between.
    found = solve_notation(
        parse_with_unknown(["thresholded_keys(scale=?, threshold=20)"]), epsilon="0.9", delta="1e-6"
    )
    assert found == pytest.approx(1 / 0.9, rel=1e-5)


def test_nothing_to_solve():
    with pytest.raises(BadUsage):
        solve_notation(parse_with_unknown(["laplace(1)"]), epsilon=1)


def test_numbers_to_say_instead_are_the_nearest_and_the_nearest_safe_one():
    third, two_thirds = Fraction(1, 3), Fraction(2, 3)
    assert list(_written(third, up=True)) == [Fraction("0.333333"), Fraction("0.333334")]
    assert list(_written(third, up=False)) == [Fraction("0.333333"), Fraction("0.333333")]
    assert list(_written(two_thirds, up=False)) == [Fraction("0.666667"), Fraction("0.666666")]


def test_a_value_that_is_checked_at_the_end_is_a_step_too():
    steps = []
    template = parse_with_unknown(["laplace(scale=?)"])
    asked = _Question(
        template, template.unknown, Fraction(1), Fraction(0), Change.ADD_OR_REMOVE, lambda: steps.append(1)
    )
    assert asked.keeps(Fraction(1), "pure")
    assert not asked.keeps(Fraction(1, 2), "pure")
    assert len(steps) == 2
    assert not asked.keeps(Fraction(-1), "pure")
    assert len(steps) == 2
