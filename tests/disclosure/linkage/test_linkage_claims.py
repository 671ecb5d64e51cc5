"""Claims: exact ones are alone on both sides, probable ones are each other's best."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from tests.disclosure.linkage.two_sides import ROWS, agree, rows_of, sides

from privet.disclosure.linkage._candidate_pairs import Pairs
from privet.disclosure.linkage._linkage_claims import THRESHOLD, exact_claims, mutual, probable_claims


@settings(max_examples=80, deadline=None)
@given(ROWS, ROWS)
def test_exact_claims_are_pairs_alone_on_both_sides(left, right) -> None:
    both = sides([*left, (0, 0)], [*right, (0, 0)])
    mine, theirs = rows_of(both, "left"), rows_of(both, "right")
    expected = {
        (i, j)
        for (i, one), (j, other) in itertools.product(enumerate(mine), enumerate(theirs))
        if agree(one, other)
        and sum(agree(one, each) for each in theirs) == 1
        and sum(agree(each, other) for each in mine) == 1
    }
    found = exact_claims(both)
    assert set(zip(found.left.tolist(), found.right.tolist(), strict=True)) == expected
    assert found.with_candidates == sum(any(agree(one, other) for other in theirs) for one in mine)


def test_many_alike_on_both_sides_are_nobody() -> None:
    both = sides([(0, 0)] * 50 + [(1, 1)], [(0, 0)] * 50 + [(1, 1)])
    found = exact_claims(both)
    assert list(zip(found.left.tolist(), found.right.tolist(), strict=True)) == [(50, 50)]
    assert found.with_candidates == 51
    assert found.probability == pytest.approx([1])


def pairs(*both):
    left, right = zip(*both, strict=True)
    return Pairs(np.array(left), np.array(right))


def test_each_is_the_others_best_above_the_threshold() -> None:
    made = pairs((0, 0), (0, 1), (1, 1), (2, 2), (3, 3))
    chances = np.array([0.6, 0.8, 0.9, 0.5, 0.49])
    found = mutual(made, chances, 0.5)
    # Person 0 prefers record 1, which prefers person 1; so 0 is left without.
    assert list(zip(found.left.tolist(), found.right.tolist(), strict=True)) == [(1, 1), (2, 2)]
    assert found.probability.tolist() == pytest.approx([0.9, 0.5])
    assert found.with_candidates == 4
    assert pytest.approx(0.5) == THRESHOLD


def test_a_candidate_is_one_with_a_chance_of_a_hundredth() -> None:
    assert mutual(pairs((0, 0), (1, 1)), np.array([0.01, 0.0099]), 0.5).with_candidates == 1


def test_people_are_found_by_their_rare_values() -> None:
    """Thirty people, each with an own pair of values, are found; where nothing agrees nobody is."""
    people = [(at, at % 7) for at in range(30)]
    found = probable_claims(sides(people, people))
    assert found.left.tolist() == found.right.tolist() or sorted(found.left) == sorted(found.right)
    assert len(found.left) == 30
    assert (found.left == found.right).all()
    nobody = probable_claims(sides([(0, 0)], [(1, 1)]))
    assert len(nobody.left) == 0
    assert nobody.with_candidates == 0
