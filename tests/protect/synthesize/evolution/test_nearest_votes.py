"""Votes: exact nearest neighbours, everybody's votes no longer than one, and one person moves the histogram no further."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.guarantee import Change
from privet.protect.synthesize.evolution._nearest_votes import (
    STEP,
    label_votes,
    nearest,
    scaled_to_one_vote,
    sealed_votes,
    sensitivity_of,
    shares_of,
    steps_of_grid,
)


def test_the_nearest_are_those_of_comparing_all_pairs() -> None:
    draws = np.random.default_rng(1)
    private = draws.normal(size=(3_000, 7)).astype(np.float32)
    candidates = draws.normal(size=(211, 7)).astype(np.float32)
    distances = np.linalg.norm(private[:, None].astype(np.float64) - candidates[None], axis=2)
    # The grid moves a distance by little more than one of its steps.
    step = 4 * float(np.abs(candidates).max()) / steps_of_grid(7)
    for votes in (1, 3):
        chosen = np.take_along_axis(distances, nearest(private, candidates, votes), axis=1)
        best = np.sort(distances, axis=1)[:, :votes]
        assert np.abs(np.sort(chosen, axis=1) - best).max() < step


def test_a_vote_is_the_same_to_the_last_bit_whoever_else_votes() -> None:
    """Candidates that products of floats cannot tell apart, and crowds of many sizes, whose products add in other orders."""
    draws = np.random.default_rng(2)
    middle = draws.normal(size=384).astype(np.float32)
    candidates = (middle + draws.normal(scale=2e-3, size=(300, 384))).astype(np.float32)
    private = (middle + draws.normal(scale=1e-2, size=(700, 384))).astype(np.float32)
    for votes in (1, 2):
        whole = nearest(private, candidates, votes)
        for size in (1, 2, 3, 7, 33, 255, 511):
            some = draws.permutation(len(private))[:size]
            assert (nearest(private[some], candidates, votes) == whole[some]).all()


def test_of_equally_near_candidates_the_first_is_taken() -> None:
    candidates = np.array([[3, 0], [0, 2], [0, -2], [2, 0]], np.float32)
    assert nearest(np.zeros((1, 2), np.float32), candidates).tolist() == [[1]]
    assert nearest(np.zeros((1, 2), np.float32), candidates, 3).tolist() == [[1, 2, 3]]


def test_whoever_lies_far_out_votes_all_the_same() -> None:
    candidates = np.array([[1, 0], [0, 1]], np.float32)
    assert nearest(np.array([[1e14, 0], [0, 1e14], [-1e14, 0]], np.float32), candidates)[:2].tolist() == [
        [0],
        [1],
    ]


def test_who_lies_nowhere_has_no_vote_and_gets_none() -> None:
    private = np.array([[0, 0], [np.nan, 0], [np.inf, 1]], np.float32)
    candidates = np.array([[np.nan, 0], [1, 1]], np.float32)
    assert nearest(private, candidates).tolist() == [[1], [-1], [-1]]
    assert nearest(private, candidates[:1]).tolist() == [[-1], [-1], [-1]]
    assert nearest(private, candidates, 3)[0].tolist() == [1, -1, -1]
    assert nearest(private[:0], candidates).shape == (0, 1)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(1, 1_000), min_size=1, max_size=20), min_size=1, max_size=8))
def test_votes_of_a_person_are_never_longer_than_one(people: list[list[int]]) -> None:
    counts = np.array([count for person in people for count in person])
    person = np.repeat(np.arange(len(people)), [len(one) for one in people])
    weights = scaled_to_one_vote(counts, person)
    for at in range(len(people)):
        square = sum(int(w) ** 2 for w in weights[person == at])
        assert square <= STEP**2
        # And hardly shorter: what rounding takes is a step for each entry.
        assert square >= (STEP - 2 * len(people[at])) ** 2


def exact(choices, owners, candidates, most):
    return sealed_votes(
        np.array(choices).reshape(len(owners), -1),
        np.array(owners),
        candidates=candidates,
        most=most,
        change=Change.ADD_OR_REMOVE,
    )._exact


@pytest.mark.parametrize("votes", [1, 3])
@pytest.mark.parametrize("rows", [1, 5])
def test_adding_a_person_moves_the_histogram_by_no_more_than_is_stated(votes: int, rows: int) -> None:
    draws = np.random.default_rng(votes * 10 + rows)
    for _ in range(40):
        owners = np.repeat(np.arange(6), rows)
        choices = np.array([draws.permutation(9)[:votes] for _ in owners])
        choices[draws.random(choices.shape) < 0.1] = -1
        stated = sensitivity_of(rows * votes, 9, Change.ADD_OR_REMOVE)
        whole = exact(choices, owners, 9, rows * votes)
        for gone in range(6):
            left = owners != gone
            moved = (whole - exact(choices[left], owners[left], 9, rows * votes)).astype(object)
            assert sum(step**2 for step in moved) <= stated.squares
            assert np.count_nonzero(moved) <= stated.coordinates


def test_one_row_and_one_vote_is_exactly_one_vote() -> None:
    assert exact([0, 2, 2], [0, 1, 2], 3, 1).tolist() == [STEP, 0, 2 * STEP]


def test_a_persons_many_copies_count_no_more_than_one() -> None:
    assert exact([1] * 50, [7] * 50, 3, 50).tolist() == [0, STEP, 0]


def test_labels_that_nobody_stated_do_not_count() -> None:
    sealed = label_votes(
        np.array([0, 0, 1, -1]), np.arange(4), classes=2, most=1, change=Change.ADD_OR_REMOVE
    )
    assert sealed._exact.tolist() == [2 * STEP, STEP]


def test_shares_are_shares_whatever_the_noise_says() -> None:
    assert shares_of([3 * STEP, STEP]).tolist() == pytest.approx([0.75, 0.25])
    assert shares_of([-5, 10]).tolist() == pytest.approx([0, 1])
    assert shares_of([-5, -10]).tolist() == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("rows", [1, 4])
def test_replacing_a_person_moves_the_histogram_by_no_more_than_is_stated(rows: int) -> None:
    draws = np.random.default_rng(rows)
    stated = sensitivity_of(rows, 9, Change.REPLACE)
    longest = 0
    for _ in range(60):
        owners = np.repeat(np.arange(6), rows)
        choices = draws.integers(0, 9, (len(owners), 1))
        others = choices.copy()
        others[owners == 2] = draws.integers(0, 9, (rows, 1))
        moved = (exact(choices, owners, 9, rows) - exact(others, owners, 9, rows)).astype(object)
        longest = max(longest, sum(step**2 for step in moved))
        assert sum(step**2 for step in moved) <= stated.squares
        assert np.count_nonzero(moved) <= stated.coordinates
    assert longest > STEP**2  # which one vote would not cover


@pytest.mark.parametrize("votes", [1, 2])
@pytest.mark.parametrize("candidates", [8, 60, 600])
def test_a_vote_is_the_same_whoever_else_votes(candidates: int, votes: int) -> None:
    """Near ties: a matrix product of fewer rows rounds differently, and must not decide."""
    draws = np.random.default_rng(candidates)
    first = draws.normal(size=(candidates // 8, 256)).astype(np.float32)
    near = np.concatenate([first] * 8) + draws.normal(size=(len(first) * 8, 256)).astype(np.float32) * 1e-7
    private = draws.normal(size=(1_024, 256)).astype(np.float32)
    all_ = np.sort(nearest(private, near.astype(np.float32), votes), axis=1)
    for many in (1, 2, 16, 100, 488, 1_023):
        some = np.sort(nearest(private[:many], near.astype(np.float32), votes), axis=1)
        assert (some == all_[:many]).all()


def test_of_many_copies_the_first_ones_are_taken() -> None:
    same = np.ones((40, 5), np.float32)
    assert set(nearest(np.zeros((3, 5), np.float32), same)[:, 0]) == {0}
    assert nearest(np.zeros((1, 5), np.float32), same, 3).tolist() == [[0, 1, 2]]


@pytest.mark.parametrize("dimensions", [1, 2, 3, 64, 384, 1000, 12_288, 150_528, 10**6])
def test_sums_on_the_grid_are_exact_for_any_number_of_dimensions(dimensions) -> None:
    steps = steps_of_grid(dimensions)
    assert 5 * dimensions * steps**2 < 2**53
    assert 2 * steps < 2**24
    assert steps >= 2**12


def test_the_nearest_is_the_one_that_exact_arithmetic_finds() -> None:
    """Fractions decide for points that are held in floats; ties aside, the grid is fine enough to agree."""
    draws = np.random.default_rng(3)
    private, candidates = (draws.normal(size=(60, 8)).astype(np.float32) for _ in range(2))
    found = nearest(private, candidates)[:, 0]
    for one, at in zip(private, found, strict=True):
        distances = [
            sum((Fraction(float(a)) - Fraction(float(b))) ** 2 for a, b in zip(one, other, strict=True))
            for other in candidates
        ]
        assert at == min(range(len(candidates)), key=distances.__getitem__)
