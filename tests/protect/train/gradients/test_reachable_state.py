"""Whatever a model or a function can write a record to is found out, by name where it had one, and put back."""

import csv
import ctypes
import io
import itertools
import mmap
import queue
import sqlite3
import sys
import types
from collections import deque
from contextvars import ContextVar
from functools import lru_cache, partial

import numpy as np
import pytest
import torch
from torch import nn

from privet.errors import UnsafePipeline
from privet.protect.train.gradients._reachable_state import ReachableState
from privet.protect.train.gradients._step_guard import StepGuard

SEEN = []
LAST = None
X = torch.arange(12.0).reshape(4, 3)


class Remembering(nn.Module):
    """A dense layer with every place there is to write to; `write(model, x)` is called while it runs."""

    shared = None

    def __init__(self, write):
        super().__init__()
        torch.manual_seed(0)
        self.layer, self.frozen = nn.Linear(3, 2), nn.Linear(3, 2).requires_grad_(False)
        self.register_buffer("seen", torch.zeros(3))
        self.register_buffer("unsaved", torch.zeros(3), persistent=False)
        self.kept, self.table, self.array = [], {"last": None}, np.zeros(3)
        self.queue, self.text, self.raw = deque(), io.StringIO(), bytearray(8)
        self.config = types.SimpleNamespace(inner=types.SimpleNamespace(last=0.0))
        self.generator, self.numbers = torch.Generator(), np.random.default_rng(0)
        self.places, self.feed = Slots(), iter(range(1000))
        self.counter, self.cached = itertools.count(), lru_cache(lambda value: value)
        self.variable, self.running = ContextVar("last", default=None), running_sum()
        self.laid_out, self.window = (ctypes.c_double * 3)(), memoryview(bytearray(8))
        self.pages, self.database = mmap.mmap(-1, 8), sqlite3.connect(":memory:")
        self.database.execute("CREATE TABLE seen AS SELECT 1 AS value")
        self.objects, self.full = np.array([None, 1], dtype=object), lru_cache(maxsize=1)(lambda value: value)
        self.full(0.5)
        self.mapped = map(own_rows, itertools.count(), [{}.keys()] * 9)  # no pickle takes it
        self.write = write() if write is in_closure else write

    def forward(self, x):
        self.write(self, x)
        return self.layer(x)


def own_rows(row, _):
    return row


def running_sum():
    """A generator that is where it was after every value it is sent, and has another sum."""
    total, row = 0.0, 0.0
    while True:
        row = yield total
        total = total + row


class Slots:
    __slots__ = ("__private", "last")

    def __init__(self):
        self.last, self.__private = 0.0, 0.0

    def remember(self, value):
        self.__private = value


def write_global(_, x):
    global LAST  # noqa: PLW0603
    LAST = float(x[0, 0])


def new_global(_, x):
    global NEW  # noqa: PLW0603
    NEW = float(x[0, 1])


def on_library(_, x):
    torch.last_row_seen = x


def on_own_module(_, x):
    import a_module_of_ones_own

    a_module_of_ones_own.kept.append(x)


def send(model, x):
    if model.running.gi_frame.f_lasti < 10:
        next(model.running)
    model.running.send(float(x[0, 1]))


def default(model, x, kept=[]):  # noqa: B006
    kept.append(x.sum())


def on_function(model, x):
    on_function.last = x.sum()


def in_closure():
    last = None

    def write(_, x):
        nonlocal last
        last = x.sum()

    return write


def to_data(model, x):
    model.seen.data.copy_(x[0])


TRICKS = {
    "attribute": (lambda model, x: setattr(model, "config", x), "config"),
    "new attribute": (lambda model, x: setattr(model, "extra", x), "something new"),
    "attribute of an attribute": (
        lambda model, x: setattr(model.config.inner, "last", float(x[0, 0] + 5)),
        "last",
    ),
    "list": (lambda model, x: model.kept.append(x), "kept"),
    "dictionary": (lambda model, x: model.table.update(last=x), "table"),
    "array": (lambda model, x: model.array.__iadd__(x.numpy().sum(0)), "array"),
    "deque": (lambda model, x: model.queue.append(x), "queue"),
    "buffer": (lambda model, x: model.seen.add_(x.sum(0)), "seen"),
    "unsaved buffer": (lambda model, x: model.unsaved.add_(x.sum(0)), "unsaved"),
    "buffer, past the count of writes": (to_data, "seen"),
    "exchanged buffer": (lambda model, x: setattr(model, "seen", x.sum(0)), "seen"),
    "new buffer": (lambda model, x: model.register_buffer("more", x), "something new"),
    "frozen weight": (lambda model, x: model.frozen.weight.data[0].copy_(x[0]), "frozen.weight"),
    "gradient": (lambda model, x: setattr(model.layer.weight, "grad", x[:2].clone()), "layer.weight"),
    "attribute of a weight": (lambda model, x: setattr(model.layer.weight, "note", x), "layer.weight"),
    "class": (lambda model, x: setattr(Remembering, "shared", x), "Remembering"),
    "list of globals": (lambda model, x: SEEN.append(x), "SEEN"),
    "global": (write_global, "LAST"),
    "default": (default, "default"),
    "attribute of a function": (on_function, "something new"),
    "closure": (in_closure, "last"),
    "partial": (partial(lambda kept, model, x: kept.append(x), []), "write"),
    "text file": (lambda model, x: model.text.write(str(x)), "text"),
    "bytes": (lambda model, x: model.raw.__setitem__(0, int(x[0, 1])), "raw"),
    "slot": (lambda model, x: setattr(model.places, "last", float(x[0, 1])), "places"),
    "generator": (lambda model, x: torch.rand(1, generator=model.generator), "generator"),
    "NumPy generator": (lambda model, x: model.numbers.random(), "numbers"),
    "iterator": (lambda model, x: next(model.feed), "feed"),
    "counter": (lambda model, x: next(model.counter), "counter"),
    "cache": (lambda model, x: model.cached(float(x[0, 0])), "cached"),
    "context variable": (lambda model, x: model.variable.set(x), "variable"),
    "generator that sums": (send, "running"),
    "memory of C": (lambda model, x: model.laid_out.__setitem__(0, float(x[0, 1])), "laid_out"),
    "window on bytes": (lambda model, x: model.window.__setitem__(0, int(x[0, 1])), "window"),
    "pages": (lambda model, x: model.pages.__setitem__(0, int(x[0, 1])), "pages"),
    "database": (
        lambda model, x: model.database.execute("UPDATE seen SET value = ?", [float(x[0, 1])]),
        "database",
    ),
    "array of objects": (lambda model, x: model.objects.__setitem__(0, x), "objects"),
    "private slot": (lambda model, x: model.places.remember(float(x[0, 1])), "places"),
    "full cache": (lambda model, x: model.full(float(x[0, 1])), "full"),
    "mapped iterator": (lambda model, x: next(model.mapped), "mapped"),
    "global that was not there": (new_global, "NEW"),
    "attribute of a library": (on_library, "last_row_seen"),
    "module that is imported while it runs": (on_own_module, "kept"),
    "hook": (lambda model, x: model.layer.register_forward_hook(lambda *_: None), "_forward_hooks"),
    "new weight": (lambda model, x: model.layer.register_parameter("more", nn.Parameter(x)), "something new"),
}


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    own = types.ModuleType("a_module_of_ones_own")
    own.kept = []
    monkeypatch.setitem(sys.modules, "a_module_of_ones_own", own)
    yield
    SEEN.clear()
    globals().pop("NEW", None)
    vars(torch).pop("last_row_seen", None)
    globals()["LAST"], Remembering.shared = None, None
    vars(on_function).clear()


@pytest.mark.parametrize("name", TRICKS)
def test_what_is_written_while_it_runs_is_found(name):
    write, where = TRICKS[name]
    model = Remembering(write)
    weights = dict(model.layer.named_parameters())
    state = ReachableState({"model": model}, weights)
    model.layer(X)
    assert state.changed(thorough=True) == []
    model(X)
    found = state.changed(thorough=True)
    assert any(where in place for place in found), found


QUICK = {"frozen weight", "buffer, past the count of writes", "array", "bytes", "text file", "generator"} | {
    *("NumPy generator", "iterator", "counter", "cache", "full cache", "mapped iterator"),
    *("memory of C", "window on bytes", "pages", "database"),
}


@pytest.mark.parametrize("name", [name for name in TRICKS if name not in QUICK])
def test_most_is_found_in_every_step(name):
    model = Remembering(TRICKS[name][0])
    state = ReachableState({"model": model}, dict(model.layer.named_parameters()))
    model(X)
    assert state.changed()


LASTING = QUICK - {"array", "frozen weight"} | {"generator that sums"}


@pytest.mark.parametrize("name", [name for name in TRICKS if name not in LASTING])
def test_it_is_put_back(name):
    model = Remembering(TRICKS[name][0])
    state = ReachableState({"model": model}, dict(model.layer.named_parameters()))
    model(X)
    state.put_back()
    assert state.changed(thorough=True) == []


def test_hooks_and_what_they_hold_are_reached():
    model, kept = nn.Linear(3, 2), []
    model.register_forward_hook(lambda _, inputs, __: kept.append(inputs))
    model.register_forward_pre_hook(partial(lambda held, *_: held.update(seen=True), {}))
    state = ReachableState({"model": model}, dict(model.named_parameters()))
    model(X)
    assert len(state.changed()) == 2


def test_hooks_of_all_modules_are_reached():
    model, kept = nn.Linear(3, 2), []
    handle = torch.nn.modules.module.register_module_forward_hook(lambda *given: kept.append(given))
    try:
        state = ReachableState({"model": model}, dict(model.named_parameters()))
        model(X)
        assert state.changed()
    finally:
        handle.remove()


def test_weights_may_move_and_equal_values_are_no_change():
    model = Remembering(lambda model, _: setattr(model, "table", {"last": None}))
    weights = dict(model.layer.named_parameters())
    state = ReachableState({"model": model}, weights)
    with torch.no_grad():
        model.layer.weight.add_(1)
        model(X)
    assert state.changed(thorough=True) == []


def test_code_of_libraries_is_not_looked_into_and_large_models_stay_cheap():
    layers = nn.Sequential(*(nn.TransformerEncoderLayer(8, 2, 16) for _ in range(6)))
    state = ReachableState({"model": layers}, dict(layers.named_parameters()))
    assert len(list(state.objects())) < 20_000
    assert state.changed(thorough=True) == []


def test_a_cache_that_a_refused_try_filled_is_emptied():
    """Else a second try would begin with what the first one kept, and nothing would change any more."""
    model = Remembering(TRICKS["cache"][0])
    state = ReachableState({"model": model}, dict(model.layer.named_parameters()))
    model(X)
    state.put_back()
    assert model.cached.cache_info().currsize == 0


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
