"""What a model and its functions can reach: hooks, closures, globals that code names, and nothing inside libraries."""

from functools import partial

import torch
from torch import nn

from privet.protect.train.gradients._object_graph import ObjectGraph
from privet.protect.train.gradients._reachable_state import ReachableState

X = torch.arange(12.0).reshape(4, 3)
NAMED = {"a": [1.5]}
NOT_NAMED = {"b": [2.5]}


def loss(given, kept=(3.5,)):
    return given, NAMED["a"], kept


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


def test_code_of_libraries_is_not_looked_into_and_large_models_stay_cheap():
    layers = nn.Sequential(*(nn.TransformerEncoderLayer(8, 2, 16) for _ in range(6)))
    state = ReachableState({"model": layers}, dict(layers.named_parameters()))
    assert len(list(state.objects())) < 20_000
    assert state.changed(thorough=True) == []


def reached(graph, thing):
    return any(found is thing for found in graph.seen.values())


def test_globals_are_reached_where_code_names_them():
    graph = ObjectGraph({"loss": loss}, {})
    assert reached(graph, NAMED)
    assert reached(graph, NAMED["a"])
    assert not reached(graph, NOT_NAMED)
    assert ("the global", ["NAMED", "a", "b"]) not in graph.tuples
    assert [3.5] in [members for _, members in graph.tuples], "defaults"


def test_weights_are_seen_and_not_copied():
    model = nn.Linear(3, 2)
    weights = dict(model.named_parameters())
    graph = ObjectGraph({"model": model}, {"weight": weights["weight"]})
    assert {id(held) for _, held in graph.tensors} >= {id(weight) for weight in weights.values()}
    kept = [each.held for each in graph.numbers]
    assert any(held is weights["bias"] for held in kept)
    assert not any(held is weights["weight"] for held in kept)


def test_what_nobody_can_look_into_is_named():
    model = nn.Linear(3, 2)
    assert ObjectGraph({"model": model}, {}).opaque == []
    model.counter = (number for number in [1, 2])
    model.source = zip([1], [2], strict=True)
    graph = ObjectGraph({"model": model}, {})
    assert all("model" in where for where in graph.opaque)
