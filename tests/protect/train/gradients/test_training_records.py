"""The raw records: taken by position, made one by one, and refused where code of their own gives them."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import Dataset, IterableDataset, Subset, TensorDataset

import privet as pv
from privet.errors import BadTraining
from privet.mechanism import _gradient_noise as gradient_noise
from privet.protect.train.gradients import Optimizer, plan, train_model
from privet.protect.train.gradients._training_records import TrainingRecords

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


def test_records_are_made_one_by_one_and_copied_at_once():
    """A stage may use its memory again, as loaders of images do; it gives one record each time all the same."""
    memory = torch.zeros(6)
    records = TrainingRecords.of([(row, 0) for row in X], lambda raw: (memory.copy_(raw[0]), raw[1]))
    inputs, targets = records.taken(np.arange(N))
    assert torch.equal(inputs, X)
    assert targets.tolist() == [0] * N


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


def test_records_are_taken_by_position():
    records = TrainingRecords.of((torch.arange(12.0).view(6, 2), torch.arange(6)))
    inputs, targets = records.taken(np.array([1, 4]))
    assert (inputs.tolist(), targets.tolist()) == ([[2, 3], [8, 9]], [1, 4])
    some = records.at(np.array([5, 0]))
    assert (some.size, some.all_targets.tolist()) == (2, [5, 0])
    raw, _ = records.raw_record(2)
    raw.zero_()
    assert records.inputs[2].tolist() == [4, 5], "a copy"


def test_a_digest_of_all_records_tells_any_change():
    def digest(x, y=(0, 1), kind=torch.float32):
        return TrainingRecords.of((torch.tensor(x, dtype=kind), torch.tensor(y))).content()

    whole = digest([[1.0], [2.0]])
    assert digest([[1.0], [2.0]]) == whole
    others = [
        digest([[1.0], [2.5]]),
        digest([[2.0], [1.0]]),
        digest([[1.0], [2.0]], (1, 0)),
        digest([[1.0], [2.0]], kind=torch.float64),
        digest([[1.0]], (0,)),
    ]
    assert len({whole, *others}) == 6


def test_the_farthest_records_are_found_and_writing_is_counted():
    x = torch.tensor([[1.0, 1.0], [9.0, -20.0], [0.1, 0.0]])
    records = TrainingRecords.of((x, None))
    assert records.farthest().tolist() == [1, 2]
    before = records.writes()
    x[0] = 5
    assert records.writes() > before


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ((torch.zeros(3, 1), torch.zeros(2)), "equally many"),
        ((torch.zeros(0, 1), torch.zeros(0)), "no records"),
        ([], "no records"),
        (range(5), "lie elsewhere"),
        (3, "not records"),
        ([torch.zeros(2)] * 3, "no pair"),
        ([("text", 1)] * 3, "neither a tensor nor a number"),
    ],
)
def test_what_are_no_records_is_refused(data, words):
    with pytest.raises(BadTraining, match=words):
        TrainingRecords.of(data)


def test_records_that_lie_elsewhere_are_read_by_the_keys_that_were_sampled(ledger, tmp_path, monkeypatch):
    """A list of names is in memory, and nothing else: a step reads those of its batch, after they were drawn."""
    for place, (row, kind) in enumerate(zip(X, Y, strict=True)):
        np.savez(tmp_path / f"{place}.npz", row=row.numpy(), kind=int(kind))
    names = [str(tmp_path / f"{place}.npz") for place in range(N)]
    load, mask = np.load, gradient_noise.NoiseStep.mask
    log: list = []

    def masked(self, size):
        drawn = mask(self, size)
        log.append(("drawn", [names[place] for place in np.flatnonzero(drawn)]))
        return drawn

    def loaded(name, *given, **more):
        log.append(("read", [name]))
        return load(name, *given, **more)

    monkeypatch.setattr(gradient_noise.NoiseStep, "mask", masked)
    monkeypatch.setattr(np, "load", loaded)

    def one(name):
        with np.load(name) as found:
            return torch.from_numpy(found["row"]), int(found["kind"])

    model = nn.Linear(6, 3)
    made = plan(model, pv.ApproxDP(8, "1e-5"), records=N, batch=5, steps=4)
    book = pv.Ledger.in_memory(limit=pv.ApproxDP(8, "1e-5"), unit=pv.Row())
    train_model(model, names, made, prepare=one, ledger=book, why="a test")
    first = next(place for place, (what, _) in enumerate(log) if what == "drawn")
    batch, read, steps = None, [], 0
    for what, found in [*log[first:], ("drawn", [])]:
        if what == "read":
            read += found
            continue
        assert batch is None or read == batch
        batch, read, steps = found, [], steps + 1
    assert steps == 5
    assert sum(what == "read" for what, _ in log[first:]) < 4 * N / 2
