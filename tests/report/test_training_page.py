"""The page of a training: what it shows, to whom, and that nothing of it is in the model."""

import copy
import pickle

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.errors import SealBroken
from privet.protect.train.gradients._training_progress import OwnerView, Progress
from privet.report._training_page import training_page

SCHEMA = {
    "x": {"kind": "number", "lower": 0, "upper": 10},
    "y": {"kind": "category", "values": ["no", "yes"]},
}


def told(steps=40):
    log = pv.TrainingLog("a <b>model</b>")
    for step in range(1, steps + 1):
        log.progress(Progress(step, steps, step / steps, 0.1, 1.0, 2.0 / step))
        log.owner(OwnerView(step, 100, 1.0 / step, 0.25, 0))
    return log


@pytest.mark.parametrize(
    ("model", "unit"),
    [("linear", pv.Row()), ("linear", pv.Person("who", max_rows=3)), ("mlp", pv.Row())],
    ids=["linear", "linear-person", "mlp"],
)
def test_a_training_tells_its_diary_and_not_its_model(tmp_path, model, unit):
    x = np.random.default_rng(0).uniform(0, 10, 600)
    table = pa.table({"x": x, "y": np.where(x > 5, "yes", "no"), "who": np.arange(600) // 3})
    promise, log = pv.ApproxDP(2, "1e-4"), pv.TrainingLog()
    with pv.Ledger(tmp_path / "book", limit=promise) as ledger:
        made = pv.train(
            pv.open_table(table, unit=unit), promise, target="y", ledger=ledger, schema=SCHEMA, records=600,
            model=model, log=log,
        )  # fmt: skip
    steps = made.fitted.settings["steps"]
    assert (
        [seen.step for seen in log.public] == [seen.step for seen in log.views] == list(range(1, steps + 1))
    )
    spent = [seen.epsilon for seen in log.public]
    assert spent == sorted(spent)
    assert spent[-1] == pytest.approx(2, abs=0.01)
    assert log.views[-1].loss < log.views[0].loss
    assert log.views[0].loss == pytest.approx(np.log(2), abs=0.2 if model == "linear" else 2)
    assert all(0 <= seen.clipped_share <= 1 for seen in log.views)
    made.save(tmp_path / "model")
    text = "".join(path.read_text(errors="replace") for path in (tmp_path / "model").iterdir())
    assert "loss" not in text
    assert "clipped" not in text
    page = training_page(log)
    for part in ("Learning curve", "Clipped share", "Signal to noise", "Epsilon over time"):
        assert part in page


def test_the_page_says_whom_it_is_for():
    log = told()
    log.measure({"auroc": 0.81, "rows": 100.0}, {"auroc": 0.87, "rows": 100.0})
    page = training_page(log)
    assert "For the owner alone" in page
    assert page.count("owner only") >= 3
    assert "non-private twin" in page
    assert "0.87" in page
    assert "<script" not in page
    assert "<b>model</b>" not in page
    assert "non-private twin" not in training_page(told())


def test_a_learner_without_steps_still_has_a_page():
    assert "fitted at once" in training_page(pv.TrainingLog())


def test_it_is_written_whole(tmp_path):
    place = pv.save_training_page(told(), tmp_path / "page.html")
    assert place.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_diary_tells_nothing_by_accident():
    log = told()
    assert repr(log) == "<log of 40 steps, for the owner alone>"
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(SealBroken):
            copied(log)


def test_networks_tell_it_too(tmp_path):
    torch = pytest.importorskip("torch")
    from privet.protect.train.gradients._train_model import train_model
    from privet.protect.train.gradients._training_plan import plan

    torch.manual_seed(0)
    x = torch.rand(200, 3)
    model, log = torch.nn.Linear(3, 2), pv.TrainingLog("a network")
    promise = pv.ApproxDP(3, "1e-4")
    made = plan(model, promise, records=200, batch=50, steps=12, clipping=1.0)
    with pv.Ledger(tmp_path / "book", limit=promise) as ledger:
        train_model(
            model, (x, (x[:, 0] > 0.5).long()), made, ledger=ledger, why="a test",
            progress=log.progress, owner=log.owner,
        )  # fmt: skip
    page = training_page(log)
    assert len(log.views) == len(log.public) == 12
    assert "How a network was trained" in page
    assert "Learning curve" in page
