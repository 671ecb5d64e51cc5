"""What a value is, whatever it is: equal contents, and what cannot be looked into."""

import array
import csv
import io
import queue
import random

import numpy as np
import pytest
import torch
from tests.protect.train.gradients.remembering_layer import Remembering
from torch import nn

from privet.errors import UnsafePipeline
from privet.protect.train.gradients._step_guard import StepGuard
from privet.protect.train.gradients._value_fingerprints import fingerprint, has_hidden_state, is_opaque, same


class Scripted(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.last = nn.Linear(3, 2), torch.zeros(3)

    def forward(self, x):
        out = self.layer(x + self.last)
        self.last = x.detach().sum(0)
        return out


OPAQUE = {
    "queue": queue.SimpleQueue,
    "scripted": lambda: torch.jit.script(Scripted()),
    "reader": lambda: csv.reader(io.StringIO("a")),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", OPAQUE)
def test_what_can_keep_records_where_nobody_can_look_is_refused(name):
    held = OPAQUE[name]()
    guard = StepGuard(nn.Linear(3, 2), {}, lambda out, y: (held, out)[1])
    with pytest.raises(UnsafePipeline, match="nobody can look"):
        guard.refuse_opaque()


def test_what_shows_itself_is_not_called_opaque():
    model = Remembering(lambda model, x: None)
    StepGuard(model, dict(model.layer.named_parameters()), print).refuse_opaque()


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1, True),
        (1, 1.0, False),
        (float("nan"), float("nan"), True),
        ([1, {"a": (2,)}], [1, {"a": (2,)}], True),
        ([1, {"a": (2,)}], [1, {"a": (3,)}], False),
        ({"a": 1}, {"b": 1}, False),
        (torch.tensor([1.0, float("nan")]), torch.tensor([1.0, float("nan")]), True),
        (torch.tensor([0.0]), torch.tensor([-0.0]), False),
        (torch.tensor([1.0]), torch.tensor([1.0], dtype=torch.float64), False),
        (torch.zeros(2, 3), torch.zeros(3, 2), False),
        (np.array([1, 2]), np.array([1, 2]), True),
        (np.array([1, 2]), np.array([1, 3]), False),
        (np.array([object()]), np.array([object()]), False),
        (object(), object(), False),
    ],
)
def test_equal_values_are_the_same_with_everything_in_them(one, other, equal):
    assert same(one, other) is equal


def test_contents_that_python_does_not_show_have_a_digest():
    dice = random.Random(1)
    held = [bytearray(b"a"), array.array("i", [1]), io.BytesIO(b"x"), torch.Generator(), dice, iter([1, 2])]
    before = [fingerprint(one) for one in held]
    assert all(before)
    held[0][0] = 7
    held[1][0] = 7
    held[2].write(b"secret")
    torch.rand(1, generator=held[3])
    dice.random()
    next(held[5])
    after = [fingerprint(one) for one in held]
    assert all(one != other for one, other in zip(before, after, strict=True))


def test_what_has_members_shows_them_and_what_has_not_keeps_them():
    assert not has_hidden_state([1])
    assert not has_hidden_state(torch.zeros(1))
    assert has_hidden_state(bytearray())
    assert has_hidden_state(random.Random())
    assert not is_opaque(bytearray(b"a")), "it has a digest"
    assert fingerprint(np.array([object()])) == b""
