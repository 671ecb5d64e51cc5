"""Which learner a table gets: by columns, records, epsilon and classes, all of them public."""

import pytest

import privet as pv
from privet.artifact import Features, ModelTarget, NumberColumn
from privet.protect.train.tabular import LinearSettings
from privet.protect.train.tabular._automatic_choice import AutomaticLearner, automatic
from privet.protect.train.tabular._default_hyperparameters import settings_for
from privet.protect.train.tabular._learner_registry import Task, learner

TWO = ("no", "yes")


def task(columns, records, classes=TWO):
    features = Features(tuple(NumberColumn(f"x{at}", 0, 1, 32) for at in range(columns)))
    return Task(
        features,
        ModelTarget("y", classes, 0.0, 1.0) if not classes else ModelTarget("y", classes),
        pv.Row(),
        records,
    )


@pytest.mark.parametrize(
    ("columns", "records", "epsilon", "classes", "wanted"),
    [
        (150, 4_000, 1, TWO, "centroids"),
        (150, 4_000, 8, TWO, "centroids"),
        (150, 100_000, 1, TWO, "linear"),
        (100, 40_000, 1, TWO, "linear"),
        (100, 39_999, 1, TWO, "centroids"),
        (99, 4_000, 1, TWO, "linear"),
        (30, 455, 1, TWO, "linear"),
        (150, 4_000, 1, ("a", "b", "c"), "linear"),
        (150, 4_000, 1, (), "linear"),
    ],
)
def test_wide_tables_of_two_classes_and_few_records_get_centroids(columns, records, epsilon, classes, wanted):
    assert automatic(task(columns, records, classes), pv.ApproxDP(epsilon, "1e-6")) == wanted


def test_auto_plans_what_the_rule_says_and_options_are_for_the_linear_one():
    promise = pv.ApproxDP(1, "1e-6")
    assert isinstance(learner("auto"), AutomaticLearner)
    wide = task(150, 4_000)
    assert learner("auto").plan(wide, promise).event == learner("centroids").plan(wide, promise).event
    narrow = task(5, 4_000)
    assert learner("auto").plan(narrow, promise).event == learner("linear").plan(narrow, promise).event
    settings = settings_for(wide, promise)
    assert isinstance(settings, LinearSettings)
    assert learner("auto").plan(wide, promise, settings=settings).chosen == settings
