"""Language models of every kind that is offered: clipped sums are those of single texts, whatever else is in the batch."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from tests.protect.train.gradients.clipping.architectures import (
    ARCHITECTURES,
    EXAMPLES,
    FAR_TOO_LARGE,
    GHOST,
    LANGUAGE,
    NOT_A_NUMBER,
    WRITTEN_OUT,
    made,
    texts,
    with_outliers,
)

from privet.protect.train.gradients._clipped_steps import ClippedSteps
from privet.protect.train.gradients._record_pipeline import Pipeline
from privet.protect.train.gradients._self_check import SAMPLE, checked_engine
from privet.protect.train.gradients._training_records import TrainingRecords
from privet.protect.train.gradients.clipping import Bookkeeping, ClippingRule, Looped

pytest.importorskip("transformers")
pytest.importorskip("peft")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
EXACT = 1e-5


def assert_equal(found, truth):
    """Relative to the whole sum, and to each norm."""
    torch.testing.assert_close(found.norms, truth.norms, rtol=EXACT, atol=1e-9, equal_nan=True)
    torch.testing.assert_close(found.losses, truth.losses, rtol=EXACT, atol=1e-6, equal_nan=True)
    assert found.sums.keys() == truth.sums.keys()
    length = torch.stack([value.norm() for value in truth.sums.values()]).norm()
    apart = torch.stack([(found.sums[name] - value).norm() for name, value in truth.sums.items()]).norm()
    assert float(apart) <= EXACT * float(length)
    assert float(length) > 0


@pytest.mark.parametrize("size", [WRITTEN_OUT, GHOST], ids=["written out", "ghost"])
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_sums_are_those_of_single_texts_beside_outliers_too(name, size):
    model, trained = made(name, size)
    single, engine = Looped(model, trained, LANGUAGE), Bookkeeping(model, trained, LANGUAGE)
    usual = texts(size)
    bound = 0.7 * float(single.clipped_sum(usual, ClippingRule(1.0)).norms.median())
    for rule in (ClippingRule(bound), ClippingRule(bound, normalised=True), ClippingRule(float("inf"))):
        assert_equal(engine.clipped_sum(usual, rule), single.clipped_sum(usual, rule))
    rule, odd = ClippingRule(bound), with_outliers(usual)
    found = engine.clipped_sum(odd, rule)
    assert_equal(found, single.clipped_sum(odd, rule))
    assert torch.isnan(found.norms[NOT_A_NUMBER])
    assert float(found.norms[FAR_TOO_LARGE]) > 1e5 * bound
    assert float(torch.stack([value.norm() for value in found.sums.values()]).norm()) <= EXAMPLES * bound


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_book_keeping_is_what_they_are_given_by_themselves(name):
    model, trained = made(name)
    model.train()
    assert checked_engine(model, trained, LANGUAGE, texts(examples=SAMPLE), "auto").name == "bookkeeping"


@pytest.mark.parametrize("name", ["Llama: tied, SwiGLU", "GPT-2: tied", "LoRA of Gemma 3"])
def test_a_step_of_nobody_sums_to_zeros_and_pieces_add_up(name):
    model, trained = made(name)
    batch = texts(examples=12)
    pipeline = Pipeline(TrainingRecords.of((batch.inputs, batch.targets)), None, 1, torch.device("cpu"))
    engine = Bookkeeping(model, trained, LANGUAGE)
    steps = ClippedSteps(model, trained, LANGUAGE, pipeline, engine, 4, False)
    rule = ClippingRule(0.1)

    def drawn(*texts):
        return SimpleNamespace(mask=lambda size: np.isin(np.arange(size), texts), number=lambda: 1, index=0)

    nobody, count = steps.sums(drawn(), rule)
    assert count == 0
    assert {key: value.shape for key, value in nobody.sums.items()} == {
        key: value.shape for key, value in trained.items()
    }
    assert not any(value.any() for value in nobody.sums.values())
    found, count = steps.sums(drawn(*range(1, 12)), rule)
    assert count == 11
    truth = Looped(model, trained, LANGUAGE).clipped_sum(batch.part(1, 12), rule)
    assert_equal(found, truth)
