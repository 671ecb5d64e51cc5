"""Constants that are summaries of the records, and records that were scaled by their own, are refused; public ones are not."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from torch import nn

from privet.errors import UnsafePipeline
from privet.protect.train.gradients._derived_constants import refuse_derived
from privet.protect.train.gradients._reachable_state import ReachableState
from privet.protect.train.gradients._training_records import TrainingRecords

N = 90
X = torch.randn(N, 5, generator=torch.Generator().manual_seed(0)) * torch.arange(1, 6) + 2
Y = (X[:, 0] > 2.4).long()
IMAGES = torch.rand(N, 3, 4, 4, generator=torch.Generator().manual_seed(1))
COUNTS = torch.bincount(Y).double()


def look(root, data=(X, Y)):
    refuse_derived(ReachableState({"augment": root}, {}), TrainingRecords.of(data))


def using(constant):
    return lambda x, g: x - constant


DERIVED = {
    "mean": X.mean(0),
    "deviation": X.std(0),
    "deviation of NumPy": X.numpy().std(0),
    "variance": X.var(0).double(),
    "largest": X.amax(0),
    "median": X.median(0).values if N % 2 else X.double().quantile(0.5, 0),
    "mean of all": float(X.mean()),
    "mean as a list": X.mean(0).tolist(),
    "mean as a tuple": tuple(X.mean(0).tolist()),
    "balanced weights": N / 2 / COUNTS,
    "inverse shares": (N / COUNTS).tolist(),
    "log odds": float((COUNTS[1] / COUNTS[0]).log()),
    "the records": X,
    "some of their memory": X[3],
    "their memory in NumPy": X.numpy(),
    "a copy": X.clone(),
    "one entry each": list(range(N)),
    "columns of a copy": (3 * X).T.contiguous(),
    "a table of pandas": pd.DataFrame(X.numpy() * 3),
    "a table of Arrow": pa.table({"x": range(N)}),
}


@pytest.mark.parametrize("name", DERIVED)
def test_what_was_read_off_the_records_is_refused(name):
    with pytest.raises(UnsafePipeline):
        look(using(DERIVED[name]))


def test_channels_of_images_and_parts_of_a_model():
    with pytest.raises(UnsafePipeline, match="each channel"):
        look(using(IMAGES.mean((0, 2, 3))), (IMAGES, Y))
    model = nn.Linear(5, 2)
    with torch.no_grad():
        model.bias.copy_((COUNTS / N).log())
    with pytest.raises(UnsafePipeline, match="log share"):
        refuse_derived(
            ReachableState({"model": model}, dict(model.named_parameters())), TrainingRecords.of((X, Y))
        )


@pytest.mark.parametrize(
    "constant",
    [
        torch.zeros(5),
        torch.ones(5),
        torch.tensor([2.0] * 5),
        [0.1307],
        0.3081,
        np.arange(5.0),
        [1.0, 2.0],
        X.mean(0) + 0.01,
    ],
    ids=str,
)
def test_public_constants_are_not(constant):
    look(using(constant))


def test_plain_numbers_are_not_taken_for_summaries():
    """Balanced classes, columns of halves: whoever writes 0.5 has not read it off."""
    even = torch.tensor([[0.0, 1.0], [1.0, 0.0]]).repeat(N // 2, 1)
    labels = torch.arange(N) % 2
    look(using([0.5, 0.5]), (even, labels))
    look(using(0.5), (even, labels))


def test_columns_that_were_scaled_by_their_own_are_refused():
    scaled = (X - X.mean(0)) / X.std(0)
    with pytest.raises(UnsafePipeline, match="mean and deviation"):
        look(None, (scaled, Y))
    ends = (X - X.amin(0)) / (X.amax(0) - X.amin(0))
    with pytest.raises(UnsafePipeline, match="smallest and largest"):
        look(None, (ends, Y))
    look(None, ((X - 2) / 3, Y))
    signs = torch.tensor([[1.0, -1.0], [-1.0, 1.0]]).repeat(N // 2, 1)
    look(None, (signs, Y))


def test_rows_of_the_records_among_the_weights_are_refused():
    """Centres that begin at records: they would leave with the first step's noise on them, or none."""
    model = nn.Linear(5, 3)
    with torch.no_grad():
        model.weight[1].copy_(X[17])
    with pytest.raises(UnsafePipeline, match="holds the records"):
        refuse_derived(
            ReachableState({"model": model}, dict(model.named_parameters())), TrainingRecords.of((X, Y))
        )


def test_a_models_weights_may_have_as_many_rows_as_there_are_records():
    model = nn.Embedding(N, 3)
    refuse_derived(
        ReachableState({"model": model}, dict(model.named_parameters())), TrainingRecords.of((X, Y))
    )


def test_raw_records_that_a_stage_holds_are_refused():
    raw = [{"text": str(at)} for at in range(9)]

    def prepare(record):
        return torch.tensor([float(len(record["text"]))]), len(raw)

    records = TrainingRecords.of(raw, prepare)
    with pytest.raises(UnsafePipeline, match="holds the records"):
        refuse_derived(ReachableState({"prepare": prepare}, {}), records)
