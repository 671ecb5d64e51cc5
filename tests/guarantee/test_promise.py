"""What all promises have in common: joining, shares that never exceed the whole, records."""

from fractions import Fraction

import pytest

from privet.errors import BadAmount, UnknownRecord, UnsoundAlgebra
from privet.guarantee._differential import ApproxDP, PureDP, ZeroConcentratedDP
from privet.guarantee._promise import MOST_SHARES, AllOf, parts, promise_from_json, times
from privet.guarantee._syntactic_promises import KAnonymity, LDiversity

# --- joining ---


def test_order_and_repetition_do_not_matter_and_one_alone_stays_itself():
    one, other = KAnonymity(5), LDiversity("ill", 3)
    assert one & other == other & one == (one & other) & one
    assert one & one == one
    assert set(parts(one & other)) == {one, other}
    assert parts(one) == (one,)
    assert list(one & other) == list(parts(one & other))


def test_a_promise_joins_with_nothing_else():
    with pytest.raises(TypeError):
        KAnonymity(5) & 3


# --- shares ---


def test_shares_are_exact_where_the_books_can_hold_them():
    assert PureDP(1) * "0.25" == "0.25" * PureDP(1) == PureDP("0.25")
    assert ApproxDP(3, "1e-6") / 3 == ApproxDP(
        1, Fraction(333333333333333333333333, 10**30)
    )  # exact: promises hold fractions


def test_shares_are_rounded_down_to_what_is_booked():
    third = PureDP(1) / 3
    assert third.epsilon == Fraction(333333333333, 10**12)
    assert (PureDP(1) * Fraction(2, 3)).epsilon == Fraction(666666666666, 10**12)


@pytest.mark.parametrize("into", [1, 3, 7, [1, 2, 4], ["0.3", "0.3"]])
def test_shares_never_exceed_the_whole(into):
    shares = ApproxDP(1, "1e-6").split(into)
    count = into if isinstance(into, int) else len(into)
    assert len(shares) == count
    assert 1 - Fraction(count, 10**12) <= sum(share.epsilon for share in shares) <= 1
    assert sum(share.delta for share in shares) <= Fraction(1, 10**6)


def test_shares_are_in_proportion_to_the_weights():
    assert PureDP(7).split([1, 2, 4]) == (PureDP(1), PureDP(2), PureDP(4))


@pytest.mark.parametrize("into", [[], MOST_SHARES + 1])
def test_nothing_and_too_many_shares_are_refused(into):
    with pytest.raises(UnsoundAlgebra):
        PureDP(1).split(into)


def test_as_many_shares_as_are_allowed_is_a_million():
    """And are found at once: with a sum of all weights for each share, this would not come to an end."""
    assert MOST_SHARES == 1_000_000
    shares = PureDP(2).split(MOST_SHARES)
    assert len(shares) == MOST_SHARES
    assert shares[0] == shares[-1] == PureDP("0.000002")
    with pytest.raises(BadAmount):  # each share would be too small to book, which is another reason
        PureDP("1e-12").split(MOST_SHARES)


@pytest.mark.parametrize("factor", [0, -1, "x", True])
def test_a_factor_is_a_positive_number(factor):
    with pytest.raises(BadAmount):
        PureDP(1) * factor
    with pytest.raises(BadAmount):
        PureDP(1) / factor


def test_what_does_not_add_up_has_no_shares():
    with pytest.raises(UnsoundAlgebra):
        KAnonymity(5) / 2
    with pytest.raises(UnsoundAlgebra):
        (PureDP(1) & PureDP(2)) / 2


# --- records ---


def test_a_record_holds_version_kind_and_exact_text():
    assert ApproxDP("0.1", "1e-6").to_json() == {
        "schema": 1,
        "promise": "approx-dp",
        "epsilon": "0.1",
        "delta": "0.000001",
    }
    joint = PureDP(Fraction(1, 3)) & KAnonymity(5)
    assert joint.to_json() == {
        "schema": 1,
        "promise": "all-of",
        "promises": [KAnonymity(5).to_json(), {"schema": 1, "promise": "pure-dp", "epsilon": "1/3"}],
    }
    assert promise_from_json(joint.to_json()) == joint


@pytest.mark.parametrize(
    "record",
    [
        {"promise": "pure-dp", "epsilon": "1"},
        {"schema": 2, "promise": "pure-dp", "epsilon": "1"},
        {"schema": 1, "epsilon": "1"},
        {"schema": 1, "promise": "", "epsilon": "1"},
        {"schema": 1, "promise": "impure-dp", "epsilon": "1"},
        {"schema": 1, "promise": "pure-dp", "epsilon": "1", "delta": "0"},
        {"schema": 1, "promise": "pure-dp"},
    ],
)
def test_what_is_not_known_is_refused(record):
    with pytest.raises(UnknownRecord):
        promise_from_json(record)


def test_reading_leaves_the_record_as_it_was():
    record = PureDP(1).to_json()
    promise_from_json(record)
    assert record == PureDP(1).to_json()


# --- words ---


@pytest.mark.parametrize(
    ("epsilon", "factor"),
    [("0.5", "1.65"), (1, "2.72"), (3, "20.1"), (10, "22,100"), (12, "163,000"), (14, "1.21e+06"), (500, "e^500"), (499, "5.17e+216")],
)  # fmt: skip
def test_a_factor_is_rounded_up_to_three_digits(epsilon, factor):
    assert times(Fraction(epsilon)) == factor


def test_a_joint_promise_says_each():
    joint = AllOf((PureDP(1), ZeroConcentratedDP(1)))
    assert joint.sentence() == f"{PureDP(1).sentence()} {ZeroConcentratedDP(1).sentence()}"
