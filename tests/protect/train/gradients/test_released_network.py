"""A network that leaves: saved without code, loaded into an architecture, asked and attacked."""

import hashlib
import pickle

import numpy as np
import pyarrow as pa
import pytest
import torch
from tests.protect.train.gradients.networks import CLASSES, read, saved, trained, written
from tests.protect.train.gradients.runs import N, data, net, planned
from torch import nn

import privet as pv
from privet.errors import BadModel, FileProblem, RecordTooDeep
from privet.protect.train.gradients import ReleasedNetwork
from privet.protect.train.gradients._released_network import state_of


def test_a_folder_comes_back_as_it_was(tmp_path):
    folder = saved(tmp_path / "n")
    assert sorted(path.name for path in folder.iterdir()) == ["card.md", "model.json", "model.safetensors"]
    loaded = ReleasedNetwork.load(folder, net)
    x, _ = data()
    assert np.array_equal(loaded.scores(x), trained().released().scores(x))
    assert not loaded.module.training
    assert set(loaded.predict(x)) <= set(CLASSES)
    assert loaded.predict_proba(x).sum(1) == pytest.approx(np.ones(N))
    assert loaded.promise == trained().plan.promise
    for shown in (str(loaded), loaded._repr_html_(), loaded.card()):
        assert "Claimed" in shown
    assert np.array_equal(trained().predict(x), trained().released().predict(x))
    saved(folder)  # a model is replaced
    with pytest.raises(FileProblem):
        saved(tmp_path)


def test_loading_leaves_the_dice_of_torch_alone(tmp_path):
    folder = saved(tmp_path / "n")
    before = torch.get_rng_state()
    ReleasedNetwork.load(folder, net)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: nn.Sequential(nn.Linear(6, 9), nn.Tanh(), nn.Linear(9, 3)), "0.weight is F32"),
        (lambda: net().double(), "0.bias is F32"),
        (lambda: nn.Sequential(nn.Linear(6, 8)), "2.bias is not in the architecture"),
        (lambda: nn.Sequential(*net(), nn.Linear(3, 3)), "3.bias is not in the folder"),
        (lambda: "net", "no torch.nn.Module"),
        (nn.Linear, "without arguments"),
        (net(), "a class or a function"),
    ],
)
def test_another_architecture_is_refused(tmp_path, wrong, said):
    with pytest.raises(BadModel, match=said):
        ReleasedNetwork.load(saved(tmp_path / "n"), wrong)


def test_weights_larger_than_the_architecture_are_not_read(tmp_path):
    folder = saved(tmp_path / "n")
    with (folder / "model.safetensors").open("r+b") as file:
        file.truncate(2**42)  # a hole, which takes no room on disk and all of it in memory
    with pytest.raises(RecordTooDeep, match="larger than any"):
        ReleasedNetwork.load(folder, net)


def test_a_pickle_in_the_place_of_weights_is_not_opened(tmp_path):
    class Bomb:
        def __reduce__(self):
            return print, ("opened",)

    folder = saved(tmp_path / "n")
    record = read(folder)
    content = pickle.dumps(Bomb())
    (folder / "model.safetensors").write_bytes(content)
    written(folder, {**record, "weights": hashlib.sha256(content).hexdigest()})
    with pytest.raises(BadModel, match="not a safetensors file"):
        ReleasedNetwork.load(folder, net)


def test_an_architecture_that_keeps_something_else_is_refused(tmp_path):
    def tied():
        made = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))
        made[2].bias = nn.Parameter(made[0].bias.detach()[:3])  # the same memory as the other bias
        return made

    with pytest.raises(BadModel, match="does not keep the values"):
        ReleasedNetwork.load(saved(tmp_path / "n"), tied)


def test_what_was_not_trained_may_be_brought_along(tmp_path, ledger):
    def half():
        made = net()
        made[0].requires_grad_(requires_grad=False)
        return made

    model = half()
    made = pv.train_model(model, data(), planned(model), ledger=ledger, why="head")
    whole, part = made.save(tmp_path / "whole"), made.save(tmp_path / "part", only_trained=True)
    x, _ = data()
    for folder in (whole, part):
        assert np.array_equal(ReleasedNetwork.load(folder, half).scores(x), made.released().scores(x))

    def other():
        made = half()
        with torch.no_grad():
            made[0].weight[0, 0] += 1e-6
        return made

    ReleasedNetwork.load(whole, other)
    with pytest.raises(BadModel, match=r"0\.weight, which comes with the architecture, has other values"):
        ReleasedNetwork.load(part, other)


def test_state_that_is_no_tensor_is_not_kept():
    class Remembers(nn.Linear):
        def get_extra_state(self):
            return {"anything": print}

    with pytest.raises(BadModel, match="not a plain tensor"):
        state_of(Remembers(2, 2))


def test_inputs_of_every_kind_and_what_does_not_fit():
    network = trained().released(classes=CLASSES, columns=[f"x{j}" for j in range(6)])
    x, _ = data()
    wanted = network.scores(x)
    table = pa.table({f"x{j}": x[:, j].double().numpy() for j in range(6)} | {"ward": ["icu"] * N})
    for given in (x.numpy(), x.double().numpy(), x.tolist(), table, table.to_pandas()):
        assert network.scores(given) == pytest.approx(wanted, abs=1e-6)
    assert network.scores(x[:0]).shape[0] == 0
    for wrong in (
        x[:, :5],
        torch.tensor(1.0),
        "rows",
        table.drop(["x3"]),
        table.set_column(0, "x0", [["a"] * N]),
    ):
        with pytest.raises(BadModel):
            network.scores(wrong)


def test_losses_say_what_outputs_mean(ledger):
    x, y = data()
    model = nn.Linear(6, 1)
    logistic = pv.train_model(
        model, (x, (y > 0).float()), planned(model), ledger=ledger, why="w", loss="logistic"
    ).released(classes=("no", "yes"))
    shares = logistic.predict_proba(x)
    assert shares.shape == (N, 2)
    assert (logistic.predict(x) == np.where(shares[:, 1] > 0.5, "yes", "no")).all()
    model = nn.Linear(6, 1)
    number = pv.train_model(
        model, (x, x[:, :1]), planned(model), ledger=ledger, why="w", loss="squared"
    ).released()
    assert np.array_equal(number.predict(x), number.scores(x))
    with pytest.raises(BadModel, match="no probabilities"):
        number.predict_proba(x)


def test_it_is_attacked_as_models_of_tables_are(tmp_path):
    network = ReleasedNetwork.load(saved(tmp_path / "n"), net)
    members, control = data(), data(seed=1)
    report = pv.attack(network, members=members, control=control)
    names = {one.attack for one in report}
    assert {"membership-loss", "membership-confidence", "inversion-gradient"} <= names
    assert all(one.promise == network.promise for one in report)
    named = (members[0].numpy(), np.array(CLASSES)[members[1].numpy()])
    other = (control[0].numpy(), np.array(CLASSES)[control[1].numpy()])
    again = pv.attack(network, members=named, control=other, attacks=["membership-loss"])
    of_run = pv.attack(trained(), members=members, control=control, attacks=["membership-loss"])
    values = [
        next(one.success.value for one in found if one.attack == "membership-loss")
        for found in (report, again, of_run)
    ]
    assert values[0] == pytest.approx(values[1]) == pytest.approx(values[2])
