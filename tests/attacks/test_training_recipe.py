"""How a model is trained again: what is known of it, and when two trainings are the same."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

from privet.attacks._training_recipe import Recipe, recipe_for, recipe_of
from privet.errors import BadAttack

DEPTH, LEARNER = 2, DecisionTreeClassifier()


def test_other_recipes_are_not_taken_for_a_plain_regression() -> None:
    for other in (
        LogisticRegression(class_weight="balanced"),
        LogisticRegression(fit_intercept=False),
        LogisticRegression(solver="liblinear"),
        LogisticRegression(l1_ratio=0.5, solver="saga"),
        DecisionTreeClassifier(),
    ):
        assert recipe_for(other).ridge is None


def reads_a_value(features, labels, seed):
    return DecisionTreeClassifier(max_depth=DEPTH).fit(features, labels)


def reads_an_object(features, labels, seed):
    return LEARNER.fit(features, labels)


def calls_its_neighbour(features, labels, seed):
    return reads_a_value(features, labels, seed)


def test_what_a_recipe_reads_from_its_module_is_part_of_its_name(monkeypatch) -> None:
    before = recipe_of(reads_a_value, None).digest
    assert before is not None
    monkeypatch.setitem(globals(), "DEPTH", 3)
    assert recipe_of(reads_a_value, None).digest not in {before, None}
    # An object's state, and code of one's own that is called, cannot be named: nothing is kept.
    assert recipe_of(reads_an_object, None).digest is None
    assert recipe_of(calls_its_neighbour, None).digest is None


def test_settings_that_a_text_would_cut_short_are_told_apart() -> None:
    long = np.zeros(5_000)
    other = long.copy()
    other[2_500] = 1
    named = [recipe_for(MLPClassifier(hidden_layer_sizes=one)).digest for one in (long, long.copy(), other)]
    assert named[0] == named[1] != named[2]
    assert recipe_for(DecisionTreeClassifier(class_weight={0: object()})).digest is None

    class Own(DecisionTreeClassifier):
        __module__ = "nowhere"

    assert recipe_for(Own()).digest is None  # nothing says which version of it this is


def test_recipes_are_named_by_their_code() -> None:
    def make(depth):
        return lambda features, labels, seed: DecisionTreeClassifier(max_depth=depth).fit(features, labels)

    digests = [recipe_of(make(depth), None).digest for depth in (1, 1, 2)]
    assert digests[0] == digests[1] != digests[2]
    assert recipe_of(make(np.ones(3)), None).digest is None  # closes over more than plain values: not kept
    one, other = recipe_for(DecisionTreeClassifier()), recipe_for(DecisionTreeClassifier(max_depth=3))
    assert one.digest != other.digest
    assert recipe_for(DecisionTreeClassifier(random_state=4)).digest == one.digest
    with pytest.raises(BadAttack, match="not known how"):
        recipe_of(None, lambda x: x)


def test_what_was_given_counts_before_what_the_target_says() -> None:
    given = Recipe(reads_a_value, "mine")
    assert recipe_of(given, DecisionTreeClassifier()) is given
    assert recipe_of(None, DecisionTreeClassifier()).digest == recipe_for(DecisionTreeClassifier()).digest
    assert recipe_of(reads_a_value, None).train is reads_a_value


def test_a_clone_is_trained_with_the_seed_that_is_asked_for() -> None:
    fitted = DecisionTreeClassifier(max_depth=2, random_state=4).fit([[0], [1]], [0, 1])
    again = recipe_for(fitted).train(np.array([[0], [1], [2]]), np.array([1, 0, 1]), 77)
    assert again is not fitted
    assert (again.random_state, again.max_depth) == (77, 2)
    assert fitted.predict([[0]]).tolist() == [0]


def test_the_penalty_of_a_plain_regression_is_its_inverse_strength() -> None:
    assert recipe_for(LogisticRegression(C=0.25)).ridge == pytest.approx(0.25)
