"""One loss for each example, whatever else is in the batch."""

import math

import pytest
import torch
from torch import nn

import privet as pv
from privet.errors import BadTraining, UnsafePipeline
from privet.protect.train.gradients import Optimizer, plan, train_model
from privet.protect.train.gradients._per_example_loss import IGNORED, NAMED, Batch, Objective, each

N = 40


X = torch.randn(N, 6, generator=torch.Generator().manual_seed(0)) + 0.7


Y = X[:, :3].argmax(1)


@pytest.fixture
def ledger(tmp_path):
    with pv.Ledger(tmp_path / "a.ledger", limit=pv.ZeroConcentratedDP(50), unit=pv.Row()) as opened:
        yield opened


def fit(ledger, data=(X, Y), augment=None, views=1, **given):
    model = given.pop("model", None) or nn.Linear(6, 3)
    made = plan(model, pv.ZeroConcentratedDP(1), records=N, batch=N, steps=2, sampling="full")
    optimizer = Optimizer(augment=augment, views=views)
    return train_model(model, data, made, ledger=ledger, why="a test", optimizer=optimizer, **given)


LOSSES = {
    "averages": lambda out, y: (
        nn.functional.cross_entropy(out, y, reduction="none") / nn.functional.cross_entropy(out, y)
    ),
    "contrasts": lambda out, y: (out @ out.T).logsumexp(1),
    "ranks": lambda out, y: out[:, 0].argsort().float() * out.sum(1),
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses_in_which_records_meet_are_refused(ledger, name):
    with pytest.raises(UnsafePipeline, match="the loss of a record depends"):
        fit(ledger, loss=LOSSES[name])
    assert ledger.balance().spends == 0


def test_a_loss_of_ones_own_is_given_each_example_alone(ledger):
    """Mixing that no check saw has nothing to mix: 7 of the rows are no number the check tried."""
    from privet.protect.train.gradients._per_example_loss import Batch, Objective

    def sly(out, y):
        rows = nn.functional.cross_entropy(out, y, reduction="none")
        return rows * torch.where(out.abs().amax() > 50, rows.mean(), 1.0)

    out, y = torch.randn(9, 3), torch.randint(0, 3, (9,))
    settled = Objective.of(sly).settled(out, y, 9)
    assert settled.way == "mapped"
    far = out.clone()
    far[0] *= 1e4
    losses = settled.losses(lambda x: x, Batch(far, y, 9))
    assert torch.allclose(losses[1:], settled.losses(lambda x: x, Batch(out, y, 9))[1:])
    assert not torch.allclose(sly(far, y)[1:], sly(out, y)[1:])
    branching = Objective.of(lambda out, y: out.sum(1) if bool(out.sum() > 1e9) else -out.sum(1))
    assert branching.settled(out, y, 9).way == "single"


def test_losses_by_hand():
    logits = torch.tensor([[0.0, 0.0], [math.log(3), 0.0]])
    classes = torch.tensor([0, 1])
    assert NAMED["cross_entropy"](logits, classes).tolist() == pytest.approx([math.log(2), math.log(4)])
    assert NAMED["cross_entropy"]({"logits": logits}, torch.tensor([IGNORED, 0])).tolist() == pytest.approx(
        [0, math.log(4 / 3)]
    )
    assert NAMED["logistic"](torch.zeros(2, 1), torch.tensor([0, 1])).tolist() == pytest.approx(
        [math.log(2)] * 2
    )
    assert NAMED["squared"](
        torch.tensor([[1.0, 2.0], [0.0, 0.0]]), torch.tensor([[0.0, 0.0], [3.0, 4.0]])
    ).tolist() == pytest.approx([2.5, 12.5])


def test_a_sequence_counts_by_its_own_tokens():
    logits = torch.zeros(2, 4, 5)
    tokens = torch.tensor([[1, 2, 3, 4], [1, 2, IGNORED, IGNORED]])
    assert NAMED["language"](logits, tokens).tolist() == pytest.approx([math.log(5)] * 2)
    nothing = torch.full((1, 4), IGNORED)
    assert NAMED["language"](logits[:1], nothing).tolist() == [0]


def test_examples_are_taken_with_all_their_views():
    batch = Batch((torch.arange(6), torch.arange(6) * 10), torch.arange(6), examples=3, views=2)
    assert batch.rows == 6
    part = batch.part(1, 3)
    assert (part.inputs[0].tolist(), part.examples) == ([2, 3, 4, 5], 2)
    assert batch.at([2, 0]).targets.tolist() == [4, 5, 0, 1]
    alone = batch.alone(1)
    assert alone.inputs[1].tolist() == [20, 30]
    alone.inputs[0].zero_()
    assert batch.inputs[0].tolist() == list(range(6)), "in memory of its own"
    assert each({"a": 1, "b": 2}, lambda value: value + 1) == {"a": 2, "b": 3}


def test_views_of_an_example_are_averaged():
    batch = Batch(torch.tensor([[1.0], [3.0], [0.0], [2.0]]), torch.zeros(4, 1), examples=2, views=2)
    assert Objective.of("squared").losses(lambda x: x, batch).tolist() == pytest.approx([(0.5 + 4.5) / 2, 1])


def test_a_loss_that_gives_no_number_for_each_example_is_refused():
    batch = Batch(torch.ones(3, 1), torch.zeros(3, 1), examples=3)
    with pytest.raises(BadTraining, match="one number for each example"):
        Objective("own", lambda out, wanted: (out - wanted).mean()).losses(lambda x: x, batch)
    with pytest.raises(BadTraining, match="no loss named"):
        Objective.of("hinge")
    with pytest.raises(BadTraining, match="a name or a function"):
        Objective.of(3)
