"""Whatever a model or a function can write a record to is found out, by name where it had one, and put back."""

import sys
import types
from functools import partial

import pytest
import torch
from tests.protect.train.gradients.remembering_layer import Remembering, in_closure
from torch import nn

from privet.protect.train.gradients._reachable_state import ReachableState

SEEN = []


LAST = None


X = torch.arange(12.0).reshape(4, 3)


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


def test_weights_may_move_and_equal_values_are_no_change():
    model = Remembering(lambda model, _: setattr(model, "table", {"last": None}))
    weights = dict(model.layer.named_parameters())
    state = ReachableState({"model": model}, weights)
    with torch.no_grad():
        model.layer.weight.add_(1)
        model(X)
    assert state.changed(thorough=True) == []


def test_a_cache_that_a_refused_try_filled_is_emptied():
    """Else a second try would begin with what the first one kept, and nothing would change any more."""
    model = Remembering(TRICKS["cache"][0])
    state = ReachableState({"model": model}, dict(model.layer.named_parameters()))
    model(X)
    state.put_back()
    assert model.cached.cache_info().currsize == 0
