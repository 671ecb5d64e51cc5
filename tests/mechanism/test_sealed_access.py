"""Opening a seal: refusals come first, cost nothing and say nothing; then one permit pays for one look."""

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.mechanism.permits import permit_for

import privet
from privet.errors import BadInput, OutOfRange, PermitMismatch, PermitSpent
from privet.guarantee._events import (
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Laplace,
    Opaque,
    PacRelease,
    PermuteAndFlip,
    RandomizedResponse,
    Repeated,
    ThresholdedKeys,
    TruncatedKeys,
)
from privet.mechanism import (
    _opendp_samplers as sampling,
)
from privet.mechanism import (
    discrete_gaussian,
    discrete_laplace,
    thresholded_keys,
)
from privet.mechanism._saturation import LARGEST_EXACT
from privet.mechanism._sealed_access import covers, open_sealed, open_worlds
from privet.sealed import Sealed, SealedWorlds, Sensitivity

ONE = Sensitivity(1, 1, 1)
SOURCE = Path(privet.__file__).parent


@pytest.fixture
def no_draw(monkeypatch):
    """Drawing anything fails the test."""

    def drawn(*_, **__):
        raise AssertionError("something was drawn")

    for name in ("discrete_laplace", "discrete_gaussian", "noisy_max", "randomized_response"):
        monkeypatch.setattr(sampling, f"draw_{name}", drawn)


def test_one_permit_opens_once():
    permit = permit_for(DiscreteLaplace(2))
    event, exact = open_sealed(Sealed([1, 2, 3], ONE), permit, DiscreteLaplace)
    assert event == DiscreteLaplace(2)
    assert exact.tolist() == [1, 2, 3]
    with pytest.raises(PermitSpent):
        open_sealed(Sealed([1, 2, 3], ONE), permit, DiscreteLaplace)


@pytest.mark.usefixtures("no_draw")
def test_a_second_draw_is_refused_before_anything_is_drawn():
    permit = permit_for(DiscreteLaplace(2))
    permit.use()
    with pytest.raises(PermitSpent):
        discrete_laplace(Sealed([1], ONE), permit)


@pytest.mark.usefixtures("no_draw")
@pytest.mark.parametrize(
    ("mechanism", "event"),
    [
        (discrete_laplace, DiscreteGaussian(5)),
        (discrete_gaussian, DiscreteLaplace(5)),
        (discrete_laplace, Laplace(5)),
        (discrete_laplace, Opaque(1)),
        (thresholded_keys, DiscreteLaplace(5)),
    ],
)
def test_a_permit_for_another_mechanism_is_refused_and_stays_good(mechanism, event):
    permit = permit_for(event)
    with pytest.raises(PermitMismatch, match=event.kind):
        mechanism(Sealed([1], ONE), permit)
    assert permit.use() == event


@pytest.mark.usefixtures("no_draw")
def test_a_composed_permit_must_be_taken_apart():
    permit = permit_for(Composed([DiscreteLaplace(2), DiscreteLaplace(3)]))
    with pytest.raises(PermitMismatch) as refusal:
        discrete_laplace(Sealed([1], ONE), permit)
    assert "parts()" in refusal.value.hint
    first, _ = permit.parts()
    assert open_sealed(Sealed([1], ONE), first, DiscreteLaplace)[0] == DiscreteLaplace(2)


@pytest.mark.usefixtures("no_draw")
def test_too_little_sensitivity_is_refused_and_the_permit_stays_good():
    permit = permit_for(DiscreteLaplace(2, sensitivity=3))
    with pytest.raises(PermitMismatch, match="pays for less"):
        discrete_laplace(Sealed([7], Sensitivity(2, 2, 4)), permit)
    assert permit.use() == DiscreteLaplace(2, sensitivity=3)


class LooksLikeAPermit:
    event = DiscreteLaplace(1)

    def use(self):
        return self.event


@pytest.mark.parametrize("fake", [None, 1, DiscreteLaplace(1), LooksLikeAPermit()])
def test_only_a_permit_is_a_permit(fake):
    with pytest.raises(PermitMismatch, match="needs a permit"):
        discrete_laplace(Sealed([1], ONE), fake)


@pytest.mark.parametrize("bare", [[1, 2], np.array([1]), 5, None])
def test_only_a_sealed_answer_is_noised(bare):
    permit = permit_for(DiscreteLaplace(1))
    with pytest.raises(PermitMismatch, match="sealed answers"):
        discrete_laplace(bare, permit)
    assert permit.use() == DiscreteLaplace(1)


def test_a_scale_that_cannot_be_drawn_is_refused_before_the_permit_is_used():
    # Half a step of 2^-40 costs more than any ledger admits, so the permit is for a huge selection scale.
    permit = permit_for(Exponential("1e-12"))
    with pytest.raises(OutOfRange):
        open_sealed(Sealed([1], Sensitivity(1, 2**62, 2**62)), permit, Exponential)
    assert permit.use() == Exponential("1e-12")
    assert issubclass(OutOfRange, BadInput)


def test_the_opened_vector_is_clamped_and_does_not_touch_the_seal():
    answer = Sealed([2**63 - 1, -(2**63), 5], ONE)
    _, first = open_sealed(answer, permit_for(DiscreteLaplace(2)), DiscreteLaplace)
    assert first.tolist() == [LARGEST_EXACT, -LARGEST_EXACT, 5]
    first[2] = 99
    _, second = open_sealed(answer, permit_for(DiscreteLaplace(2)), DiscreteLaplace)
    assert second[2] == 5


@pytest.mark.parametrize(
    ("event", "sensitivity", "covered"),
    [
        (DiscreteLaplace(1, 4), Sensitivity(4, 4, 4), True),
        (DiscreteLaplace(1, 4), Sensitivity(4, 4, 5), False),
        (DiscreteGaussian(1, 3, 2), Sensitivity(2, 3, 6), True),
        (DiscreteGaussian(1, 3, 2), Sensitivity(3, 3, 3), False),
        (DiscreteGaussian(1, 3, 2), Sensitivity(1, 4, 4), False),
        (TruncatedKeys(1, 5, 2), Sensitivity(2, 1, 2), True),
        (TruncatedKeys(1, 5, 2), Sensitivity(3, 1, 3), False),
        (ThresholdedKeys(1, 5, 2), Sensitivity(2, 1, 2), True),
        (ThresholdedKeys(1, 5, 2), Sensitivity(3, 1, 3), False),
        (ThresholdedKeys(1, 5, 2), Sensitivity(1, 2, 2), False),
        (Exponential(1), Sensitivity(9, 9, 81), True),
        (PermuteAndFlip(1), Sensitivity(9, 9, 81), True),
        (RandomizedResponse(Fraction(1, 2), 4), Sensitivity(1, 3, 3), True),
        (RandomizedResponse(Fraction(1, 2), 4), Sensitivity(2, 3, 6), False),
        (Repeated(Exponential(1), 3), Sensitivity(3, 9, 27), True),
        (Repeated(Exponential(1), 3), Sensitivity(12, 9, 108, block=4), True),
        (Repeated(Exponential(1), 3), Sensitivity(4, 9, 36), False),
        (Repeated(DiscreteLaplace(10**9), 3), ONE, False),
        (Laplace(10**9), ONE, False),
        (Opaque(10**9), ONE, False),
    ],
)
def test_what_an_event_covers(event, sensitivity, covered):
    assert covers(event, sensitivity) is covered


def test_only_opening_reads_a_seal():
    readers = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if re.search(r"\._exact\b|[\"']_exact[\"']", path.read_text("utf-8"))
    }
    sealed = {f"sealed/_sealed_{name}.py" for name in ("keys", "value", "worlds")}
    assert readers == {"mechanism/_sealed_access.py", *sealed}


def test_one_permit_opens_worlds_once():
    permit = permit_for(PacRelease("0.1"))
    worlds = SealedWorlds(np.arange(6).reshape(3, 2))
    event, exact = open_worlds(worlds, permit)
    assert event == PacRelease("0.1")
    assert exact.tolist() == [[0, 1], [2, 3], [4, 5]]
    with pytest.raises(PermitSpent):
        open_worlds(worlds, permit)
