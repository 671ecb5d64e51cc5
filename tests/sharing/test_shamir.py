"""Any threshold of shares opens a secret, fewer are independent of it."""

import itertools
import os

import pytest

from privet.errors import RoundFailed
from privet.sharing._shamir import PRIME, SHARE_BYTES, joined, split


def test_any_threshold_of_shares_opens_the_secret() -> None:
    secret = os.urandom(32)
    shares = split(secret, [0, 2, 3, 7, 9], 3, os.urandom)
    for chosen in itertools.combinations(shares, 3):
        assert joined({holder: shares[holder] for holder in chosen}, 3) == secret
    assert joined(shares, 3) == secret
    assert {len(share) for share in shares.values()} == {SHARE_BYTES}


def test_fewer_shares_open_nothing() -> None:
    shares = split(bytes(32), [0, 1, 2], 3, os.urandom)
    with pytest.raises(RoundFailed, match="fewer shares"):
        joined(dict(list(shares.items())[:2]), 3)


def test_for_every_secret_there_is_a_polynomial_through_fewer_shares() -> None:
    """Shamir 1979 on a threshold of two: the one share known fits each other secret with some other coefficient."""
    known = int.from_bytes(split(b"\1" * 32, [4], 2, os.urandom)[4], "big")
    for other in (0, 1, 2**256 - 1):
        coefficient = (known - other) * pow(5, -1, PRIME) % PRIME
        assert (other + 5 * coefficient) % PRIME == known


def test_shares_are_those_of_the_polynomial() -> None:
    """3 + 5x at 1 and 2, by hand."""
    shares = split((3).to_bytes(32, "big"), [0, 1], 2, lambda count: (5).to_bytes(count, "big"))
    assert [int.from_bytes(share, "big") for share in shares.values()] == [8, 13]


def test_a_coefficient_of_all_ones_is_drawn_again() -> None:
    draws = iter([b"\xff" * 66, (7).to_bytes(66, "big")])
    shares = split(bytes(32), [0], 2, lambda count: next(draws)[:count])
    assert int.from_bytes(shares[0], "big") == 7


def test_shares_of_something_longer_do_not_fit() -> None:
    with pytest.raises(RoundFailed, match="do not fit"):
        joined({0: b"\1" * 66, 1: b"\0" * 66}, 2)
