"""What PyTorch ships trains as it comes, dropout and all; what cannot be private is refused for the reason that is true."""

import pytest
import torch
from torch import nn

import privet as pv
from privet.errors import UnsafeModel
from privet.protect.train.gradients import plan, train_model

N = 16
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture
def ledger(tmp_path):
    with pv.Ledger(tmp_path / "a.ledger", limit=pv.ZeroConcentratedDP(50), unit=pv.Row()) as opened:
        yield opened


class Headed(nn.Module):
    """A body, pooled over positions, and a dense layer."""

    def __init__(self, body, width=8):
        super().__init__()
        self.body, self.head = body, nn.Linear(width, 3)

    def forward(self, x):
        h = self.body(x)
        h = h[0] if isinstance(h, tuple) else h
        return self.head(h.flatten(2).mean(1) if h.dim() > 2 else h)


class Attending(nn.Module):
    def __init__(self, **given):
        super().__init__()
        self.mix = nn.MultiheadAttention(8, 2, dropout=0.1, **given)

    def forward(self, x):
        return self.mix(x, x, x)[0]


class Decoding(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)

    def forward(self, x):
        return self.layer(x, x.flip(1))


def images(*layers):
    return nn.Sequential(nn.Conv2d(3, 4, 3), *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 3))


def dense(*layers):
    return nn.Sequential(nn.Linear(6, 8), *layers, nn.Linear(8, 3))


def bert():
    from transformers import BertConfig, BertForSequenceClassification

    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = BertConfig(**sizes, vocab_size=23, max_position_embeddings=9, num_labels=3)
    return BertForSequenceClassification(config).train()


def data(kind):
    draw = torch.Generator().manual_seed(0)
    x = {
        "vectors": lambda: torch.randn(N, 6, generator=draw),
        "sequences": lambda: torch.randn(N, 7, 8, generator=draw),
        "images": lambda: torch.randn(N, 3, 8, 8, generator=draw),
        "tokens": lambda: torch.randint(1, 23, (N, 7), generator=draw),
        "masked": lambda: {
            "input_ids": torch.randint(1, 23, (N, 7), generator=draw),
            "attention_mask": (torch.arange(7) < torch.arange(N).unsqueeze(1) % 5 + 2).long(),
        },
    }[kind]()
    return x, torch.arange(N) % 3


def fit(ledger, model, kind):
    made = plan(model, pv.ZeroConcentratedDP(1), records=N, batch=N, steps=4, sampling="full")
    return train_model(model, data(kind), made, ledger=ledger, why="a test")


TAKEN = {
    "dropout": (lambda: dense(nn.ReLU(), nn.Dropout()), "vectors"),
    "alpha dropout": (lambda: dense(nn.SELU(), nn.AlphaDropout(0.2)), "vectors"),
    "random slopes": (lambda: dense(nn.RReLU()), "vectors"),
    "group norm": (lambda: images(nn.GroupNorm(2, 4), nn.ReLU()), "images"),
    "instance norm": (lambda: images(nn.InstanceNorm2d(4, affine=True)), "images"),
    "frozen batch norm": (lambda: images(nn.BatchNorm2d(4).eval()), "images"),
    "dropout of channels": (lambda: images(nn.Dropout2d(0.3)), "images"),
    "LSTM": (lambda: Headed(nn.LSTM(8, 8, batch_first=True)), "sequences"),
    "LSTM of two layers, with dropout": (
        lambda: Headed(nn.LSTM(8, 8, 2, dropout=0.1, batch_first=True)),
        "sequences",
    ),
    "GRU, both ways, with dropout": (
        lambda: Headed(nn.GRU(8, 4, 2, dropout=0.1, bidirectional=True, batch_first=True)),
        "sequences",
    ),
    "attention": (lambda: Headed(Attending(batch_first=True)), "sequences"),
    "encoder layer": (lambda: Headed(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)), "sequences"),
    "decoder layer": (lambda: Headed(Decoding()), "sequences"),
    "embedding": (lambda: Headed(nn.Embedding(23, 8)), "tokens"),
    "bag of embeddings": (lambda: Headed(nn.EmbeddingBag(23, 8)), "tokens"),
    "weight norm": (
        lambda: nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(6, 8)), nn.Linear(8, 3)),
        "vectors",
    ),
    "spectral norm, fixed": (
        lambda: nn.Sequential(
            nn.utils.parametrizations.spectral_norm(nn.Linear(6, 8)), nn.Linear(8, 3)
        ).eval(),
        "vectors",
    ),
    "BERT with masks": (bert, "masked"),
}


@pytest.mark.parametrize("name", TAKEN)
def test_stock_layers_train(ledger, name):
    make, kind = TAKEN[name]
    torch.manual_seed(0)
    assert len(fit(ledger, make(), kind).progress) == 4


REFUSED = {
    "batch norm": (lambda: images(nn.BatchNorm2d(4)), "images", r"batch normalisation.*'1'", "GroupNorm"),
    "instance norm that learns": (
        lambda: images(nn.InstanceNorm2d(4, track_running_stats=True)),
        "images",
        r"writes down something of the records.*1\.running_mean",
        "running statistics",
    ),
    "spectral norm": (
        lambda: nn.Sequential(nn.utils.parametrizations.spectral_norm(nn.Linear(6, 8)), nn.Linear(8, 3)),
        "vectors",
        "whatever the records are",
        "evaluation mode",
    ),
    "embedding that rescales what it looks up": (
        lambda: Headed(nn.Embedding(23, 8, max_norm=0.1)),
        "tokens",
        r"writes down something of the records.*body\.weight",
        "max_norm",
    ),
    "sequence first": (
        lambda: Headed(nn.TransformerEncoderLayer(8, 2, 16)),
        "sequences",
        r"'body\.self_attn' \(MultiheadAttention\) mixes",
        "batch_first=True",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_private_is_refused_for_its_own_reason(ledger, name):
    make, kind, fact, hint = REFUSED[name]
    torch.manual_seed(0)
    with pytest.raises(UnsafeModel, match=fact) as refusal:
        fit(ledger, make(), kind)
    assert hint in refusal.value.hint
    assert ledger.balance().spends == 0
