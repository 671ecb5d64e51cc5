"""One raw record more, less or other moves the clipped sum of every step by what it may: from the raw record on.

Noise is off and nothing moves, so the steps of two runs can be compared: the same batches, weights and random numbers, on
data that differ in one record. What passes between records anywhere on the way (a stage, the model, the loss, one step
and the next) would show.
"""

import numpy as np
import pytest
import torch
from torch import nn

import privet as pv
from privet.errors import UnsafePipeline
from privet.mechanism import _gradient_noise as gradient_noise
from privet.protect.train.gradients import Optimizer, StepSpeed, plan, train_model
from privet.protect.train.gradients import _pipeline_check as check
from privet.protect.train.gradients._per_example_loss import Batch, Objective
from privet.protect.train.gradients.clipping._clipping_rule import ClippingRule
from privet.protect.train.gradients.clipping._linear_head import Closed

N, BOUND, STEPS = 24, 0.25, 3
SLACK = 1e-4  # of the bound, for sums in 32 bits


@pytest.fixture
def sums(tmp_path, monkeypatch):
    """The exact sums of every step of a run."""
    monkeypatch.setattr("privet.mechanism._secret_seed.fresh_bytes", lambda count: bytes(range(count)))
    taken = []

    def noised(values, sigma, generator):
        taken.append(np.concatenate([np.asarray(value, dtype=np.float64).ravel() for value in values]))
        return tuple(np.zeros(np.shape(value)) for value in values)

    monkeypatch.setattr(gradient_noise, "noised", noised)

    def run(case, data, engine="auto"):
        taken.clear()
        torch.manual_seed(0)
        model = case["model"]()
        made = plan(
            model,
            pv.ZeroConcentratedDP(1),
            records=N,
            batch=N,
            steps=STEPS,
            sampling="full",
            clipping=BOUND,
        )
        name = tmp_path / f"{len(list(tmp_path.iterdir()))}.ledger"
        with pv.Ledger(name, limit=pv.ZeroConcentratedDP(50), unit=pv.Row()) as ledger:
            train_model(
                model,
                data,
                made,
                ledger=ledger,
                why="a test",
                loss=case.get("loss", "cross_entropy"),
                prepare=case.get("prepare"),
                optimizer=Optimizer(augment=case.get("augment"), views=case.get("views", 1), momentum=0.0),
                speed=StepSpeed(engine=engine, physical=case.get("physical", 256)),
            )
        return np.array(taken)

    return run


def rows(n=N, seed=0):
    x = torch.randn(n, 6, generator=torch.Generator().manual_seed(seed)) + 0.3
    return [(one, int(one[:3].argmax())) for one in x]


def texts(n=N):
    draw = np.random.default_rng(0)
    return [
        ("".join(draw.choice(list("abcdefgh "), size=draw.integers(1, 30))), int(draw.integers(3)))
        for _ in range(n)
    ]


def tokens(raw):
    """Tokens of a public vocabulary, cut and padded to a public length; the mask goes along."""
    ids = [1 + (ord(letter) % 20) for letter in raw[0]][:12]
    filled = torch.tensor(ids + [0] * (12 - len(ids)))
    return {"ids": filled, "there": (filled > 0).float()}, raw[1]


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.mix = (
            nn.Embedding(22, 8, padding_idx=0),
            nn.MultiheadAttention(8, 2, batch_first=True),
        )
        self.norm, self.head = nn.LayerNorm(8), nn.Linear(8, 3)

    def forward(self, ids, there):
        h = self.words(ids)
        mixed = self.mix(h, h, h, key_padding_mask=there == 0, need_weights=False)[0]
        h = self.norm(h + torch.nan_to_num(mixed)) * there.unsqueeze(-1)
        return self.head(h.sum(1) / there.sum(1, keepdim=True).clamp_min(1))


def images(n=N):
    draw = torch.Generator().manual_seed(0)
    return [(torch.randint(0, 256, (6, 6, 1), generator=draw), at % 3) for at in range(n)]


def pixels(raw):
    return raw[0].permute(2, 0, 1).float() / 255, raw[1]


def crops(x, g):
    at = int(torch.randint(0, 3, (1,), generator=g))
    return x[..., at : at + 4, at : at + 4].flip(-1) if torch.rand(1, generator=g) < 0.5 else x[..., :4, :4]


def jitter(x, g):
    return x + 0.1 * torch.randn(x.shape, generator=g)


def dense():
    return nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.Tanh(), nn.Linear(8, 3))


def far(raw, scale):
    return raw[0] * scale, raw[1]


CASES = {
    "dense": {
        "model": dense,
        "data": rows,
        "others": [lambda r: far(r, 1e6), lambda r: far(r, float("nan"))],
    },
    "linear": {"model": lambda: nn.Linear(6, 3), "data": rows, "others": [lambda r: far(r, -1e4)]},
    "small pieces": {"model": dense, "data": rows, "physical": 5, "others": [lambda r: far(r, 1e6)]},
    "normalised alone": {
        "model": dense,
        "data": rows,
        "augment": lambda x, g: (x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1e-6),
        "others": [lambda r: far(r, 1e6), lambda r: far(r, 0.0)],
    },
    "text": {
        "model": Reader,
        "data": texts,
        "prepare": tokens,
        "others": [lambda r: ("", 0), lambda r: ("zyx" * 5000, 2)],
    },
    "own loss": {
        "model": dense,
        "data": rows,
        "loss": lambda out, y: nn.functional.cross_entropy(out, y, reduction="none", label_smoothing=0.1),
        "others": [lambda r: far(r, 1e6)],
    },
    "recurrent": {
        "model": lambda: nn.Sequential(nn.Unflatten(1, (2, 3)), Last(), nn.Linear(4, 3)),
        "data": lambda: rows(N),
        "others": [lambda r: far(r, 1e6)],
    },
    "jitter, views": {
        "model": dense,
        "data": rows,
        "augment": jitter,
        "views": 2,
        "others": [lambda r: far(r, 1e6)],
    },
    "crops": {
        "model": lambda: nn.Sequential(
            nn.Conv2d(1, 4, 3), nn.GroupNorm(2, 4), nn.ReLU(), nn.Flatten(), nn.Linear(16, 3)
        ),
        "data": images,
        "prepare": pixels,
        "augment": crops,
        "others": [lambda r: (r[0] * 0 + 10**6, r[1])],
    },
}


class Last(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRU(3, 4, batch_first=True)

    def forward(self, x):
        return self.cell(x)[0][:, -1]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", CASES)
def test_one_raw_record_moves_a_sum_by_no_more_than_it_may(sums, name):
    case = CASES[name]
    data = case["data"]()
    whole = sums(case, data)
    assert whole.shape[0] == STEPS
    at = N - 1  # the last: those before it keep their places, and so their random numbers
    if "augment" not in case or name != "jitter, views":
        without = sums(case, data[:at])
        assert np.linalg.norm(whole - without, axis=1).max() <= BOUND * (1 + SLACK)
    for other, place in zip(case["others"], (7, at), strict=False):
        changed = [other(record) if here == place else record for here, record in enumerate(data)]
        moved = np.linalg.norm(whole - sums(case, changed), axis=1)
        assert moved.max() <= 2 * BOUND * (1 + SLACK)
    assert np.linalg.norm(whole, axis=1).min() > 0


@pytest.mark.parametrize("engine", ["bookkeeping", "vmapped", "looped", "opacus"])
def test_it_holds_for_every_engine(sums, engine):
    case, data = CASES["dense"], rows()
    data[7] = far(data[7], 1e6)
    without = [record for at, record in enumerate(data) if at != 7]
    moved = np.linalg.norm(sums(case, data, engine) - sums(case, without, engine), axis=1)
    assert 0 < moved.max() <= BOUND * (1 + SLACK)


# --- the augmentation that standardised by the batch -------------------------------------------


def standardised(x, g):
    return (x - x.mean(0)) / (x.std(0) + 1e-6)


def halved(x, g):
    return x - 0.5 * x.mean(0)


def outlying(n=200):
    data = rows(n)
    data[-1] = (torch.full((6,), 1e4), 0)
    return data


def direct(data, augment):
    """The clipped sum where an augmentation is given the batch, as most libraries do it."""
    torch.manual_seed(0)
    model = nn.Linear(6, 3)
    x, y = torch.stack([one for one, _ in data]), torch.tensor([label for _, label in data])
    engine = Closed(model, dict(model.named_parameters()), Objective.of("cross_entropy"))
    found = engine.clipped_sum(Batch(augment(x, None), y, len(data)), ClippingRule(BOUND))
    return np.concatenate([value.numpy().ravel() for value in found.sums.values()])


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("augment", [standardised, halved])
def test_an_outlier_reaches_nobody_through_the_augmentation(sums, augment, monkeypatch):
    """Given the batch, one outlier of 200 moves the sum by many bounds, and an epsilon of 1 would be none: the control.

    Here it is refused; and with the refusal out of the way, it has nothing to read the outlier from.
    """
    data = outlying()
    given_the_batch = np.linalg.norm(direct(data, augment) - direct(data[:-1], augment))
    assert given_the_batch > 8 * BOUND
    case = {"model": lambda: nn.Linear(6, 3), "augment": augment}
    with pytest.raises(UnsafePipeline, match="mixes the records"):
        sums(case, data)
    monkeypatch.setattr(check, "_refuse_mixing", lambda *_: None)
    if augment is halved:
        moved = np.linalg.norm(sums(case, data) - sums(case, data[:-1]), axis=1)
        assert moved.max() <= BOUND * (1 + SLACK)
