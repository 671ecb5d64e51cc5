"""What every mechanism must do alike: pay first, once, for what is drawn, and explain itself."""

import ast
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.guarantee.example_events import EXAMPLES, QUIETER
from tests.mechanism.permits import permit_for

import privet.mechanism
from privet.errors import PermitMismatch, PermitSpent, UnsupportedEvent
from privet.guarantee._basic_composition import pure_cost
from privet.guarantee._calculator_notation import parse, unparse
from privet.guarantee._calculator_vocabulary import BY_EVENT, in_words
from privet.guarantee._composition import epsilon_for
from privet.guarantee._events import (
    DiscreteGaussian,
    DiscreteLaplace,
    DistributedGaussian,
    Event,
    Exponential,
    NormedGaussian,
    Opaque,
    PermuteAndFlip,
    RandomizedResponse,
    Repeated,
    ThresholdedKeys,
    TruncatedKeys,
    event_from_json,
    event_kinds,
)
from privet.guarantee._privacy_units import Change
from privet.guarantee._renyi import leaf_curve
from privet.guarantee._renyi_curves import orders
from privet.guarantee._zero_concentrated import zcdp_cost
from privet.guarantee.mechanisms import MECHANISMS, CandidateSelection, Mechanism
from privet.mechanism import (
    ShownKeys,
    discrete_gaussian,
    discrete_laplace,
    explain,
    noise_share,
    randomized_response,
    select,
    select_each,
    thresholded_keys,
    truncated_keys,
)
from privet.mechanism import (
    _opendp_samplers as sampling,
)
from privet.mechanism._proofs import SECTIONS, register, sections
from privet.mechanism._sealed_access import covers
from privet.sealed import Sealed, Sensitivity
from privet.sharing import Contribution


@dataclass(frozen=True)
class Case:
    """One mechanism with an event, an answer that the event covers, and the names of what belongs to it.

    `beyond` are sensitivities of which the event covers none, each too much in one respect alone.
    """

    mechanism: Callable[..., Any]
    event: Event
    draw: str
    note: str
    sensitivity: Sensitivity = field(default=Sensitivity(1, 1, 1))
    answer: tuple[int, ...] = (1, 0, 1, 1, 0)
    beyond: tuple[Sensitivity, ...] = ()

    def sealed(self) -> Sealed:
        return Sealed(self.answer, self.sensitivity)


FARTHER, WIDER, PAIRED = Sensitivity(1, 2, 2), Sensitivity(2, 1, 2), Sensitivity(2, 1, 1, block=2)
CASES = [
    Case(
        discrete_laplace,
        DiscreteLaplace(3),
        "draw_discrete_laplace",
        "discrete_laplace.proof.md",
        beyond=(FARTHER, WIDER),
    ),
    Case(
        discrete_gaussian,
        DiscreteGaussian(3),
        "draw_discrete_gaussian",
        "discrete_gaussian.proof.md",
        beyond=(FARTHER, WIDER),
    ),
    Case(
        discrete_gaussian,
        NormedGaussian(3_000, 2, 2),
        "draw_discrete_gaussian",
        "discrete_gaussian.proof.md",
        Sensitivity.within_norm(2, 2),
        beyond=(Sensitivity(3, 1, 3), Sensitivity(2, 2, 4), Sensitivity(1, 3, 3)),
    ),
    Case(
        noise_share,
        DistributedGaussian(3_000, 2, 4, 2),
        "draw_discrete_gaussian",
        "distributed_gaussian.proof.md",
        Sensitivity.within_norm(2, 2),
        beyond=(Sensitivity(3, 1, 3), Sensitivity(2, 2, 4), Sensitivity(1, 3, 3)),
    ),
    Case(select, Exponential(1), "draw_noisy_max", "exponential_selection.proof.md"),
    Case(select, PermuteAndFlip(1), "draw_noisy_max", "exponential_selection.proof.md"),
    Case(
        select_each,
        Repeated(PermuteAndFlip(1), 1),
        "draw_noisy_max",
        "exponential_selection.proof.md",
        Sensitivity.per_block(1, 5, 1),
        beyond=(Sensitivity.per_block(2, 5, 1),),
    ),
    Case(
        thresholded_keys,
        ThresholdedKeys(3, 20),
        "draw_discrete_laplace",
        "thresholded_keys.proof.md",
        beyond=(FARTHER, WIDER, PAIRED),
    ),
    Case(
        truncated_keys,
        TruncatedKeys(3, 20),
        "draw_discrete_laplace",
        "truncated_keys.proof.md",
        beyond=(FARTHER, WIDER, PAIRED),
    ),
    Case(
        randomized_response,
        RandomizedResponse("0.5"),
        "draw_randomized_response",
        "randomized_response.proof.md",
        beyond=(WIDER,),
    ),
]
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.event.kind)


every_capsule = pytest.mark.parametrize("capsule", MECHANISMS, ids=lambda cls: cls.kind)
DELTA = Fraction(1, 10**6)
SOURCE = Path(privet.__file__).parent


def mechanism_of(event: Event) -> Mechanism:
    return event.event if isinstance(event, Repeated) else event


def forbid_draws(monkeypatch):
    def drawn(*_, **__):
        raise AssertionError("something was drawn")

    for case in CASES:
        monkeypatch.setattr(sampling, case.draw, drawn)


def test_every_mechanism_of_the_room_is_here():
    """Whatever takes a seal and a permit draws."""
    taken = {
        name: {str(kind) for kind in getattr(getattr(privet.mechanism, name), "__annotations__", {}).values()}
        for name in privet.mechanism.__all__
        if name.islower()
    }
    public = {name for name, kinds in taken.items() if {"Sealed", "Permit"} <= kinds}
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
        if isinstance(out, Contribution):
            shapes.add((len(out), out.width))
        elif isinstance(out, ShownKeys):
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
def test_its_proof_lies_beside_it_and_is_read_with_the_event(case):
    record = register()[
        f"{case.mechanism.__module__.rpartition('.')[2].lstrip('_')}.{case.mechanism.__name__}"
    ]
    assert record.note == case.note
    assert type(mechanism_of(case.event)) in record.events
    assert tuple(sections(record.path.read_text("utf-8"))) == SECTIONS


@every_case
def test_its_docstring_states_guarantee_and_assumptions(case):
    assert "Guarantee:" in case.mechanism.__doc__
    assert "Assumes:" in case.mechanism.__doc__


# --- what the event covers, and what is drawn for it --------------------------------------------


@every_case
def test_it_refuses_an_answer_that_its_event_does_not_cover(case, monkeypatch):
    forbid_draws(monkeypatch)
    assert covers(case.event, case.sensitivity)
    assert case.beyond or isinstance(case.event, CandidateSelection)
    for moved in case.beyond:
        assert not covers(case.event, moved)
        permit = permit_for(case.event)
        with pytest.raises(PermitMismatch, match="pays for less"):
            case.mechanism(Sealed((1,) * 10, moved), permit)
        assert permit.use() == case.event


@every_case
def test_it_draws_noise_of_the_scale_that_its_event_states(case, monkeypatch):
    """That noise of a scale has that scale is tested two-sided where it is drawn, in `tests/statistical`."""
    moved = (
        Sensitivity.per_block(1, 5, 3) if isinstance(mechanism_of(case.event), CandidateSelection) else None
    )
    moved = moved or case.sensitivity
    stated = mechanism_of(case.event).noise_scale(moved)
    drawn = []

    def draw(first, second, *rest):
        drawn.append(second)
        raise KeyboardInterrupt

    monkeypatch.setattr(sampling, case.draw, draw)
    with pytest.raises(KeyboardInterrupt):
        case.mechanism(Sealed(case.answer, moved), permit_for(case.event))
    if stated is None:
        assert drawn == [case.event.p]
    else:
        assert stated <= Fraction(drawn[0]) <= stated * (1 + Fraction(1, 2**52))


def test_selections_draw_in_proportion_to_what_one_unit_moves():
    for event in (Exponential(1), PermuteAndFlip(1)):
        one, three = (event.noise_scale(Sensitivity(1, largest, largest)) for largest in (1, 3))
        assert three == 3 * one


# --- what the event knows of itself -------------------------------------------------------------


def test_every_mechanism_is_listed_and_every_one_that_can_be_drawn_has_a_draw():
    classes = {cls for cls in event_kinds().values() if issubclass(cls, Mechanism)}
    assert classes == set(MECHANISMS)
    assert len(MECHANISMS) == len(classes)
    drawn = {type(mechanism_of(case.event)) for case in CASES}
    assert drawn == {cls for cls in MECHANISMS if cls.covers is not Mechanism.covers}


@every_capsule
def test_its_event_is_read_back_from_its_record(capsule):
    event = EXAMPLES[capsule.kind]
    assert type(event) is capsule
    again = event_from_json(json.loads(json.dumps(event.to_json())))
    assert again == event
    assert again.canonical() == event.canonical()


@every_capsule
def test_its_prices_agree(capsule):
    """Each accountant may know better than the one before, and none may cost more than what the simpler implies."""
    event = EXAMPLES[capsule.kind]
    rho, (curve, spent) = zcdp_cost(event), leaf_curve(event, Change.ADD_OR_REMOVE)
    assert spent <= rho.delta
    # Fixed orders; rounding up may add the last digits.
    assert (curve <= orders() * float(rho.rho) * (1 + 1e-6)).all()
    try:
        basic = pure_cost(event)
    except UnsupportedEvent:
        assert epsilon_for(event, DELTA, accountant="zcdp").epsilon > 0
        return
    assert rho.rho <= basic.epsilon**2 / 2
    assert rho.delta <= basic.delta
    assert (curve <= float(basic.epsilon) * (1 + 1e-6)).all()
    # The grid rounds losses up by at most a step, and sets some delta aside.
    distribution = epsilon_for(event, basic.delta + DELTA, accountant="pld").epsilon
    assert distribution <= float(basic.epsilon) + 2e-4


@every_capsule
def test_more_noise_costs_less_and_errs_more(capsule):
    noise = capsule.notation.parameters[0].name
    family = [
        QUIETER[capsule.kind, noise](x) for x in (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3))
    ]
    costs = [zcdp_cost(event).rho for event in family]
    assert all(quieter < louder for louder, quieter in pairwise(costs))
    errors = [error_of(event) for event in family]
    if None in errors:
        assert set(errors) == {None}
        assert not capsule.title  # nothing is known but a promise
        return
    assert all(louder < quieter for louder, quieter in pairwise(errors))


def error_of(event):
    """The size of what is drawn; for answers that are replaced, how often they are."""
    if isinstance(event, RandomizedResponse):
        return event.p
    try:
        return event.spread().standard_deviation
    except UnsupportedEvent:
        return event.noise_scale(Sensitivity(1, 1, 1))


@every_capsule
def test_its_error_bars_widen_with_confidence_or_there_are_none(capsule):
    event = EXAMPLES[capsule.kind]
    try:
        spread = event.spread()
    except UnsupportedEvent:
        with pytest.raises(UnsupportedEvent):
            event.half_width(0.95)
        return
    widths = [spread.half_width(confidence) for confidence in (0.5, 0.9, 0.99)]
    assert widths == sorted(widths)
    assert 0 < spread.mean_absolute <= spread.standard_deviation
    assert widths[0] < widths[-1]


@every_capsule
def test_it_has_words_in_the_calculator_and_in_releases(capsule):
    event = EXAMPLES[capsule.kind]
    assert BY_EVENT[capsule].name == capsule.notation.name
    assert parse(unparse(event)) == event
    assert "{" not in in_words(event) + event.stage("rows")
    if capsule.title:
        assert explain(event).sentence == event.expectation()


@every_capsule
def test_a_larger_answer_is_never_covered_where_a_smaller_one_is_not(capsule):
    event = EXAMPLES[capsule.kind]
    for coordinates, largest in ((1, 1), (2, 1), (3, 2), (9, 9)):
        one = Sensitivity.per_coordinate(coordinates, largest)
        for more in (
            Sensitivity.per_coordinate(coordinates + 1, largest),
            Sensitivity.per_coordinate(coordinates, largest + 1),
        ):
            assert covers(event, one) or not covers(event, more)


# --- one place ----------------------------------------------------------------------------------


def names_in(path: Path) -> set[str]:
    """What a module names in its code: words in texts and comments do not count."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.alias | ast.ClassDef):
            found.add(node.name)
    return found


FRONT = {"guarantee/__init__.py", "guarantee/_events.py", "guarantee/mechanisms/__init__.py"}
CHOSEN = (
    "protect/",
    "attacks/dp_audit/_accounting_check.py",  # describes training runs made elsewhere
    "ledger/_adaptive_run.py",  # reads off a booking how much rounds may draw
)
# Training draws continuous noise step by step, and perturbs objectives.
BESIDES = {
    "gaussian": {"_gradient_noise", "_correlated_noise"},
    "banded-gaussian": {"_correlated_noise"},
    "banded-inverse-gaussian": {"_correlated_noise"},
    "opaque": {"_objective_noise"},
}


@pytest.fixture(scope="module")
def named() -> dict[str, set[str]]:
    return {path.relative_to(SOURCE).as_posix(): names_in(path) for path in SOURCE.rglob("*.py")}


@every_capsule
def test_it_is_named_where_it_is_written_drawn_and_chosen_and_nowhere_else(capsule, named):
    home = capsule.__module__.removeprefix("privet.").replace(".", "/") + ".py"
    draws = {
        case.mechanism.__module__.rpartition(".")[2]
        for case in CASES
        if isinstance(mechanism_of(case.event), capsule)
    } | BESIDES.get(capsule.kind, set())
    allowed = {home, *FRONT, *(f"mechanism/{name}.py" for name in draws)}
    places = {path for path, names in named.items() if capsule.__name__ in names}
    assert {path for path in places - allowed if not path.startswith(CHOSEN)} == set()
    assert home in places
