"""The clipped sum of a step's batch: the same in however many pieces."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tests.protect.train.gradients.runs import data, net, planned

from privet.errors import UnsafeModel
from privet.mechanism import _gradient_noise as gradient_noise
from privet.protect.train.gradients import (
    StepSpeed,
    train_model,
)
from privet.protect.train.gradients import _clipped_steps as module
from privet.protect.train.gradients._clipped_steps import LARGEST, ClippedSteps
from privet.protect.train.gradients._per_example_loss import Batch, Objective
from privet.protect.train.gradients.clipping import Bookkeeping, ClippedSum, ClippingRule


def test_physical_batches_change_nothing(ledger, still):
    weights = []
    for physical in (7, 1000):
        model = net()
        train_model(
            model,
            data(),
            planned(model),
            ledger=ledger,
            why="a test",
            speed=StepSpeed(physical=physical),
        )
        weights.append(torch.cat([weight.detach().flatten() for weight in model.parameters()]))
    torch.testing.assert_close(*weights, rtol=1e-5, atol=1e-6)


def test_many_pieces_of_a_batch_are_added_without_loss(ledger, monkeypatch):
    """Adding in 32 bits would lose some of a small gradient against a large sum."""
    kinds = []
    monkeypatch.setattr(
        gradient_noise,
        "noised",
        lambda values, sigma, generator: (
            kinds.extend(value.dtype for value in values) or tuple(np.zeros(v.shape) for v in values)
        ),
    )
    model = net()
    train_model(
        model, data(), planned(model, steps=1), ledger=ledger, why="a test", speed=StepSpeed(physical=9)
    )
    assert set(kinds) == {np.dtype("float64")}


def test_pieces_stay_so_small_that_sums_in_32_bits_are_exact_enough():
    """The rounding of a sum of n numbers of 24 bits is below n / 2 units of the last: less than the share that is allowed."""
    from privet.protect.train.gradients._training_run import ROUNDING

    assert LARGEST / 2 * 2.0**-24 < ROUNDING / 8


LOSS = Objective.of("cross_entropy")
RULE = ClippingRule(1.0)
EXAMPLES = 7


def steps_of(engine, is_random):
    model = net()
    trained = dict(model.named_parameters())
    made = Bookkeeping(model, trained, LOSS) if engine == "bookkeeping" else SimpleNamespace(name=engine)
    return ClippedSteps(model, trained, LOSS, SimpleNamespace(), made, EXAMPLES, is_random)


@pytest.fixture
def looks(monkeypatch):
    """Which comparisons are made, with what and of which record; none finds a fault."""
    made = []
    monkeypatch.setattr(module, "neighbour_fault", lambda *given: made.append(("neighbours", given[3])) or "")
    monkeypatch.setattr(
        module,
        "alone_fault",
        lambda found, *given: (
            made.append(
                (f"gradient of {'the sum' if isinstance(found, ClippedSum) else 'the engine'}", given[2])
            )
            or ""
        ),
    )
    monkeypatch.setattr(module, "loss_fault", lambda *given: made.append(("loss", given[4])) or "")
    return made


def looked(looks, steps, number, *, closely=False):
    x, y = data(EXAMPLES)
    looks.clear()
    none = ClippedSum({}, torch.zeros(EXAMPLES), torch.zeros(EXAMPLES))
    steps._look(Batch(x, y, EXAMPLES), none, RULE, number, closely=closely)
    return list(looks)


@pytest.mark.parametrize(("engine", "is_random", "often"), [
    ("looped", False, {}),
    ("looped", True, {}),
    ("closed", False, {}),
    ("closed", True, {}),
    ("opacus", False, {"gradient of the sum": 16, "loss": 48}),
    ("opacus", True, {"loss": 8}),
    ("vmapped", False, {"gradient of the sum": 16, "loss": 48}),
    ("vmapped", True, {"gradient of the engine": 1}),
])  # fmt: skip
def test_how_often_a_batch_is_compared_and_with_what(looks, engine, is_random, often):
    """Of 64 turns; the record is the one that the number beyond the turn names, so every record has its turns."""
    steps = steps_of(engine, is_random)
    for index in (0, EXAMPLES - 1):
        found = [
            one for turn in range(64) for one in looked(looks, steps, 64 * (3 * EXAMPLES + index) + turn)
        ]
        assert {kind: sum(what == kind for what, _ in found) for kind, _ in found} == often
        assert {which for _, which in found} <= {index}


@pytest.mark.parametrize("engine", ["closed", "vmapped", "opacus"])
def test_a_close_look_is_at_neighbours_and_at_records_alone(looks, engine):
    wanted = [("neighbours", 2), ("gradient of the engine", 2)]
    assert looked(looks, steps_of(engine, False), 64 * 2 + 1, closely=True) == wanted
    assert looked(looks, steps_of("looped", False), 64 * 2 + 1, closely=True) == []


def test_another_way_through_the_model_is_looked_at_closely_once(looks):
    steps = steps_of("bookkeeping", False)
    for way in (frozenset({("linear", 2)}), frozenset({("linear", 3)})):
        steps.engine.path = way
        assert [what for what, _ in looked(looks, steps, 1)] == ["neighbours", "gradient of the engine"]
        assert [what for what, _ in looked(looks, steps, 1)] == ["loss"]
    assert [what for what, _ in looked(looks, steps, 4)] == ["gradient of the sum"]


@pytest.mark.parametrize(("turn", "which"), [(1, "loss_fault"), (4, "alone_fault")])
def test_what_is_found_stops_the_run(looks, monkeypatch, turn, which):
    monkeypatch.setattr(module, which, lambda *_: "a record moves others")
    with pytest.raises(UnsafeModel, match="a record moves others"):
        looked(looks, steps_of("vmapped", False), turn)


def test_an_empty_batch_sums_to_zeros_of_nobody():
    steps = steps_of("looped", False)
    steps.pipeline = SimpleNamespace(units=5, pieces=lambda units, rows: iter(()))
    step = SimpleNamespace(mask=lambda size: np.zeros(size, dtype=bool), number=lambda: 1, index=0)
    found, examples = steps.sums(step, RULE)
    assert examples == 0
    assert len(found.norms) == len(found.losses) == 0
    assert {name: value.shape for name, value in found.sums.items()} == {
        name: weight.shape for name, weight in steps.trained.items()
    }
    assert not any(value.any() for value in found.sums.values())
