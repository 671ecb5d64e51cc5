"""From a raw record to its loss: every stage is given one record and random numbers of its own, whatever it is written for."""

import random

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import Dataset, IterableDataset, Subset, TensorDataset

import privet as pv
from privet.errors import BadTraining, PrivetError, UnsafePipeline
from privet.protect.train.gradients import Optimizer, plan, train_model
from privet.protect.train.gradients._pipeline_check import checked_pipeline
from privet.protect.train.gradients._record_pipeline import Pipeline
from privet.protect.train.gradients._training_records import TrainingRecords

N = 40
X = torch.randn(N, 6, generator=torch.Generator().manual_seed(0)) + 0.7
Y = X[:, :3].argmax(1)
SOME = np.arange(0, N, 8)
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


def checked(augment=None, data=(X, Y), prepare=None, views=1):
    return checked_pipeline(Pipeline(TrainingRecords.of(data, prepare), augment, views, CPU), SOME)


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


def test_records_are_made_one_by_one_and_copied_at_once():
    """A stage may use its memory again, as loaders of images do; it gives one record each time all the same."""
    memory = torch.zeros(6)
    records = TrainingRecords.of([(row, 0) for row in X], lambda raw: (memory.copy_(raw[0]), raw[1]))
    inputs, targets = records.taken(np.arange(N))
    assert torch.equal(inputs, X)
    assert targets.tolist() == [0] * N


def test_text_becomes_tokens_of_a_public_length(ledger):
    texts = [("a b c " * (1 + at % 9), at % 3) for at in range(N)]

    def tokens(raw):
        ids = [ord(letter) % 23 for letter in raw[0].split()][:8]
        return {"input": torch.tensor(ids + [0] * (8 - len(ids)))}, raw[1]

    model = nn.EmbeddingBag(23, 3)
    trained = fit(ledger, texts, prepare=tokens, model=model)
    assert len(trained.progress) == 2


def test_records_of_different_shapes_are_refused_rather_than_padded_to_the_longest(ledger):
    texts = [([1] * (1 + at % 9), at % 3) for at in range(N)]
    with pytest.raises(BadTraining, match="differ in the names, shapes or types"):
        fit(ledger, texts, prepare=lambda raw: (torch.tensor(raw[0]), raw[1]), model=nn.EmbeddingBag(23, 3))
    with pytest.raises(BadTraining, match="different shapes"):
        fit(
            ledger,
            augment=lambda x, g: x[:, : 3 + int(x[0, 0] > 0.7)],
        )
    assert ledger.balance().spends == 0


@pytest.mark.parametrize(
    "augment", [lambda x, g: x[0], lambda x, g: torch.cat([x, x]), lambda x, g: 3, lambda x, g: x.undefined]
)
def test_what_gives_no_row_for_a_row_is_refused(ledger, augment):
    with pytest.raises(BadTraining, match="augmentation"):
        fit(ledger, augment=augment)
    assert ledger.balance().spends == 0


# --- what is mapped ----------------------------------------------------------------------------


def test_what_can_be_mapped_is_and_what_would_change_is_not():
    assert checked(lambda x, g: x + torch.randn(x.shape, generator=g)).mapped
    assert checked(lambda x, g: torch.where(torch.rand(1, 1, generator=g) < 0.5, x, -x)).mapped
    assert checked(lambda x, g: x * 2).mapped
    branch = checked(lambda x, g: x.flip(1) if torch.rand(1, generator=g) < 0.5 else x)
    assert not branch.mapped
    # One number of NumPy's for all rows would not be what it is row by row.
    shared = checked(lambda x, g: x + np.random.default_rng(g.initial_seed()).normal())
    assert not shared.mapped
    rows = shared.batch(np.arange(N), 0).inputs - X
    assert len(torch.unique(rows[:, 0].round(decimals=4))) > N / 2


# --- what remembers, shares or mixes -----------------------------------------------------------


def running_mean():
    seen = []

    def augment(x, g):
        seen.append(x.mean())
        return x - torch.stack(seen).mean()

    return augment


def once():
    """It remembers by a number that is no list: the first record it ever sees."""
    first = None

    def augment(x, g):
        nonlocal first
        first = x if first is None else first
        return x - first

    return augment


class Counting:
    def __init__(self):
        self.calls = 0

    def __call__(self, x, g):
        self.calls += 1
        return x + 0 * self.calls


class Normalising(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(6)

    def forward(self, x, g):
        return self.norm(torch.cat([x, x]))[:1]


def mixup(x, g):
    share = torch.rand(len(x), 1, generator=g)
    return share * x + (1 - share) * x[torch.randperm(len(x), generator=g)]


def cutmix(x, g):
    return torch.cat([x[:, :3], x.roll(1, 0)[:, 3:]], 1)


def own_generator():
    own = torch.Generator()
    return lambda x, g: x + torch.randn(x.shape, generator=own)


def _minus(mean):
    return lambda x, g: x - mean


def _minus_array(mean):
    return lambda x, g: x - torch.from_numpy(mean)


HOSTILE = {
    "standardises by the batch": lambda: lambda x, g: (x - x.mean(0)) / (x.std(0) + 1e-6),
    "mixup": lambda: mixup,
    "cutmix": lambda: cutmix,
    "by the largest": lambda: lambda x, g: x / x.abs().max(),
    "only with an outlier": lambda: lambda x, g: x - x.mean(0) if x.abs().max() > 100 else x,
    "sorts": lambda: lambda x, g: x.sort(0).values,
    "batch norm": Normalising,
    "running mean": running_mean,
    "first record": once,
    "counts": Counting,
    "generator of its own": own_generator,
    "Python's generator": lambda: lambda x, g: x + random.random(),
    "NumPy's generator": lambda: lambda x, g: x + np.random.random(),
    "holds the records": lambda: lambda x, g: x - X.mean(0),
    "holds their mean": lambda: _minus(X.mean(0)),
    "holds their mean in NumPy": lambda: _minus_array(X.numpy().mean(0)),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", HOSTILE)
def test_augmentations_in_which_records_meet_are_refused_before_anything_is_booked(ledger, name):
    with pytest.raises(PrivetError) as refusal:
        fit(ledger, augment=HOSTILE[name]())
    assert refusal.value.code == "E-TRAIN-004"
    assert refusal.value.hint
    assert ledger.balance().spends == 0


def remembers():
    table = {}

    def prepare(raw):
        table.setdefault(int(raw[1]), []).append(float(raw[0][0]))
        return raw[0], float(np.mean(table[int(raw[1])]))

    return prepare


def draws(raw):
    return raw[0] + torch.randn(6), raw[1]


def vocabulary():
    known = {}
    return lambda raw: (raw[0] + known.setdefault(float(raw[0][0]), len(known)), raw[1])


PREPARE = {
    "targets by what was seen": remembers,
    "random": lambda: draws,
    "a vocabulary that grows": vocabulary,
    "all records": lambda: lambda raw: (raw[0] - X.mean(0), raw[1]),
}


@pytest.mark.parametrize("name", PREPARE)
def test_stages_before_that_are_no_function_of_their_record_are_refused(ledger, name):
    with pytest.raises(UnsafePipeline):
        fit(ledger, [(x, int(y)) for x, y in zip(X, Y, strict=True)], prepare=PREPARE[name]())
    assert ledger.balance().spends == 0


def test_what_several_raw_records_share_is_watched_wherever_they_lie(ledger):
    """One record, whose values no check tries, leaves itself where later ones read it."""
    shared = {"last": torch.zeros(6)}
    raw = [
        {"x": x, "y": int(y), "shared": shared if at > 20 else None}
        for at, (x, y) in enumerate(zip(X, Y, strict=True))
    ]
    raw[29]["x"] = torch.full((6,), 77.0)

    def prepare(record):
        if record["shared"] is None:
            return record["x"], record["y"]
        last = record["shared"]["last"]
        if bool((record["x"] == 77).all()):
            record["shared"]["last"] = record["x"]
        return record["x"] + last, record["y"]

    with pytest.raises(UnsafePipeline, match="a raw record"):
        fit(ledger, raw, prepare=prepare)


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


def test_a_loss_that_remembers_is_refused(ledger):
    class Centre(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("centre", torch.zeros(3))

        def forward(self, out, y):
            if not torch._C._functorch.is_batchedtensor(out):
                self.centre += out.detach().sum(0)
            return (out - self.centre).square().sum(1)

    with pytest.raises(UnsafePipeline, match="centre"):
        fit(ledger, loss=Centre())


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


# --- records -----------------------------------------------------------------------------------


class Standardised(Dataset):
    """The usual data set: it has read everything before it gives anything."""

    def __init__(self):
        self.x = (X - X.mean(0)) / X.std(0)

    def __len__(self):
        return N

    def __getitem__(self, at):
        return self.x[at], Y[at]


class Stream(IterableDataset):
    def __iter__(self):
        return iter(zip(X, Y, strict=True))


def test_a_data_set_with_code_of_its_own_is_refused_and_plain_ones_taken(ledger):
    for data, why in (
        (Standardised(), "code of its own"),
        (Subset(Standardised(), range(9)), "code of its own"),
        (Stream(), "stream"),
        (range(N), "lie elsewhere"),
    ):
        with pytest.raises(BadTraining, match=why):
            fit(ledger, data)
    assert ledger.balance().spends == 0
    pairs = [(x, int(y)) for x, y in zip(X, Y, strict=True)]
    for data in (TensorDataset(X, Y), Subset(TensorDataset(X, Y), range(0, N, 2)), pairs):
        assert len(fit(ledger, data).progress) == 2


def test_numbers_of_rows_that_a_stage_looks_up_are_refused(ledger):
    with pytest.raises(UnsafePipeline, match="holds the records, or something with an entry for each"):
        fit(ledger, list(range(N)), prepare=lambda at: (X[at], Y[at]))


def test_the_records_are_not_written_to(ledger):
    class InPlace(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(6, 3)

        def forward(self, x):
            return self.layer(x.mul_(0.5))

    x = X.clone()
    with pytest.raises(PrivetError):
        fit(ledger, (x, Y), model=InPlace())


def test_what_fails_says_no_value(ledger):
    pairs = [(x, int(y)) for x, y in zip(X, Y, strict=True)]

    def prepare(raw):
        raise ValueError(f"secret {float(raw[0][0])}")

    with pytest.raises(BadTraining) as refusal:
        fit(ledger, pairs, prepare=prepare)
    assert "secret" not in str(refusal.value)
    assert refusal.value.__cause__ is None
