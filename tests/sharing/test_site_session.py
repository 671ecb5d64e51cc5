"""What a site refuses: it is the site that keeps its summand hidden, whatever the coordinator does."""

import os

import numpy as np
import pytest
from tests.sharing.loopback import Round, cohort_of, signers

from privet.errors import BadCohort, MessageRefused
from privet.evidence import SeedSigner
from privet.sharing import Contribution, SiteSession, Stage
from privet.sharing._protocol_messages import COORDINATOR, Frame, packed_list

ZEROS = np.zeros((5, 4), np.int64)


def a_round(**terms: int) -> Round:
    return Round(cohort_of(5, 3, **terms), ZEROS)


def forged(one: Round, stage: Stage, body: bytes) -> bytes:
    """What a coordinator that deviates would send: its signature is right."""
    return one.coordinator._frame.signed(stage, COORDINATOR, body, signers(5)[0])


def refused(one: Round, site: int, stage: Stage, request: bytes, match: str) -> None:
    """The request is refused, and so is everything that comes after it, the honest request included."""
    session = one.sites[site]
    act = {
        Stage.SHARE: session.share,
        Stage.MASK: lambda r: session.mask(r, lambda: Contribution(ZEROS[0])),
        Stage.CONFIRM: session.confirm,
        Stage.REVEAL: session.reveal,
    }[stage]
    with pytest.raises(MessageRefused, match=match):
        act(request)
    with pytest.raises(MessageRefused, match="out of turn"):
        act(one.requests[site])


def test_a_key_that_is_not_pinned_is_refused() -> None:
    one = a_round().until(Stage.SHARE)
    stranger = SeedSigner(bytes(32))
    body = b"".join(one.sent[Stage.ADVERTISE][site] for site in range(4))
    foreign = Frame(one.cohort, 1).signed(Stage.ADVERTISE, 4, os.urandom(64), stranger)
    refused(
        one,
        0,
        Stage.SHARE,
        forged(one, Stage.SHARE, body + foreign),
        "not signed with the pinned key of site 4",
    )


def test_a_list_of_keys_with_another_key_for_this_site_is_refused() -> None:
    """Even one that this site had signed in an earlier session of the same round."""
    one, earlier = a_round().until(Stage.SHARE), a_round().until(Stage.SHARE)
    body = earlier.sent[Stage.ADVERTISE][0] + b"".join(
        one.sent[Stage.ADVERTISE][site] for site in range(1, 5)
    )
    refused(one, 0, Stage.SHARE, forged(one, Stage.SHARE, body), "lacks this site's")


@pytest.mark.parametrize(
    ("sites", "match"), [((0, 1), "2 sites are left"), ((0, 1, 2, 2), "twice"), ((1, 2, 3), "lacks")]
)
def test_lists_of_keys_that_are_too_short_or_repeat_are_refused(sites: tuple[int, ...], match: str) -> None:
    one = a_round().until(Stage.SHARE)
    body = b"".join(one.sent[Stage.ADVERTISE][site] for site in sites)
    refused(one, 0, Stage.SHARE, forged(one, Stage.SHARE, body), match)


def test_nothing_is_masked_for_fewer_than_the_threshold_and_nothing_is_booked() -> None:
    one = a_round().until(Stage.MASK)
    boxes = one.coordinator._boxes
    body = packed_list([0, 1]) + boxes[1][0]
    booked: list[int] = []

    def contribute() -> Contribution:
        booked.append(1)
        return Contribution(ZEROS[0])

    with pytest.raises(MessageRefused, match="2 sites are left"):
        one.sites[0].mask(forged(one, Stage.MASK, body), contribute)
    assert booked == []


def test_a_box_that_was_changed_or_is_another_sites_is_refused() -> None:
    one = a_round().until(Stage.MASK)
    boxes = one.coordinator._boxes
    for swapped in (boxes[1][2], bytes(len(boxes[1][0])), boxes[0][1]):
        fresh = a_round().until(Stage.MASK)
        own = fresh.coordinator._boxes
        body = packed_list(range(5)) + swapped + own[2][0] + own[3][0] + own[4][0]
        refused(fresh, 0, Stage.MASK, forged(fresh, Stage.MASK, body), "box of shares")


@pytest.mark.parametrize(
    ("survivors", "match"),
    [((0, 1), "2 sites are left"), ((1, 2, 3), "lacks this one"), ((0, 1, 2, 9), "shared nothing")],
)
def test_lists_of_survivors_that_would_show_somebody_are_refused(
    survivors: tuple[int, ...], match: str
) -> None:
    one = a_round().until(Stage.CONFIRM)
    refused(one, 0, Stage.CONFIRM, forged(one, Stage.CONFIRM, packed_list(survivors)), match)


def test_contradictory_lists_of_survivors_are_never_both_revealed() -> None:
    """Told of two lists, sites confirm each their own, and then nobody finds enough confirmations of one."""
    one = a_round().until(Stage.CONFIRM)
    first, second = packed_list([0, 1, 2, 3, 4]), packed_list([0, 1, 2, 3])
    replies = [
        one.sites[site].confirm(forged(one, Stage.CONFIRM, first if site < 2 else second))
        for site in range(4)
    ]
    both = forged(one, Stage.REVEAL, b"".join(replies))
    few = forged(one, Stage.REVEAL, b"".join(replies[:2]))
    for site, request in ((0, few), (1, both), (2, both), (3, few)):
        with pytest.raises(MessageRefused):
            one.sites[site].reveal(request)


def test_one_confirmation_counts_once() -> None:
    one = a_round().until(Stage.REVEAL)
    mine = one.sent[Stage.CONFIRM][0]
    refused(one, 1, Stage.REVEAL, forged(one, Stage.REVEAL, mine * 3), "1 sites are left")


def test_a_second_unmask_request_that_contradicts_the_first_is_refused_and_the_same_one_is_answered_alike() -> (
    None
):
    one = a_round().until(Stage.REVEAL)
    answer = one.sites[0].reveal(one.requests[0])
    assert one.sites[0].reveal(one.requests[0]) == answer
    other = forged(one, Stage.REVEAL, b"".join(one.sent[Stage.CONFIRM][site] for site in (0, 1, 2)))
    with pytest.raises(MessageRefused, match="out of turn"):
        one.sites[0].reveal(other)
    with pytest.raises(MessageRefused):
        one.sites[0].reveal(one.requests[0])


def test_what_is_revealed_is_one_share_of_each_site_and_the_seeds_of_survivors_only() -> None:
    """Of a lost site the shares are those of its key; of the others those of their seeds: never both of one site."""
    one = Round(cohort_of(5, 3), ZEROS, lost={4: Stage.MASK}).until(Stage.REVEAL)
    body = one.coordinator._frame.opened(one.answer(0), Stage.REVEAL).body
    shares = [body[12 + 66 * place : 78 + 66 * place] for place in range(5)]
    seeds, keys = zip(*(one.sites[0]._opened_box(other) for other in range(1, 5)), strict=True)
    assert shares[1:4] == list(seeds[:3])
    assert shares[4] == keys[3]


@pytest.mark.parametrize("number", [0, 2, 2**40])
def test_messages_of_other_rounds_are_refused(number: int) -> None:
    one, other = a_round().until(Stage.SHARE), Round(cohort_of(5, 3), ZEROS, number=number).until(Stage.SHARE)
    refused(one, 0, Stage.SHARE, other.requests[0], "round")


def test_messages_of_other_cohorts_are_refused() -> None:
    one, other = a_round().until(Stage.SHARE), a_round(length=5).until(Stage.SHARE)
    refused(one, 0, Stage.SHARE, other.requests[0], "another cohort")


def test_requests_that_the_coordinator_did_not_sign_are_refused() -> None:
    one = a_round().until(Stage.SHARE)
    content = one.requests[0]
    refused(one, 0, Stage.SHARE, content[:-1] + bytes([content[-1] ^ 1]), "pinned key of the coordinator")
    one = a_round().until(Stage.SHARE)
    by_a_site = one.coordinator._frame.signed(Stage.SHARE, 1, b"", signers(5)[1][1])
    refused(one, 0, Stage.SHARE, by_a_site, "another sender")


def test_a_summand_of_another_shape_is_refused() -> None:
    for wrong in (Contribution(np.zeros(3, np.int64)), Contribution(np.zeros(4, np.int64), 32)):
        one = a_round().until(Stage.MASK)
        with pytest.raises(MessageRefused, match="length or width"):
            one.sites[0].mask(one.requests[0], lambda wrong=wrong: wrong)


def test_masked_words_are_uniform_and_tell_nothing_of_the_summand() -> None:
    """Chi-square of bytes over 2^18 words, one-sided on both tails: false alarms below 1e-6 (df 255, 4.9 standard deviations)."""
    length = 2**17
    summand = np.arange(3 * length).reshape(3, length) % 1000
    one = Round(cohort_of(3, 2, length, width=32), summand).until(Stage.CONFIRM)
    frame = one.coordinator._frame
    words = [np.frombuffer(frame.opened(m, Stage.MASK).body, "<u4") for m in one.sent[Stage.MASK].values()]
    for site, word in enumerate(words):
        counts = np.bincount(word.view(np.uint8), minlength=256)
        chi_square = float(((counts - counts.mean()) ** 2 / counts.mean()).sum())
        assert 255 - 5 * 510**0.5 < chi_square < 255 + 6 * 510**0.5
        correlation = np.corrcoef(word.astype(float), summand[site])[0, 1]
        assert abs(correlation) < 5.2 / length**0.5
    assert len(one.sent[Stage.MASK][0]) - 4 * length < 200, "four bytes for each entry"


def test_two_rounds_with_the_same_summand_share_no_word() -> None:
    first, second = (
        Round(cohort_of(3, 2, 1000), np.zeros((3, 1000), np.int64), number=n).until(Stage.CONFIRM)
        for n in (1, 2)
    )
    words = [
        np.frombuffer(r.coordinator._frame.opened(r.sent[Stage.MASK][0], Stage.MASK).body, "<u8")
        for r in (first, second)
    ]
    assert not np.intersect1d(*words).size


def test_a_site_joins_with_its_pinned_key() -> None:
    with pytest.raises(BadCohort, match="none of the cohort's"):
        SiteSession(cohort_of(3, 2), 1, SeedSigner(bytes(32)), os.urandom)


def test_a_site_advertises_once() -> None:
    one = a_round()
    one.sites[0].advertise()
    with pytest.raises(MessageRefused, match="already"):
        one.sites[0].advertise()
