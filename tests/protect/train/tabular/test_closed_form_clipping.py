"""Clipped sums in closed form, against gradients written out."""

import numpy as np
import pytest


def test_a_person_with_many_rows_counts_as_one():
    from privet.protect.train.tabular._closed_form_clipping import PersonSums, RowSums

    rng = np.random.default_rng(1)
    terms, residuals = rng.normal(size=(60, 7)), rng.normal(size=(60, 3)) * 5
    owner = np.repeat(np.arange(10), 6)
    whole = PersonSums.of(terms, owner).clipped_sum(residuals, 0.5)
    by_hand = np.zeros_like(whole)
    for person in range(10):
        mine = owner == person
        gradient = (terms[mine].T @ residuals[mine]) / mine.sum()
        by_hand += gradient * min(1, 0.5 / np.linalg.norm(gradient))
    assert np.allclose(whole, by_hand, rtol=1e-6)
    for person in range(10):
        without = owner != person
        kept = np.searchsorted(np.unique(owner[without]), owner[without])
        less = PersonSums.of(terms[without], kept).clipped_sum(residuals[without], 0.5)
        assert np.linalg.norm(whole - less) <= 0.5 * (1 + 1e-9)
    single = RowSums.of(terms).clipped_sum(residuals, 0.5)
    gradients = np.einsum("ni,nj->nij", terms, residuals)
    norms = np.linalg.norm(gradients, axis=(1, 2))
    assert np.allclose(single, (gradients * np.minimum(1, 0.5 / norms)[:, None, None]).sum(0), rtol=1e-6)


def test_one_wild_row_moves_a_sum_by_the_bound():
    from privet.protect.train.tabular._closed_form_clipping import RowSums

    terms, residuals = np.ones((5, 4)), np.full((5, 1), 0.1)
    residuals[2] = 1e6
    calm = residuals.copy()
    calm[2] = 0
    rows = RowSums.of(terms)
    assert np.linalg.norm(rows.clipped_sum(residuals, 1.0) - rows.clipped_sum(calm, 1.0)) <= 1.0
    residuals[2] = np.nan
    assert np.allclose(rows.clipped_sum(residuals, 1.0), rows.clipped_sum(calm, 1.0))


def test_rows_that_cancel_are_not_taken_for_short():
    """A person whose rows nearly cancel: rounding may not make the mean gradient seem shorter than it is."""
    from privet.protect.train.tabular._closed_form_clipping import PersonSums

    terms = np.array([[1e8, 1.0], [-1e8, 1.0], [3.0, 4.0]])
    sums = PersonSums.of(terms, np.array([0, 0, 1]))
    residuals = np.ones((3, 1))
    norms = sums.norms(residuals)
    assert norms[0] >= 1, "the mean gradient is (0, 1)"
    assert norms[1] == pytest.approx(5, rel=1e-6)
    assert np.linalg.norm(sums.clipped_sum(residuals, 1.0)) <= 2


def test_batches_of_persons_take_all_their_rows():
    from privet.protect.train.tabular._closed_form_clipping import PersonSums

    terms = np.arange(10.0).reshape(5, 2)
    sums = PersonSums.of(terms, np.array([0, 0, 1, 2, 2]))
    assert sums.units == 3
    some = sums.chosen(np.array([True, False, True]))
    assert some.terms.tolist() == terms[[0, 1, 3, 4]].tolist()
    assert some.starts.tolist() == [0, 2, 4]
    assert sums.rows_of(np.array([False, True, False])).tolist() == [False, False, True, False, False]
    assert sums.chosen(np.ones(3, bool)) is sums


def test_batches_of_rows_are_those_that_were_drawn():
    from privet.protect.train.tabular._closed_form_clipping import RowSums

    terms = np.arange(10.0).reshape(5, 2)
    sums = RowSums.of(terms)
    mask = np.array([True, False, True, False, False])
    some = sums.chosen(mask)
    assert some.units == 2
    assert some.terms.tolist() == terms[[0, 2]].tolist()
    assert some.lengths == pytest.approx([1.0, np.sqrt(41)])
    assert sums.rows_of(mask).tolist() == mask.tolist()
    assert sums.chosen(np.ones(5, bool)) is sums


@pytest.mark.parametrize("rows", [2, 4])
def test_rows_that_cancel_are_as_long_as_rounding_may_have_hidden(rows):
    """Their pairs sum to nothing exactly: what is left is the allowance, 2^-48 of the squares for each row."""
    from privet.protect.train.tabular._closed_form_clipping import PersonSums

    terms = np.array([[4.0, 0.0], [-4.0, 0.0]] * (rows // 2))
    (norm,) = PersonSums.of(terms, np.zeros(rows, int)).norms(np.ones((rows, 1)))
    assert norm == pytest.approx(np.sqrt(16 * rows * rows * 2.0**-48) / rows)


def test_what_is_clipped_stays_a_hair_below_the_bound():
    from privet.protect.train.tabular._closed_form_clipping import ROUNDING, RowSums

    long = RowSums.of(np.array([[3.0, 4.0]])).clipped_sum(np.array([[100.0]]), 2.0)
    assert np.linalg.norm(long) == pytest.approx(2 * (1 - 2.0**-30), rel=2.0**-40)
    assert pytest.approx(2.0**-30) == ROUNDING
    short = RowSums.of(np.array([[3.0, 4.0]])).clipped_sum(np.array([[0.1]]), 2.0)
    assert np.linalg.norm(short) == pytest.approx(0.5, rel=1e-12)
