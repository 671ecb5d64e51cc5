"""What every mechanism must do alike: pay first, once, for what is drawn, and explain itself."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from tests.mechanism.permits import permit_for

import privet.mechanism
from privet.errors import PermitMismatch, PermitSpent
from privet.guarantee.events import (
    DiscreteGaussian,
    DiscreteLaplace,
    Event,
    Exponential,
    Opaque,
    PermuteAndFlip,
    RandomizedResponse,
    Repeated,
    ThresholdedKeys,
    TruncatedKeys,
)
from privet.mechanism import (
    ShownKeys,
    discrete_gaussian,
    discrete_laplace,
    explain,
    randomized_response,
    sampling,
    select,
    select_each,
    thresholded_keys,
    truncated_keys,
)
from privet.mechanism.proofs import SECTIONS, register, sections
from privet.sealed import Sealed, Sensitivity


@dataclass(frozen=True)
class Case:
    """One mechanism with an event, an answer that the event covers, and the names of what belongs to it."""

    mechanism: Callable[..., Any]
    event: Event
    draw: str
    note: str
    sensitivity: Sensitivity = field(default=Sensitivity(1, 1, 1))
    answer: tuple[int, ...] = (1, 0, 1, 1, 0)

    def sealed(self) -> Sealed:
        return Sealed(self.answer, self.sensitivity)


CASES = [
    Case(discrete_laplace, DiscreteLaplace(3), "draw_discrete_laplace", "laplace.proof.md"),
    Case(discrete_gaussian, DiscreteGaussian(3), "draw_discrete_gaussian", "gaussian.proof.md"),
    Case(select, Exponential(1), "draw_noisy_max", "selection.proof.md"),
    Case(select, PermuteAndFlip(1), "draw_noisy_max", "selection.proof.md"),
    Case(
        select_each,
        Repeated(PermuteAndFlip(1), 1),
        "draw_noisy_max",
        "selection.proof.md",
        Sensitivity.per_block(1, 5, 1),
    ),
    Case(thresholded_keys, ThresholdedKeys(3, 20), "draw_discrete_laplace", "thresholding.proof.md"),
    Case(truncated_keys, TruncatedKeys(3, 20), "draw_discrete_laplace", "truncating.proof.md"),
    Case(randomized_response, RandomizedResponse("0.5"), "draw_randomized_response", "response.proof.md"),
]
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.event.kind)


def forbid_draws(monkeypatch):
    def drawn(*_, **__):
        raise AssertionError("something was drawn")

    for case in CASES:
        monkeypatch.setattr(sampling, case.draw, drawn)


def test_every_mechanism_of_the_room_is_here():
    public = {
        name
        for name in privet.mechanism.__all__
        if name.islower() and name not in {"explain", "fresh_generator", "reveal_keys"}
    }
    assert {case.mechanism.__name__ for case in CASES} == public


@every_case
def test_it_needs_a_permit(case, monkeypatch):
    forbid_draws(monkeypatch)
    for nothing in (None, case.event, object()):
        with pytest.raises(PermitMismatch):
            case.mechanism(case.sealed(), nothing)


@every_case
def test_it_uses_its_permit_up(case, monkeypatch):
    permit = permit_for(case.event)
    case.mechanism(case.sealed(), permit)
    forbid_draws(monkeypatch)
    with pytest.raises(PermitSpent):
        case.mechanism(case.sealed(), permit)


@every_case
def test_it_pays_before_it_draws(case, monkeypatch):
    permit = permit_for(case.event)

    def draw(*_, **__):
        with pytest.raises(PermitSpent):
            permit.use()
        raise KeyboardInterrupt

    monkeypatch.setattr(sampling, case.draw, draw)
    with pytest.raises(KeyboardInterrupt):
        case.mechanism(case.sealed(), permit)


@every_case
def test_it_refuses_a_foreign_event(case, monkeypatch):
    forbid_draws(monkeypatch)
    for foreign in [Opaque(1), *(other.event for other in CASES if other.mechanism is not case.mechanism)]:
        permit = permit_for(foreign)
        with pytest.raises(PermitMismatch):
            case.mechanism(case.sealed(), permit)
        assert permit.use() == foreign


@every_case
def test_it_takes_nothing_but_a_seal(case, monkeypatch):
    forbid_draws(monkeypatch)
    permit = permit_for(case.event)
    for bare in (list(case.answer), np.array(case.answer)):
        with pytest.raises(PermitMismatch):
            case.mechanism(bare, permit)
    assert permit.use() == case.event


@every_case
def test_the_shape_of_its_output_does_not_depend_on_the_answer(case):
    shapes = set()
    for answer in (case.answer, (0,) * 5, (10**18,) * 5, (-(2**63), 2**63 - 1, 0, 1, -1)):
        out = case.mechanism(Sealed(answer, case.sensitivity), permit_for(case.event))
        if isinstance(out, ShownKeys):
            shapes.add((out.shown.shape, out.numbers.shape, out.shown.dtype, out.numbers.dtype))
        else:
            shapes.add((np.shape(out), np.asarray(out).dtype))
    assert len(shapes) == 1


@every_case
def test_it_prints_and_logs_nothing(case, capfd, caplog):
    case.mechanism(case.sealed(), permit_for(case.event))
    assert capfd.readouterr() == ("", "")
    assert not caplog.records


@every_case
def test_it_explains_itself(case):
    found = explain(case.event)
    assert found.mechanism
    assert found.sentence.endswith(".")
    numbers = (found.standard_deviation, found.mean_absolute, found.half_width)
    assert all(number is None or number > 0 for number in numbers)


@every_case
def test_its_proof_lies_beside_it(case):
    record = register()[f"{case.mechanism.__module__.rpartition('.')[2]}.{case.mechanism.__name__}"]
    assert record.note == case.note
    assert tuple(sections(record.path.read_text("utf-8"))) == SECTIONS


@every_case
def test_its_docstring_states_guarantee_and_assumptions(case):
    assert "Guarantee:" in case.mechanism.__doc__
    assert "Assumes:" in case.mechanism.__doc__
