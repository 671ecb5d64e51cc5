"""The sum is exact whoever is lost and when, and below the threshold nothing is opened."""

import numpy as np
import pytest
from tests.sharing.loopback import Round, cohort_of, signers

from privet.errors import BadCohort, MessageRefused, RoundFailed
from privet.sharing import CoordinatorSession, Stage, centred

GENERATOR = np.random.default_rng(7)


def values(count: int, length: int, width: int) -> np.ndarray:
    words = (
        GENERATOR.integers(0, 2**width, (count, length), dtype=np.uint64, endpoint=False)
        if width < 64
        else (GENERATOR.integers(0, 2**64, (count, length), dtype=np.uint64))
    )
    return words.view(np.int64)


@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("stage", [None, *list(Stage)[:5]])
@pytest.mark.parametrize(("count", "threshold", "gone"), [(3, 2, 1), (5, 3, 2), (20, 14, 6)])
def test_sums_are_exact_with_sites_lost_at_any_stage(
    count: int, threshold: int, gone: int, stage: Stage | None, width: int
) -> None:
    """Sites lost before the masked words came are not in the sum; those lost later are."""
    added = values(count, 9, width)
    lost = {} if stage is None else dict.fromkeys(range(0, 2 * gone, 2) if count > 5 else range(gone), stage)
    opened = Round(cohort_of(count, threshold, 9, width=width), added, lost=lost).run()
    inside = [site for site in range(count) if lost.get(site, Stage.OPENED) > Stage.MASK]
    expected = sum((added[site].view(np.uint64) for site in inside), np.zeros(9, np.uint64)) % 2 ** min(
        width, 63
    )
    if width == 64:
        expected = added[inside].view(np.uint64).sum(axis=0, dtype=np.uint64)
    assert opened.words.tolist() == expected.tolist()
    assert list(opened.survivors) == inside


def test_sites_lost_at_different_stages_of_one_round() -> None:
    added = values(7, 3, 64)
    lost = {1: Stage.SHARE, 3: Stage.MASK, 6: Stage.REVEAL}
    opened = Round(cohort_of(7, 4, 3), added, lost=lost).run()
    assert opened.survivors == (0, 2, 4, 5, 6)
    assert (
        opened.words.tolist() == added[[0, 2, 4, 5, 6]].view(np.uint64).sum(axis=0, dtype=np.uint64).tolist()
    )


@pytest.mark.parametrize("stage", list(Stage)[:5])
def test_below_the_threshold_nothing_is_opened(stage: Stage) -> None:
    one = Round(cohort_of(5, 4), values(5, 4, 64), lost={0: stage, 4: stage})
    with pytest.raises(RoundFailed, match="3 of 5 sites"):
        one.run()
    assert one.coordinator.opened is None
    with pytest.raises(MessageRefused):
        one.coordinator.accept(one.sites[1].advertise() if stage is Stage.OPENED else b"late")


def test_negative_entries_come_back_centred() -> None:
    added = np.array([[-5, 3], [2, -9], [1, 1]])
    for width in (32, 64):
        assert centred(Round(cohort_of(3, 2, 2, width=width), added).run().words).tolist() == [-2, -5]


def test_a_message_that_repeats_or_comes_late_is_left_aside_and_the_round_goes_on() -> None:
    added = values(3, 4, 64)
    one = Round(cohort_of(3, 2), added).until(Stage.MASK)
    one.sent[Stage.MASK] = {site: one.answer(site) for site in range(3)}
    for message in one.sent[Stage.MASK].values():
        one.coordinator.accept(message)
        with pytest.raises(MessageRefused, match="already"):
            one.coordinator.accept(message)
    with pytest.raises(MessageRefused, match="stage"):
        one.coordinator.accept(one.sent[Stage.SHARE][0])
    one.requests = one.coordinator.proceed()
    assert one.run().words.tolist() == added.view(np.uint64).sum(axis=0, dtype=np.uint64).tolist()


def test_words_of_another_length_are_refused_and_the_site_is_named() -> None:
    one = Round(cohort_of(3, 2), values(3, 4, 64)).until(Stage.MASK)
    other = Round(cohort_of(3, 2), values(3, 4, 64))
    for body in (b"", bytes(31), bytes(40)):
        message = other.coordinator._frame.signed(Stage.MASK, 1, body, signers(3)[1][1])
        with pytest.raises(MessageRefused, match="shorter or longer"):
            one.coordinator.accept(message)
    assert one.coordinator.answered == ()


def test_wrong_shares_are_noticed_and_nothing_is_opened() -> None:
    """A site that reveals something else spoils the round, and never the sum."""
    for lost in ({}, {2: Stage.MASK}):
        one = Round(cohort_of(3, 2), values(3, 4, 64), lost=lost).until(Stage.REVEAL)
        frame, sites = one.coordinator._frame, signers(3)[1]
        honest = frame.opened(one.answer(0), Stage.REVEAL).body
        wrong = honest[:-1] + bytes([honest[-1] ^ 1])
        one.coordinator.accept(frame.signed(Stage.REVEAL, 0, wrong, sites[0]))
        one.coordinator.accept(one.answer(1))
        with pytest.raises(RoundFailed, match="do not fit"):
            one.coordinator.proceed()
        assert one.coordinator.opened is None


def test_a_coordinator_has_the_key_that_was_pinned() -> None:
    with pytest.raises(BadCohort, match="coordinator's"):
        CoordinatorSession(cohort_of(3, 2), 1, signers(3)[1][0])
