"""Thresholded keys: strictly above, never from nothing, and nothing said about what is not shown."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.mechanism.permits import permit_for

from privet.errors import BadAmount, OutOfRange, PermitMismatch
from privet.guarantee._events import ThresholdedKeys
from privet.mechanism import ShownKeys, reveal_keys, thresholded_keys
from privet.mechanism import _opendp_samplers as sampling
from privet.mechanism._noise_scales import check_drawable, scale_of
from privet.mechanism._thresholded_keys import drawn_threshold
from privet.sealed import Sealed, SealedKeys, Sensitivity

ONE = Sensitivity(1, 1, 1)


def still(monkeypatch, noise):
    monkeypatch.setattr(sampling, "draw_discrete_laplace", lambda n, _: np.full(n, noise))


def test_a_key_is_shown_strictly_above_the_threshold(monkeypatch):
    still(monkeypatch, 2)
    found = thresholded_keys(Sealed([6, 7, 8, 9], ONE), permit_for(ThresholdedKeys(1, 9)))
    assert found.shown.tolist() == [False, False, True, True]
    assert found.numbers.tolist() == [0, 0, 10, 11]


def test_a_key_that_nobody_has_is_never_shown(monkeypatch):
    still(monkeypatch, 10**6)
    found = thresholded_keys(Sealed([0, 1, -5, 0], ONE), permit_for(ThresholdedKeys(1, 9)))
    assert found.shown.tolist() == [False, True, False, False]
    assert found.numbers[~found.shown].tolist() == [0, 0, 0]


def drawn(monkeypatch, persons):
    still(monkeypatch, 0)
    return thresholded_keys(Sealed(persons, ONE), permit_for(ThresholdedKeys(1, 9)))


def test_sealed_keys_are_opened_where_shown_and_nowhere_else(monkeypatch):
    keys = SealedKeys(pa.table({"ward": ["a", "b", "c", None], "year": [1, 2, 3, 4]}))
    shown = drawn(monkeypatch, [30, 2, 11, 10])
    assert reveal_keys(keys, shown) == {"ward": ("a", "c", None), "year": (1, 3, 4)}
    assert reveal_keys(keys, drawn(monkeypatch, [1, 1, 1, 1])) == {"ward": (), "year": ()}


@pytest.mark.parametrize("keys", [SealedKeys(pa.table({"k": [1]})), pa.table({"k": [1, 2]}), [1, 2]])
def test_keys_of_another_answer_stay_sealed(monkeypatch, keys):
    with pytest.raises(PermitMismatch, match="line up"):
        reveal_keys(keys, drawn(monkeypatch, [50, 50]))


def test_what_is_shown_is_drawn_not_stated(monkeypatch):
    keys = SealedKeys(pa.table({"k": [1, 2]}))
    with pytest.raises(PermitMismatch):
        reveal_keys(keys, np.array([True, True]))
    with pytest.raises(PermitMismatch):
        ShownKeys(np.array([True, True]), np.array([1, 1]))
    shown = drawn(monkeypatch, [1, 50])
    with pytest.raises(PermitMismatch):
        shown.shown = np.array([True, True])
    with pytest.raises(ValueError, match="read-only"):
        shown.shown[0] = True


def test_printing_says_only_how_many_are_shown(monkeypatch):
    still(monkeypatch, 0)
    found = thresholded_keys(Sealed([1, 2, 300], ONE), permit_for(ThresholdedKeys(1, 9)))
    assert repr(found) == str(found) == "<1 keys shown>"


def test_a_rounded_scale_raises_the_threshold_by_one(monkeypatch):
    still(monkeypatch, 0)
    found = thresholded_keys(Sealed([9, 10, 11], ONE), permit_for(ThresholdedKeys("10/3", 9)))
    assert found.shown.tolist() == [False, False, True]


@given(st.fractions(Fraction(1, 1000), 10**9), st.integers(2, 2**50))
def test_the_drawn_delta_is_within_the_booked_one(scale, threshold):
    event = ThresholdedKeys(scale, threshold)
    drawn = Fraction(scale_of(event, ONE))
    # With q = exp(-1/scale), the chance q^T/(1 + q) falls with T/scale, and 1 + q rises with the scale.
    assert drawn >= scale
    assert drawn_threshold(event, float(drawn)) / drawn >= threshold / scale


@pytest.mark.parametrize("n", [0, 1, 5])
def test_one_entry_for_each_key(n):
    found = thresholded_keys(Sealed([3] * n, ONE), permit_for(ThresholdedKeys(1, 2)))
    assert found.shown.shape == found.numbers.shape == (n,)
    assert found.shown.dtype == np.bool_


def test_a_number_of_rows_in_two_parts_is_shown_by_their_sum(monkeypatch):
    still(monkeypatch, 1)
    event = ThresholdedKeys(8, 20, 3, 4, 2)
    answer = Sealed([9, 9, 10, 9, 0, 0, 0, 30], Sensitivity(6, 4, 12, block=2))
    found = thresholded_keys(answer, permit_for(event))
    assert found.shown.tolist() == [False, True, False, True]
    assert found.numbers.tolist() == [0, 0, 11, 10, 0, 0, 1, 31]


@pytest.mark.parametrize(
    "sensitivity",
    [
        Sensitivity(6, 5, 12, block=2),  # a key moves further than its reach
        Sensitivity(6, 4, 13, block=2),  # all keys together do
        Sensitivity(8, 4, 12, block=2),  # more keys
        Sensitivity(3, 4, 12),  # one part
    ],
)
def test_a_permit_covers_what_its_event_says_and_no_more(sensitivity):
    with pytest.raises(PermitMismatch):
        thresholded_keys(Sealed([9] * 8, sensitivity), permit_for(ThresholdedKeys(8, 20, 3, 4, 2)))


def test_rows_are_not_selected_at_a_rounded_scale():
    with pytest.raises(OutOfRange, match="floats"):
        thresholded_keys(Sealed([9], Sensitivity(1, 2, 2)), permit_for(ThresholdedKeys("10/3", 9, 1, 2)))


def test_two_parts_are_not_selected_at_a_rounded_scale():
    with pytest.raises(OutOfRange, match="floats"):
        check_drawable(ThresholdedKeys("10/3", 9, 1, 1, 2), Sensitivity(2, 1, 2, block=2))
    check_drawable(ThresholdedKeys("10/3", 9), ONE)
    check_drawable(ThresholdedKeys("5/2", 9, 1, 1, 2), Sensitivity(2, 1, 2, block=2))


def test_a_lone_key_must_need_noise_to_be_shown():
    with pytest.raises(BadAmount, match="9 or more"):
        ThresholdedKeys(1, 8, 1, 4, 2)
    with pytest.raises(BadAmount, match="one part or two"):
        ThresholdedKeys(1, 30, 1, 1, 3)
