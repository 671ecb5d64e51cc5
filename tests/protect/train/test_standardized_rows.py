"""Rows as vectors: by public tables, and sums in which a unit counts up to a bound, however many rows it has."""

import numpy as np
import pytest

from privet.artifact import CategoryColumn, Features, NumberColumn
from privet.protect.train import _standardized_rows as standardized_rows
from privet.protect.train._standardized_rows import Coding, Units
from privet.protect.train.tabular import Examples

FEATURES = Features((NumberColumn("x", 0, 4, 4), CategoryColumn("c", ("a", "b"))))


def test_a_number_is_its_place_and_a_category_one_of_its_levels():
    coding = Coding.of(FEATURES)
    rows = coding.rows(np.array([[0, 0], [3, 2], [4, 1]]))
    assert rows.tolist() == [[-0.75, 1, 0, 0], [0.75, 0, 0, 1], [0.0, 0, 1, 0]]  # exact: quarters
    assert coding.width == 4
    assert coding.length == pytest.approx((0.36 + 1) ** 0.5)
    assert coding.spread == pytest.approx((0.0225 + 0.25) ** 0.5)


def test_standardized_entries_are_cut_and_what_is_missing_is_at_the_mean():
    moved = Coding.of(FEATURES).standardized(np.array([0.25, 0.5, 0.5, 0.0]), np.array([0.5, 0.5, 0.5, 0.01]))
    rows = moved.rows(np.array([[0, 0], [4, 2]]))
    assert rows[0] == pytest.approx([-2.0, 1.0, -1.0, 0.0])
    assert rows[1] == pytest.approx([0.0, -1.0, -1.0, 3.0])
    assert moved.worth(np.array([1.0, 0, 0, 2.0]))[:, 0] == pytest.approx([-2, -1, 0, 1, 0, 0, 0, 6])


def examples(owner=None):
    draw = np.random.default_rng(0)
    codes = np.column_stack([draw.integers(0, 5, 40), draw.integers(0, 3, 40)]).astype(np.int32)
    return Examples(codes, draw.integers(0, 2, 40).astype(float), owner)


@pytest.mark.parametrize("block", [1, 7, 40, 1000])
@pytest.mark.parametrize("persons", [False, True])
def test_sums_are_over_the_means_of_units_whatever_the_blocks(monkeypatch, block, persons):
    monkeypatch.setattr(standardized_rows, "_BLOCK", block)
    owner = np.random.default_rng(1).permutation(np.repeat(np.arange(11), [1, 9, 2, 3, 1, 1, 5, 4, 4, 7, 3]))
    held, coding = examples(owner if persons else None), Coding.of(FEATURES)
    rows = coding.rows(held.codes)
    each = np.array([rows[owner == at].mean(axis=0) for at in range(11)]) if persons else rows
    lengths = np.linalg.norm(each, axis=1)
    wanted = (each * np.minimum(1, 1.0 / lengths)[:, None]).sum(axis=0)
    found, seen = Units.of(held).total(lambda codes, _: coding.rows(codes), 1.0)
    assert found == pytest.approx(wanted, rel=1e-6)
    assert np.sort(seen) == pytest.approx(np.sort(lengths))


def test_one_unit_moves_a_sum_by_the_bound_at_most():
    coding, whole = Coding.of(FEATURES), examples()
    fewer = Examples(whole.codes[:-1], whole.target[:-1])

    def total(held):
        return Units.of(held).total(lambda codes, _: 50 * coding.rows(codes), 2.0)[0]

    moved = float(np.linalg.norm(total(whole) - total(fewer)))
    assert moved <= 2.0
    assert moved == pytest.approx(2.0, rel=1e-6)


@pytest.mark.parametrize("owner", [None, np.zeros(0, np.int64)])
def test_no_rows_give_zeros(owner):
    coding = Coding.of(FEATURES)
    empty = Examples(np.zeros((0, 2), np.int32), np.zeros(0), owner)
    found, lengths = Units.of(empty).total(lambda codes, _: coding.rows(codes), 1.0)
    assert found == pytest.approx(np.zeros(4))
    assert len(lengths) == 0


@pytest.mark.parametrize("block", [1, 7, 1000])
@pytest.mark.parametrize("persons", [False, True])
def test_products_are_those_of_cut_rows_and_a_unit_moves_them_by_no_more_than_is_said(
    monkeypatch, block, persons
):
    monkeypatch.setattr(standardized_rows, "_SMALL_BLOCK", block)
    owner = np.random.default_rng(1).permutation(np.repeat(np.arange(10), 4)) if persons else None
    held, coding = examples(owner), Coding.of(FEATURES)
    rows = 50 * coding.rows(held.codes)
    rows = 2 * rows / np.linalg.norm(rows, axis=1)[:, None]
    each = np.einsum("ni,nj->nij", rows, rows)
    if persons:
        each = np.array([each[owner == at].mean(axis=0) for at in range(10)])
    upper = np.triu_indices(4, 1)
    units = Units.of(held)
    found = units.products(lambda codes: 50 * coding.rows(codes), 2.0)
    assert found == pytest.approx(each.sum(axis=0)[upper], rel=1e-6)
    assert units.many == len(each)
    longest = max(np.linalg.norm(one[upper]) for one in each)
    assert longest <= 2.0**2 / np.sqrt(2)
