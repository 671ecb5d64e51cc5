"""The fixed settings: golden values, what they may depend on, and what the pull does."""

import itertools
from dataclasses import replace

import pytest

import privet as pv
from privet.artifact._feature_encoding import CategoryColumn, Features, NumberColumn
from privet.artifact._fitted_weights import ModelTarget
from privet.protect.train.tabular._default_hyperparameters import pull_of, settings_for
from privet.protect.train.tabular._learner_registry import Task

YES_NO = ModelTarget("y", ("no", "yes"))


def task(numbers=0, categories=(), *, records, target=YES_NO, unit=None):
    columns = [NumberColumn(f"n{at}", 0, 1, 32) for at in range(numbers)]
    columns += [
        CategoryColumn(f"c{at}", tuple(f"v{v}" for v in range(many - 1)))
        for at, many in enumerate(categories)
    ]
    return Task(Features(tuple(columns)), target, unit or pv.Row(), records)


DIGITS = ModelTarget("digit", tuple("0123456789"))


SHAPES = {
    "breast": task(30, records=455),
    "digits": task(64, records=1_437, target=DIGITS),
    "hospital": task(3, (4, 11, 114), records=3_200),
    "adult": task(1, (3, 6, 8, 17, 42, 8, 15), records=24_129),
    "diabetes": task(10, records=353, target=ModelTarget("y", (), 0.0, 350.0)),
}


@pytest.mark.parametrize(
    ("name", "epsilon", "wanted", "travel"),
    [
        ("breast", 0.1, (50, 1, 1), 1.5),
        ("breast", 1, (100, 1, 2), 9.4049),
        ("breast", 8, (200, 1, 4), 58.4085),
        ("digits", 0.1, (50, 1, 1), 3.0),
        ("digits", 2, (100, 1, 1), 31.0392),
        ("hospital", 1, (200, 1, 4), 52.3997),
        ("hospital", 8, (200, 1, 8), 400.0),
        ("adult", 0.1, (200, 0.25, 8), 45.5711),
        ("adult", 1, (200, 0.25, 8), 400.0),
        ("diabetes", 1, (100, 1, 4), 0.974659),
    ],
)
def test_golden_settings(name, epsilon, wanted, travel):
    found = settings_for(SHAPES[name], pv.ApproxDP(epsilon, "1e-6"))
    assert (found.steps, float(found.q), found.terms) == wanted  # exact: whole numbers and a quarter
    assert found.rate * found.clip * found.steps == pytest.approx(travel, rel=1e-4)


def test_settings_know_epsilon_records_and_columns_only():
    """Names, bounds, delta and the values of categories are no part of it."""
    held = SHAPES["hospital"]
    other = Features(
        tuple(
            replace(column, name=f"x{at}", lower=-7.0)
            if isinstance(column, NumberColumn)
            else CategoryColumn(f"x{at}", tuple(f"w{value}" for value in column.values))
            for at, column in enumerate(held.features.columns)
        )
    )
    assert settings_for(held, pv.ApproxDP(1, "1e-6")) == settings_for(
        replace(held, features=other), pv.ApproxDP(1, "1e-9")
    )


@pytest.mark.parametrize("name", SHAPES)
def test_a_larger_epsilon_never_goes_less_far(name):
    found = [settings_for(SHAPES[name], pv.ApproxDP(epsilon, "1e-6")) for epsilon in (0.1, 0.5, 1, 2, 4, 8)]
    ways = [one.rate * one.clip * one.steps for one in found]
    assert all(later >= 0.8 * before for before, later in itertools.pairwise(ways))
    assert [one.steps for one in found] == sorted(one.steps for one in found)
    assert [one.terms for one in found] == sorted(one.terms for one in found)


@pytest.mark.parametrize(
    ("name", "clip"), [("breast", 2.22711), ("digits", 0.80623), ("hospital", 1.09659), ("diabetes", 0.66332)]
)
def test_the_clipping_bound_follows_the_length_of_rows(name, clip):
    """Two fifths of it for two classes, a tenth for several, a fifth for numbers; each column adds about 1 to its square."""
    assert settings_for(SHAPES[name], pv.ApproxDP(0.1, "1e-6")).clip == pytest.approx(clip, rel=1e-4)


@pytest.mark.parametrize(
    ("column", "records", "pull"),
    [
        (NumberColumn("n", 0, 1), 50, 1.0),
        (CategoryColumn("c", ("a", "b", "c")), 24_000, 1.0),
        (CategoryColumn("c", tuple(f"v{at}" for at in range(19))), 3_000, 2.0),
        (CategoryColumn("c", tuple(f"v{at}" for at in range(199))), 3_000, 10.0),
    ],
)
def test_levels_with_few_records_are_drawn_to_zero(column, records, pull):
    assert pull_of(column, records) == pytest.approx(pull)
