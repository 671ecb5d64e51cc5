"""What breeds: as many samples as were asked for, and points that are finite or nowhere."""

import sys
import warnings

import numpy as np
import pytest

from privet.errors import BadSynthesis, EndpointFailed
from privet.protect.synthesize.evolution import CallableEmbedder, CallableGenerator, SampleGenerator
from privet.protect.synthesize.evolution._sample_generator import exactly, form_of, points_of


def test_functions_make_a_generator() -> None:
    made = CallableGenerator(
        lambda n, label: [label] * n, lambda some, label, degree: [f"{s}{degree}" for s in some]
    )
    assert isinstance(made, SampleGenerator)
    assert made.random(2, "a") == ["a", "a"]
    assert made.variation(["x"], None, 0.5) == ["x0.5"]
    assert made.unpacked(made.packed("x")) == made.shown("x") == "x"


def test_too_few_or_too_many_samples_are_refused() -> None:
    assert exactly(2, iter("ab")) == ["a", "b"]
    for wrong in ("a", "abc", "", None, 2):
        with pytest.raises(BadSynthesis):
            exactly(2, wrong)


def test_points_that_are_not_finite_lie_nowhere() -> None:
    given = np.array([[1, 2], [np.nan, 1], [np.inf, 1], [1e30, 0], [3, 4]])
    found = points_of(CallableEmbedder(lambda some: given[: len(some)]), list("abcde"))
    assert np.isfinite(found).all(axis=1).tolist() == [True, False, False, False, True]
    assert found.dtype == np.float32


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((2, 4)), np.zeros((3, 0))])
def test_an_embedder_gives_one_row_for_each(wrong) -> None:
    with pytest.raises(BadSynthesis):
        points_of(CallableEmbedder(lambda _: wrong), list("abc"))


def test_pieces_are_put_together_in_order() -> None:
    embedder = CallableEmbedder(lambda some: np.array([[ord(one)] for one in some]))
    assert points_of(embedder, list("abcde"), size=2).ravel().tolist() == [97, 98, 99, 100, 101]


class Panic(BaseException):
    """As libraries written in other languages raise."""


@pytest.mark.parametrize("kind", [ValueError, Panic, SystemExit, EndpointFailed, MemoryError, StopIteration])
def test_what_an_embedder_says_where_it_fails_is_kept_back(kind) -> None:
    def breaks(some):
        raise kind(
            *(f"cannot place {one}" for one in some[:1]), *(["hint"] if kind is EndpointFailed else [])
        )

    with pytest.raises(BadSynthesis) as told:
        points_of(CallableEmbedder(breaks), ["canary"])
    assert "canary" not in str(told.value)
    assert told.value.__context__ is None
    assert told.value.__cause__ is None
    assert sys.exc_info() == (None, None, None)


def test_an_embedder_that_is_stopped_by_hand_stops() -> None:
    def stopped(some):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        points_of(CallableEmbedder(stopped), ["a"])


def test_what_an_embedder_warns_of_is_kept_back() -> None:
    def warned(some):
        warnings.warn(f"odd: {some[0]}", stacklevel=1)
        return np.full((len(some), 2), 1e300)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(points_of(CallableEmbedder(warned), ["canary"])).all()


def test_samples_have_one_form_that_a_twin_can_hold() -> None:
    assert form_of(["a", ""]) is None
    assert form_of([np.zeros((2, 3)), [[1, 2, 3], [4, 5, 6]]]) == (2, 3)
    for wrong in (
        ["a", np.zeros((2, 3))],
        [np.zeros(2), np.zeros(3)],
        [{"a": 1}],
        [None],
        [b"a"],
        [np.zeros(0)],
        [],
    ):
        with pytest.raises(BadSynthesis):
            form_of(wrong)
