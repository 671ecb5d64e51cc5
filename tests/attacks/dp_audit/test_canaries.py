"""Canaries: tossed fairly, labelled wrongly, scored by what was released."""

import numpy as np
import pytest
from tests.attacks.dp_audit.toy import CLAIM

from privet.attacks.dp_audit import GradientCanaries, Observed, mislabelled
from privet.attacks.dp_audit._canaries import RecordCanaries, toss
from privet.errors import BadAttack


def test_coins_are_fair_and_can_be_tossed_again() -> None:
    """Of 10,000, six standard errors are 300."""
    assert abs(int(toss(10_000, 1).sum()) - 5_000) < 300
    assert (toss(50, 1) == toss(50, 1)).all()
    assert (toss(50, 1) != toss(50, 2)).any()


def test_gradients_point_along_coordinates_of_their_own() -> None:
    made = GradientCanaries(2, clip=0.5, first=1, loudness=4).gradients(4)
    assert made.tolist() == [[0, 2, 0, 0], [0, 0, 2, 0]]
    GradientCanaries(3, 1.0, first=1).gradients(4)
    with pytest.raises(BadAttack, match="more canaries than coordinates"):
        GradientCanaries(4, 1.0, first=1).gradients(4)


def test_scores_are_sums_over_the_steps() -> None:
    run = Observed(CLAIM, np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]))
    assert GradientCanaries(2, 1.0, first=1).scores(run).tolist() == [22, 33]
    with pytest.raises(BadAttack, match="observed run"):
        GradientCanaries(3, 1.0, first=1).scores(run)


def test_every_label_is_wrong_and_every_record_another() -> None:
    labels = np.array(["a", "b", "c"] * 40)
    made = mislabelled(np.arange(120.0)[:, None], labels, 120, seed=3)
    rows = made.features[:, 0].astype(int)
    assert sorted(rows.tolist()) == list(range(120))
    assert (made.labels != labels[rows]).all()
    assert set(made.labels) == {"a", "b", "c"}


def test_spare_records_and_two_labels_are_needed() -> None:
    for labels, count in (([0, 1], 3), ([0, 0], 1), ([0, 1], 0)):
        with pytest.raises(BadAttack, match="spare records"):
            mislabelled(np.zeros((2, 1)), labels, count)


def test_scores_are_the_log_odds_of_the_wrong_label() -> None:
    canaries = RecordCanaries(np.array([[0.0], [1.0]]), np.array([1, 0]))
    found = canaries.scores(lambda rows: np.array([[0.25, 0.75], [0.5, 0.5]]))
    assert found == pytest.approx([np.log(3), 0])
    features, labels = canaries.chosen(np.array([False, True]))
    assert (np.asarray(features).tolist(), labels.tolist()) == ([[1.0]], [0])  # exact: rows as given
