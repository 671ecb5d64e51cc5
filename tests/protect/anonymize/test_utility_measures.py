"""What a table is still good for."""

import numpy as np
import pytest
from tests.protect.anonymize.adult_tables import NINE, adult

from privet.disclosure import Codes
from privet.errors import UtilityUnmeasurable
from privet.guarantee._promise_registry import KAnonymity
from privet.protect.anonymize._utility_measures import (
    cells_of_solution,
    correlation_distance,
    marginal_distance,
    model_utility,
)
from privet.protect.anonymize._utility_models import BOOSTING, LOGISTIC
from privet.protect.anonymize.hierarchies import Hierarchy
from privet.protect.anonymize.search import search

NONE = np.zeros(4, bool)


def test_marginals():
    assert marginal_distance(list("aabb"), list("aabb"), NONE) == pytest.approx(0)
    assert marginal_distance(list("aabb"), list("****"), NONE) == pytest.approx(1)
    assert marginal_distance(list("aabb"), list("aabb"), np.array([0, 0, 1, 1], bool)) == pytest.approx(0.5)
    assert marginal_distance(list("aabb"), list("aabb"), ~NONE) == pytest.approx(1)
    with pytest.raises(UtilityUnmeasurable):
        marginal_distance(list("aab"), list("aabb"), NONE)


def test_correlations():
    table = np.array([[1.0, 2], [2, 4], [3, 6], [4, 8]])
    assert correlation_distance(table, table, NONE) == pytest.approx(0)
    flipped = table * np.array([1, -1])
    assert correlation_distance(table, flipped, NONE) == pytest.approx(2)
    assert correlation_distance(table, np.ones_like(table), NONE) == pytest.approx(1)
    with pytest.raises(UtilityUnmeasurable):
        correlation_distance(table, table, ~NONE)
    with pytest.raises(UtilityUnmeasurable):
        correlation_distance(table[:, :1], table[:, :1], NONE)


@pytest.mark.parametrize("learner", [LOGISTIC, BOOSTING], ids=["own", "scikit-learn"])
def test_a_model_learns_what_is_left(learner):
    if learner is BOOSTING:
        pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    codes = np.arange(400)[:, None] % 4
    target = (codes[:, 0] >= 2).astype(np.int64)
    held_out = np.arange(400) % 5 == 0
    whole = codes == np.arange(4)
    halves = codes // 2 == np.arange(4) // 2
    nothing = np.ones((400, 4), bool)
    none = np.zeros(400, bool)
    for published, kept in ((whole, 1), (halves, 1), (nothing, 0)):
        found = model_utility(codes, [published], target, none, held_out, learner=learner)
        assert found.learner == learner.name
        assert found.original == pytest.approx(1)
        assert found.kept == pytest.approx(kept, abs=0.05)
    with pytest.raises(UtilityUnmeasurable):
        model_utility(codes, [whole], np.zeros(400, np.int64), none, held_out)
    with pytest.raises(UtilityUnmeasurable):
        model_utility(codes, [], target, none, held_out)


def covering(codes, ladders, found):
    """What each row is published as, the values that each cell stands for; checked to hold its own."""
    quasi = codes.codes[:, : len(ladders)]
    at = {tuple(line): i for i, line in enumerate(found.codes.tolist())}
    place = np.array([at[tuple(line)] for line in quasi.tolist()])
    cells = [column[place] for column in cells_of_solution(found, ladders)]
    for j, column in enumerate(cells):
        assert column[np.arange(len(place)), quasi[:, j]].all()
    return place, cells


@pytest.mark.parametrize("how", ["optimal", "local"])
def test_every_cell_of_a_made_up_table_covers_its_value(how):
    letters = Hierarchy.from_paths("letter", [(c, "ab" if c < "c" else "cd", "*") for c in "abcd"])
    digits = Hierarchy.from_paths("digit", [("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*")])
    draw = np.random.default_rng(1)
    first = draw.integers(0, 4, 300)
    rows = np.stack([first, draw.integers(0, 3, 300), first // 2], axis=1)
    codes, ladders = (
        Codes.from_rows(("letter", "digit", "ill"), rows),
        [letters.ladder("abcd"), digits.ladder("123")],
    )
    found = search(codes, ladders, KAnonymity(30), how=how)
    place, cells = covering(codes, ladders, found)
    assert max(column.sum(axis=1).max() for column in cells) > 1, "something is coarser than it was"
    held_out = np.arange(len(place)) % 3 == 0
    measured = model_utility(
        codes.codes[:, :2].astype(np.int64),
        cells,
        codes.codes[:, 2].astype(np.int64),
        found.suppressed[place],
        held_out,
    )
    # Letters in pairs tell the third column whole.
    assert measured.kept > 0.9


@pytest.mark.real_data(twin="test_every_cell_of_a_made_up_table_covers_its_value")
def test_local_recoding_keeps_more_than_one_level_for_all():
    codes, ladders, _ = adult("salary-class")
    target = codes.codes[:, NINE.index("salary-class")].astype(np.int64)
    kept = {}
    for how in ("optimal", "local"):
        found = search(codes, ladders, KAnonymity(5), max_suppressed="0.05", how=how)
        place, cells = covering(codes, ladders, found)
        held_out = np.arange(len(place)) % 3 == 0
        kept[how] = model_utility(
            codes.codes[:, :8].astype(np.int64), cells, target, found.suppressed[place], held_out
        ).kept
    assert kept["local"] > kept["optimal"]
    assert kept["local"] > 0.9
