"""Smooth terms for numbers, one indicator for each category; their sum is one number for each level."""

import numpy as np
import pytest
import scipy.sparse as sp

from privet.artifact import CategoryColumn, Features, NumberColumn
from privet.protect.train.tabular._feature_basis import SMOOTH, Basis

FEATURES = Features((NumberColumn("x", 0, 1, 4), CategoryColumn("c", ("a", "b"))))


def test_terms_fall_with_their_frequency_and_missing_has_its_own():
    basis = Basis.of(FEATURES, 3)
    number, category = basis.tables
    assert number.shape == (5, 4)
    assert basis.width == 4 + 3 + 1
    middles = (np.arange(4) + 0.5) / 4
    for k in (1, 2, 3):
        assert number[:4, k - 1] == pytest.approx(2**0.5 * np.cos(np.pi * k * middles) / k**SMOOTH)
    assert number[4].tolist() == [0, 0, 0, 1]
    assert category.tolist() == np.eye(3).tolist()
    assert Basis.of(FEATURES, 99).tables[0].shape == (5, 5), "no more terms than bins"


def test_the_design_holds_each_rows_terms_and_the_constant_last():
    basis = Basis.of(FEATURES, 2)
    codes = np.array([[0, 2], [4, 0]], np.int32)
    design = basis.design(codes)
    design = design.toarray() if sp.issparse(design) else design
    for row, (x, c) in zip(design, codes, strict=True):
        assert row.tolist() == pytest.approx([*basis.tables[0][x], *basis.tables[1][c], 1])
    wide = Features((CategoryColumn("c", tuple(f"v{at}" for at in range(50))),))
    assert sp.issparse(Basis.of(wide, 1).design(np.zeros((3, 1), np.int32)))


def test_what_a_level_is_worth_is_what_its_terms_add_up_to():
    basis = Basis.of(FEATURES, 2)
    weights = np.random.default_rng(0).normal(size=(basis.width, 2))
    worth = basis.worth(weights)
    assert worth.shape == (5 + 3, 2)
    codes = np.array([[3, 1]], np.int32)
    whole = np.asarray(basis.design(codes) @ weights)[0]
    assert worth[3] + worth[5 + 1] + weights[-1] == pytest.approx(whole)


def test_the_length_is_a_figure_of_the_columns():
    flat = Basis((np.eye(3), np.full((2, 1), 2.0)))
    assert flat.length == pytest.approx((1 + 1 + 4) ** 0.5)
