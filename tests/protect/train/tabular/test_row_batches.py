"""Batches whose terms are made as they are needed hold what batches of held terms hold: the same units, the same sums."""

import numpy as np
import pytest

from privet.artifact import CategoryColumn, Features, NumberColumn
from privet.protect.train.tabular import _row_batches as row_batches
from privet.protect.train.tabular._feature_basis import Basis
from privet.protect.train.tabular._learner_registry import Examples
from privet.protect.train.tabular._row_batches import HeldBatches, StreamedBatches, batches_of

BASIS = Basis.of(Features((NumberColumn("x", 0, 1, 8), CategoryColumn("c", ("a", "b")))), 3)
SIZES = [1, 4, 2, 9, 1, 1, 3, 7, 2]


def examples(persons):
    draw = np.random.default_rng(0)
    codes = np.column_stack([draw.integers(0, 9, 30), draw.integers(0, 3, 30)]).astype(np.uint8)
    owner = draw.permutation(np.repeat(np.arange(len(SIZES)), SIZES)) if persons else None
    return Examples(codes, draw.normal(size=30), owner)


def summed(batches, mask):
    total, units, targets = np.zeros((BASIS.width, 1)), 0, []
    for batch, wanted in batches.chosen(mask):
        total += batch.clipped_sum(wanted[:, None], 0.7)
        units += batch.units
        targets.append(wanted)
    return total, units, np.sort(np.concatenate(targets))


@pytest.mark.parametrize("persons", [False, True])
@pytest.mark.parametrize("block", [1, 5, 8, 1000])
@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_streamed_and_held_are_the_same_sums(monkeypatch, persons, block, share):
    data = examples(persons)
    held = batches_of(BASIS, data, persons=persons)
    monkeypatch.setattr(row_batches, "FITS", 0)
    monkeypatch.setattr(row_batches, "BLOCK", block)
    streamed = batches_of(BASIS, data, persons=persons)
    assert isinstance(held, HeldBatches)
    assert isinstance(streamed, StreamedBatches)
    assert held.units == streamed.units == (len(SIZES) if persons else 30)
    mask = np.random.default_rng(2).random(held.units) < share
    first, second = summed(held, mask), summed(streamed, mask)
    assert first[0] == pytest.approx(second[0])
    assert first[1] == second[1] == mask.sum()
    assert np.array_equal(first[2], second[2])


def test_a_block_has_no_more_rows_than_it_may_but_for_one_person(monkeypatch):
    monkeypatch.setattr(row_batches, "FITS", 0)
    monkeypatch.setattr(row_batches, "BLOCK", 5)
    streamed = batches_of(BASIS, examples(persons=True), persons=True)
    sizes = [(len(wanted), batch.units) for batch, wanted in streamed.chosen(np.ones(len(SIZES), bool))]
    assert sum(rows for rows, _ in sizes) == 30
    assert all(rows <= 5 or units == 1 for rows, units in sizes)
