"""Which oracle "auto" takes: the one of least exact variance whose reports are small."""

from fractions import Fraction

import pytest

import privet as pv
from privet.errors import BadCollection, PrivetError
from privet.guarantee.oracles import oracle_class
from privet.protect.collect._oracle_choice import KINDS, LARGEST_REPORT, MEMOISED, candidates, chosen


def question(size: int) -> pv.OneOf:
    return pv.OneOf(list(range(size)))


@pytest.mark.parametrize(
    ("size", "epsilon", "kind"),
    [(2, 1, "grr"), (5, 2, "grr"), (100, 1, "subset"), (20_000, 1, "olh"), (500, 8, "grr")],
)
def test_the_choice(size: int, epsilon: int, kind: str) -> None:
    assert chosen(question(size), Fraction(epsilon), "auto", {}).kind == kind


@pytest.mark.parametrize("size", [3, 50, 1_000, 30_000])
@pytest.mark.parametrize("epsilon", ["1/2", "2", "5"])
def test_nothing_that_fits_has_less_variance(size: int, epsilon: str) -> None:
    taken = chosen(question(size), Fraction(epsilon), "auto", {})
    assert taken.report_bytes() <= LARGEST_REPORT
    for other in candidates(question(size), Fraction(epsilon)):
        if other.report_bytes <= LARGEST_REPORT:
            assert float(taken.variance(1.0, 0.0)) <= other.variance * (1 + 1e-9)


@pytest.mark.parametrize("size", [2, 3, 17, 200, 5_000])
@pytest.mark.parametrize("epsilon", ["1/10", "1", "3", "8", "16"])
def test_no_oracle_at_all_has_less_variance(size: int, epsilon: str) -> None:
    """Every oracle of fresh reports there is, also those that "auto" never looks at; values that share a hash add to some."""
    taken = chosen(question(size), Fraction(epsilon), "auto", {})
    fresh = [kind for kind in KINDS[pv.OneOf] if kind not in (*MEMOISED, "rappor")]
    assert {"sue", "flh", "cms", "hcms"} <= set(fresh)
    for kind in fresh:
        try:
            other = oracle_class(kind).made(Fraction(epsilon), size, {})
        except PrivetError:  # too many values, or too large a set, for this one
            continue
        if other.report_bytes() <= LARGEST_REPORT:
            assert float(taken.variance(1.0, 0.0)) <= float(other.variance(1.0, 0.0)) * (1 + 1e-9), kind


def test_numbers_get_the_hybrid() -> None:
    assert chosen(pv.NumberIn(0, 1), Fraction(2), "auto", {}).kind == "hybrid"
    assert chosen(pv.NumberIn(0, 1), Fraction(1, 2), "auto", {}).kind in ("duchi", "hybrid")


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(BadCollection):
        chosen(question(5), Fraction(1), "piecewise", {})
    with pytest.raises(BadCollection):
        chosen(question(5), Fraction(1), "auto", {"range": 5})
    with pytest.raises(PrivetError):
        chosen(question(5), Fraction(1), "olh", {"range": 1})
