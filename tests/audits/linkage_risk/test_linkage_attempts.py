"""Claims held against the truth, by hand."""

import numpy as np
import pyarrow as pa
import pytest

from privet.audits.linkage_risk._linkage_attempts import Score, Truth, attempt
from privet.disclosure.linkage import Claims, Sides


def whole(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def sides(left: np.ndarray, right: np.ndarray) -> Sides:
    return Sides(
        (("zip", "zip"),),
        np.zeros((len(left), 1), np.int32),
        np.zeros((len(right), 1), np.int32),
        (pa.array(["a"]),),
        left,
        right,
    )


def claims(*pairs: tuple[int, int], chance: float = 0.5) -> Claims:
    left, right = zip(*pairs, strict=True) if pairs else ((), ())
    return Claims(whole(*left), whole(*right), np.full(len(pairs), chance), with_candidates=3)


def test_right_claims_are_counted() -> None:
    """Three people, of whom two are in both tables; one claim of two is right."""
    truth = Truth(whole(0, 1, 9), whole(4, 3, 4))
    score = truth.score(sides(whole(0, 1, 2), whole(3, 4)), claims((0, 1), (2, 0)))
    assert score == Score(right=1, claimed=2, findable=2)
    assert (score.precision, score.recall) == pytest.approx((0.5, 0.5))


def test_a_record_without_a_number_is_nobody() -> None:
    """Its number, -1, is not the highest number beside the person before."""
    truth = Truth(whole(0), whole(5))
    both = sides(whole(0, 1), whole(5, -1))
    assert truth.score(both, claims((1, 1))).right == 0
    assert truth.score(both, claims((0, 0))).right == 1
    assert truth.score(sides(whole(-1), whole(5)), claims((0, 0))).right == 0


def test_without_claims_or_people_there_is_no_rate() -> None:
    assert Score(0, 0, 4).precision is None
    assert Score(0, 2, 0).recall is None
    assert Truth(whole(), whole()).score(sides(whole(0), whole(0)), claims()) == Score(0, 0, 0)


def test_shares_are_of_the_people_in_the_table() -> None:
    both = sides(whole(0, 1), whole(0))
    found = attempt("Fellegi-Sunter, own", claims((0, 0), chance=0.75), 4, None, both)
    assert (found.claimed, found.share, found.with_candidates) == (1, pytest.approx(0.25), 3)
    assert found.expected_right == pytest.approx(0.75)
    assert attempt("exact join", claims((0, 0)), 4, None, both).expected_right is None
    assert attempt("exact join", claims(), 0, None, both).share == pytest.approx(0)
