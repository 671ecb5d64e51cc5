"""Chance that can be shown again."""

import numpy as np

from privet.attacks._seeded_generator import repeatable_generator


def test_the_same_seed_and_name_draw_the_same() -> None:
    assert (repeatable_generator(1, "x").random(5) == repeatable_generator(1, "x").random(5)).all()


def test_other_names_and_seeds_draw_others() -> None:
    drawn = [
        repeatable_generator(*given).integers(0, 2**62)
        for given in ((1, "x"), (2, "x"), (1, "y"), ("1x", ""), (1, ""))
    ]
    assert len(set(drawn)) == len(drawn)


def test_seed_and_name_are_kept_apart() -> None:
    """Run together, seed 1 with name 2x would be seed 12 with name x."""
    assert repeatable_generator(1, "2x").random() != repeatable_generator(12, "x").random()


def test_draws_do_not_change_with_the_platform() -> None:
    assert repeatable_generator(7, "golden").integers(0, 1_000_000, 3).tolist() == GOLDEN


GOLDEN = [94762, 308830, 289280]


def test_draws_are_even() -> None:
    """Of 40,000 in ten parts none is six standard errors off."""
    counts = np.bincount((repeatable_generator(3).random(40_000) * 10).astype(int), minlength=10)
    assert np.abs(counts - 4_000).max() < 6 * 60
