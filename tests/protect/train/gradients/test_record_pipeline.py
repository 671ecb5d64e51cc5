"""From a raw record to its loss: every stage is given one record and random numbers of its own, whatever it is written for."""

import numpy as np
import pytest
import torch
from torch import nn

import privet as pv
from privet.errors import BadTraining, UnsafePipeline
from privet.protect.train.gradients import Optimizer, plan, train_model
from privet.protect.train.gradients._record_pipeline import Pipeline
from privet.protect.train.gradients._training_records import TrainingRecords

N = 40


X = torch.randn(N, 6, generator=torch.Generator().manual_seed(0)) + 0.7


Y = X[:, :3].argmax(1)


CPU = torch.device("cpu")


@pytest.fixture
def ledger(tmp_path):
    with pv.Ledger(tmp_path / "a.ledger", limit=pv.ZeroConcentratedDP(50), unit=pv.Row()) as opened:
        yield opened


def fit(ledger, data=(X, Y), augment=None, views=1, **given):
    model = given.pop("model", None) or nn.Linear(6, 3)
    made = plan(model, pv.ZeroConcentratedDP(1), records=N, batch=N, steps=2, sampling="full")
    optimizer = Optimizer(augment=augment, views=views)
    return train_model(model, data, made, ledger=ledger, why="a test", optimizer=optimizer, **given)


# --- by construction ---------------------------------------------------------------------------


@pytest.mark.parametrize("mapped", [False, True])
def test_an_augmentation_has_no_batch_to_read_from(mapped):
    """Standardising by the batch, mixing up, a running sum: with one row there is nothing but the row."""
    for augment in (
        lambda x, g: x - x.mean(0) / 2,
        lambda x, g: x + x[torch.randperm(len(x), generator=g)],
        lambda x, g: x.cumsum(0),
        lambda x, g: x / x.amax(0),
    ):
        path = Pipeline(TrainingRecords.of((X, Y)), augment, 2, CPU, mapped)
        whole = path.batch(np.arange(N), 7)
        other = X.clone()
        other[3] = 1e6
        changed = Pipeline(TrainingRecords.of((other, Y)), augment, 2, CPU, mapped).batch(np.arange(N), 7)
        apart = [row for row in range(2 * N) if row // 2 != 3]
        assert torch.equal(whole.inputs[apart], changed.inputs[apart])


def test_the_views_and_records_of_a_step_have_numbers_of_their_own_and_steps_others():
    def noise(x, g):
        return x * 0 + torch.randn(x.shape, generator=g)

    for mapped in (False, True):
        path = Pipeline(TrainingRecords.of((X, Y)), noise, 2, CPU, mapped)
        rows = path.batch(np.arange(N), 7).inputs
        assert len(torch.unique(rows[:, 0])) == 2 * N
        assert torch.equal(path.batch(np.arange(N), 7).inputs, rows)
        assert not torch.equal(path.batch(np.arange(N), 8).inputs, rows)
    alone = Pipeline(TrainingRecords.of((X, Y)), noise, 2, CPU)
    assert torch.equal(alone.batch(np.array([3, 9]), 7).inputs[2:], alone.batch(np.array([9]), 7).inputs)


def test_a_row_is_no_view_of_the_others_and_changing_it_changes_no_record():
    def peeks(x, g):
        assert x.untyped_storage().nbytes() == 6 * 4
        return x.mul_(2)

    before = X.clone()
    path = Pipeline(TrainingRecords.of((X, Y)), peeks, 1, CPU)
    assert torch.equal(path.batch(np.arange(N), 0).inputs, 2 * X)
    assert torch.equal(X, before)


def test_text_becomes_tokens_of_a_public_length(ledger):
    texts = [("a b c " * (1 + at % 9), at % 3) for at in range(N)]

    def tokens(raw):
        ids = [ord(letter) % 23 for letter in raw[0].split()][:8]
        return {"input": torch.tensor(ids + [0] * (8 - len(ids)))}, raw[1]

    model = nn.EmbeddingBag(23, 3)
    trained = fit(ledger, texts, prepare=tokens, model=model)
    assert len(trained.progress) == 2


@pytest.mark.parametrize(
    "augment", [lambda x, g: x[0], lambda x, g: torch.cat([x, x]), lambda x, g: 3, lambda x, g: x.undefined]
)
def test_what_gives_no_row_for_a_row_is_refused(ledger, augment):
    with pytest.raises(BadTraining, match="augmentation"):
        fit(ledger, augment=augment)
    assert ledger.balance().spends == 0


def test_numbers_of_rows_that_a_stage_looks_up_are_refused(ledger):
    with pytest.raises(UnsafePipeline, match="holds the records, or something with an entry for each"):
        fit(ledger, list(range(N)), prepare=lambda at: (X[at], Y[at]))


def test_what_fails_says_no_value(ledger):
    pairs = [(x, int(y)) for x, y in zip(X, Y, strict=True)]

    def prepare(raw):
        raise ValueError(f"secret {float(raw[0][0])}")

    with pytest.raises(BadTraining) as refusal:
        fit(ledger, pairs, prepare=prepare)
    assert "secret" not in str(refusal.value)
    assert refusal.value.__cause__ is None


@pytest.mark.parametrize(
    ("size", "rows", "pieces"), [(0, 5, []), (4, 5, [4]), (11, 5, [3, 4, 4]), (10, 5, [5, 5])]
)
def test_pieces_are_of_about_one_size_and_hold_every_unit_once(size, rows, pieces):
    found = list(Pipeline(TrainingRecords.of((X, Y)), None, 1, CPU).pieces(np.arange(size), rows))
    assert [len(piece) for piece in found] == pieces
    assert np.concatenate([*found, np.arange(0)]).tolist() == list(range(size))
