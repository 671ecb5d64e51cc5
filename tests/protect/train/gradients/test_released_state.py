"""What leaves with a trained model is its noisy weights and what was there before; nothing that a record wrote."""

import copy
import pickle
import types

import pytest
import torch
from torch import nn

import privet as pv
from privet.errors import UnsafeModel
from privet.protect.train.gradients import Optimizer, StepSpeed, plan, train_model
from privet.protect.train.gradients._reachable_state import ReachableState
from privet.protect.train.gradients._released_state import Leaving

N = 40
X = torch.randn(N, 6, generator=torch.Generator().manual_seed(0))
Y = X[:, :3].argmax(1)
HEAP = types.SimpleNamespace(
    rows=[]
)  # what a file, a process or another language would be: out of the walk's reach


@pytest.fixture
def ledger(tmp_path):
    HEAP.rows.clear()
    with pv.Ledger(tmp_path / "a.ledger", limit=pv.ZeroConcentratedDP(50), unit=pv.Row()) as opened:
        yield opened


def fit(ledger, model, steps=3, **given):
    made = plan(model, pv.ZeroConcentratedDP(1), records=N, batch=N, steps=steps, sampling="full")
    return train_model(model, (X, Y), made, ledger=ledger, why="a test", **given)


class Keeping(nn.Module):
    """It keeps rows of larger batches only, which no small sample shows, and gives them away with its state."""

    def __init__(self, keep):
        super().__init__()
        self.layer, self.kept, self.keep = nn.Linear(6, 3), [], keep

    def forward(self, x):
        if len(x) > 8:
            self.keep(self, x.detach().clone())
        helping()
        return self.layer(x)


class ExtraState(Keeping):
    def get_extra_state(self):
        return {"kept": torch.cat(self.kept) if self.kept else torch.zeros(0)}

    def set_extra_state(self, state):
        pass


class Inheriting(Keeping):
    pass


def helping(*, x=None):
    del x


def write_weight(model, x):
    model.layer.weight.data[:, :] = x[:3]


WAYS = {
    "extra state": (ExtraState, lambda model, x: model.kept.append(x)),
    "attribute": (Keeping, lambda model, x: setattr(model, "last", x)),
    "unsaved buffer": (Keeping, lambda model, x: model.register_buffer("last", x, persistent=False)),
    "buffer": (Keeping, lambda model, x: model.register_buffer("last", x)),
    "frozen parameter": (
        Keeping,
        lambda model, x: model.register_parameter("last", nn.Parameter(x, requires_grad=False)),
    ),
    "gradient": (Keeping, lambda model, x: setattr(model.layer.weight, "grad", x[:3].clone())),
    "trained weight": (Keeping, write_weight),
    "attribute of a weight": (Keeping, lambda model, x: setattr(model.layer.weight, "last", x)),
    "class": (Keeping, lambda model, x: setattr(type(model), "last", x)),
    "another class": (
        Keeping,
        lambda model, x: setattr(model, "__class__", type("Keeping", (Keeping,), {"last": x})),
    ),
    "another class of a layer": (
        Keeping,
        lambda model, x: setattr(model.layer, "__class__", type("Linear", (nn.Linear,), {"last": x})),
    ),
    "another class of a weight": (
        Keeping,
        lambda model, x: setattr(
            model.layer.weight, "__class__", type("Parameter", (nn.Parameter,), {"last": x})
        ),
    ),
    "another base": (
        Inheriting,
        lambda model, x: setattr(Inheriting, "__bases__", (type("B", (Keeping,), {"last": x}),)),
    ),
    "another dictionary": (Keeping, lambda model, x: setattr(model, "__dict__", {**vars(model), "last": x})),
    "name of a class": (Keeping, lambda model, x: setattr(type(model), "__qualname__", str(x.tolist()))),
    "defaults of a function": (Keeping, lambda model, x: setattr(Keeping.forward, "__defaults__", (x,))),
    "keyword defaults of a function": (
        Keeping,
        lambda model, x: setattr(helping, "__kwdefaults__", {"x": x}),
    ),
    "code of a function": (
        Keeping,
        lambda model, x: setattr(
            helping, "__code__", helping.__code__.replace(co_consts=(None, str(x.tolist())))
        ),
    ),
}


@pytest.mark.parametrize("name", WAYS)
def test_rows_do_not_leave_beside_the_weights(ledger, name):
    kind, keep = WAYS[name]
    model = kind(keep)
    before = copy.deepcopy(model.state_dict())
    with pytest.raises(UnsafeModel, match="writes down something of the records"):
        fit(ledger, model)
    assert model.kept == []
    assert not hasattr(model, "last")
    assert model.layer.weight.grad is None
    assert not hasattr(model.layer, "last")
    assert not hasattr(model.layer.weight, "last")
    assert helping.__kwdefaults__ == {"x": None}
    assert "[" not in repr(model) + type(model).__qualname__
    now = model.state_dict()
    assert now.keys() == before.keys()
    for key in ("layer.weight", "layer.bias"):
        assert torch.equal(now[key], before[key])


def test_weights_are_written_by_noisy_sums_alone(ledger):
    """A write into a trained weight is refused before it moves; also one of the size of a rounding."""

    def nudge(model, x):
        model.layer.bias.data += 1e-6 * x.mean()

    model = Keeping(nudge)
    with pytest.raises(UnsafeModel, match=r"layer\.bias"):
        fit(ledger, model)


def test_what_the_state_tells_from_elsewhere_is_seen_at_the_end(ledger, monkeypatch):
    """The rows lie where the walk does not come; what would be saved has them all the same."""
    monkeypatch.setattr(ReachableState, "changed", lambda self, **_: [])
    model = ExtraState(lambda model, x: model.kept.append(x))
    with pytest.raises(UnsafeModel, match=r"more than its weights.*_extra_state"):
        fit(ledger, model)
    assert ledger.balance().spends == 1


def test_a_pickle_that_has_more_is_seen():
    class Pickled(nn.Linear):
        def __getstate__(self):
            return {**super().__getstate__(), "rows": list(HEAP.rows)}

    globals()["Pickled"] = Pickled
    Pickled.__qualname__ = "Pickled"
    model = Pickled(6, 3)
    leaving = Leaving(model, dict(model.named_parameters()))
    with torch.no_grad():
        model.weight.add_(1)
    leaving.refuse_more()
    HEAP.rows.append(3.0)
    with pytest.raises(UnsafeModel, match="'pickle'"):
        leaving.refuse_more()
    assert pickle.dumps(model)


def test_what_follows_from_the_weights_may_leave():
    class Fused(nn.Linear):
        def state_dict(self, *args, **kwargs):
            return {**super().state_dict(*args, **kwargs), "fused": self.weight.norm() * 2}

    model = Fused(6, 3)
    leaving = Leaving(model, dict(model.named_parameters()))
    with torch.no_grad():
        model.weight.mul_(3)
    leaving.refuse_more()


@pytest.mark.parametrize("engine", ["auto", "bookkeeping", "vmapped", "looped", "opacus"])
def test_no_engine_leaves_anything_behind(ledger, engine):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.1), nn.LayerNorm(8), nn.Linear(8, 3))
    state = ReachableState({"model": model}, dict(model.named_parameters()))
    fit(ledger, model, speed=StepSpeed(engine=engine), optimizer=Optimizer("adam", rate=0.01))
    assert state.changed(thorough=True) == []


def test_a_recurrent_model_has_its_own_weights_again(ledger):
    """Mapping lends a recurrent layer other tensors, of which it keeps a list."""

    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell, self.head = nn.LSTM(3, 4, 2, dropout=0.1, batch_first=True), nn.Linear(4, 3)

        def forward(self, x):
            return self.head(self.cell(x.view(-1, 2, 3))[0][:, -1])

    model = Recurrent()
    assert fit(ledger, model).engine == "vmapped"
    own = list(model.cell.parameters())
    assert all(kept is weight for kept, weight in zip(model.cell._flat_weights, own, strict=True))
    model(X).sum().backward()
    assert own[0].grad is not None


def test_a_partial_function_that_somebody_looked_into_is_the_same(ledger) -> None:
    """Looking gives it an empty dictionary; something in that dictionary is seen."""
    import functools

    model = nn.Sequential(nn.Linear(6, 3))
    model.act = functools.partial(torch.nn.functional.gelu, approximate="tanh")
    before = Leaving(model, dict(model.named_parameters()))
    assert model.act.__dict__ == {}
    before.refuse_more()
    model.act.kept = 1
    with pytest.raises(UnsafeModel):
        before.refuse_more()
