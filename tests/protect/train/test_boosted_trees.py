"""Boosted trees: what is booked, what one unit moves, and what is found where columns matter together."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.artifact import Features, ModelTarget, NumberColumn
from privet.errors import BadTraining
from privet.guarantee import Gaussian, Repeated, SealedPlan
from privet.mechanism import _gradient_noise as gradient_noise
from privet.protect.train._boosted_trees import ALONE, COUNTS, MOST, TOGETHER, TREES, TreeLearner
from privet.protect.train.tabular._learner_registry import Task

COLUMNS = 6
STEPS = COUNTS + ALONE + TOGETHER + TREES
SCHEMA = {f"x{at}": {"kind": "number", "lower": -5, "upper": 5} for at in range(COLUMNS)} | {
    "c": {"kind": "category", "values": ["a", "b"]},
    "y": {"kind": "category", "values": ["no", "yes"]},
}


def task(classes=("no", "yes"), columns=COLUMNS):
    features = Features(tuple(NumberColumn(f"x{at}", -5, 5, 32) for at in range(columns)))
    return Task(features, ModelTarget("y", classes), pv.Row(), 2000)


def rows(many, seed=0, people=None):
    """The sign of a product decides, so that no column says anything by itself."""
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(many, COLUMNS))
    found = {f"x{at}": x[:, at] for at in range(COLUMNS)}
    found["c"] = np.where(draw.random(many) < 0.5, "a", "b")
    found["y"] = np.where(3 * np.sign(x[:, 1] * x[:, 4]) + draw.logistic(size=many) > 0, "yes", "no")
    if people:
        found["who"] = draw.integers(0, people, many)
    return pa.table(found)


def trained(folder, table, *, epsilon=8, unit=None, records=2000, model="boosted_trees", **asked):
    folder.mkdir()
    promise = pv.ApproxDP(epsilon, "1e-6")
    with pv.Ledger(folder / "a.ledger", limit=promise) as ledger:
        opened = pv.open_table(table, unit=unit or pv.Row())
        return pv.train(
            opened, promise, target="y", ledger=ledger, schema=SCHEMA, records=records, model=model, **asked
        )


def area(model, test):
    shares, yes = model.predict_proba(test)[:, 1], np.array(test["y"]) == "yes"
    order = np.argsort(np.argsort(shares))
    return (order[yes].mean() - (yes.sum() - 1) / 2) / (~yes).sum()


def test_the_whole_run_is_one_event_with_the_noise_of_the_literature():
    planned = TreeLearner().plan(task(), pv.ApproxDP(1, "1e-5"))
    # Balle and Wang (2018): one Gaussian with sigma 3.730632 is (1, 1e-5); T steps need the root of T times that.
    assert float(planned.sigma) == pytest.approx(3.730632 * STEPS**0.5, rel=1e-4)
    assert planned.event == SealedPlan(Repeated(Gaussian(planned.sigma, 1), STEPS), Fraction(1, 10**5))
    for columns in (1, MOST + 1):
        assert (
            TreeLearner().plan(task(columns=columns), pv.ApproxDP(1, "1e-5")).event.event.count
            == STEPS - TOGETHER
        ), "where pairs are not asked for, they are not paid for"


def test_what_it_cannot_learn_is_refused():
    with pytest.raises(BadTraining, match="two classes"):
        TreeLearner().plan(task(classes=("a", "b", "c")), pv.ApproxDP(1, "1e-6"))
    with pytest.raises(BadTraining, match="no option depth"):
        TreeLearner().plan(task(), pv.ApproxDP(1, "1e-6"), depth=3)


class Replay:
    """Noise off: every step's sum and noise; a later run is told what the first released."""

    def __init__(self):
        self.runs = []

    def noised(self, sums, sigma, generator):
        del generator
        run = self.runs[-1]
        run.append((np.array(sums[0]), sigma))
        return (self.runs[0][len(run) - 1][0],)


PERSON = pv.Person("who", max_rows=5)
NEIGHBOURS = {
    "row removed": (pv.Row(), lambda whole: whole.slice(0, whole.num_rows - 1)),
    "row replaced": (
        pv.Row(change=pv.Change.REPLACE),
        lambda whole: pa.concat_tables([whole.slice(0, whole.num_rows - 1), rows(1, 9, 100)]),
    ),
    "person removed": (PERSON, lambda whole: whole.filter(pa.array(np.array(whole["who"]) != 3))),
}


@pytest.mark.parametrize("how", NEIGHBOURS)
def test_one_unit_moves_no_step_further_than_its_noise_covers(tmp_path, monkeypatch, how):
    unit, changed = NEIGHBOURS[how]
    replay = Replay()
    monkeypatch.setattr(gradient_noise, "noised", replay.noised)
    # One structure for both runs: it is drawn from the seed, and each booking has another.
    monkeypatch.setattr(
        "privet.protect.train._boosted_trees.generator_of", lambda *_: np.random.default_rng(4)
    )
    whole = rows(600, people=100)
    odd = pa.Table.from_pylist([{f"x{at}": 1e9 for at in range(COLUMNS)} | {"c": "z", "y": "no", "who": 3}])
    whole = pa.concat_tables([whole, odd.select(whole.column_names)])
    models = []
    for number, table in enumerate((whole, changed(whole))):
        replay.runs.append([])
        models.append(trained(tmp_path / str(number), table, unit=unit, records=600))
    first, second = replay.runs
    assert len(first) == len(second) == STEPS
    multiplier = models[0].fitted.settings["noise_multiplier"]
    shares = [
        float(np.linalg.norm(one - other)) / (sigma / multiplier)
        for (one, sigma), (other, again) in zip(first, second, strict=True)
        if sigma == again
    ]
    assert len(shares) == STEPS, "bounds follow from what was released, so both runs have the same"
    assert max(shares) <= 1 + 1e-9
    for kind in (shares[:COUNTS], shares[COUNTS : COUNTS + ALONE], shares[-TREES:]):
        assert max(kind) > 0.3, "each bound is used, or the test would hold whatever was summed"
    one, other = models
    assert one.fitted.settings == other.fitted.settings
    assert all(np.array_equal(one.fitted.weights[n], other.fitted.weights[n]) for n in one.fitted.weights)


def test_it_finds_what_two_columns_say_together(tmp_path):
    table, test = rows(3000), rows(3000, seed=1)
    # The best there is has .95; a sum over columns knows nothing. By chance .5, with a standard deviation of .01.
    assert area(trained(tmp_path / "a", table, epsilon=2, records=3000), test) > 0.85
    assert area(trained(tmp_path / "b", table, epsilon=2, records=3000, model="linear"), test) < 0.6


def test_a_saved_model_predicts_the_same(tmp_path):
    table = rows(500)
    model = trained(tmp_path / "a", table, records=500)
    model.save(tmp_path / "model")
    again = pv.load_model(tmp_path / "model")
    assert again.fitted.kind == "trees"
    assert np.array_equal(again.predict_proba(table), model.predict_proba(table))
    assert "boosted_trees" in again.card()


def test_class_weights_move_predictions_and_leave_probabilities(tmp_path, monkeypatch):
    monkeypatch.setattr(gradient_noise, "noised", lambda sums, sigma, generator: (np.array(sums[0]),))
    monkeypatch.setattr(
        "privet.protect.train._boosted_trees.generator_of", lambda *_: np.random.default_rng(4)
    )
    table = rows(1500)
    plain = trained(tmp_path / "a", table)
    weighed = trained(tmp_path / "b", table, class_weights={"yes": 9, "no": 1})
    assert weighed.predict_proba(table) == pytest.approx(plain.predict_proba(table), abs=1e-9)
    many = [sum(one == "yes" for one in model.predict(table)) for model in (plain, weighed)]
    assert many[1] > many[0] > 0


def test_the_owner_can_follow_it(tmp_path):
    log, told = pv.TrainingLog(), []
    table = rows(200)
    trained(
        tmp_path / "a",
        table,
        records=200,
        log=log,
        progress=lambda done, steps: told.append((done, steps)),
    )
    assert told == [(at + 1, STEPS) for at in range(STEPS)]
