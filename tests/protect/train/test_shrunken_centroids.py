"""Shrunken centroids: what is booked, what one unit moves, and what is found in a wide table."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.artifact import Features, ModelTarget, NumberColumn
from privet.errors import BadTraining
from privet.guarantee import Gaussian, Repeated, SealedPlan
from privet.mechanism import _gradient_noise as gradient_noise
from privet.protect.train._shrunken_centroids import ENOUGH, SHARED, STEPS, WIDEST, CentroidLearner
from privet.protect.train.tabular._learner_registry import Task

COLUMNS = 20
SCHEMA = {f"x{at}": {"kind": "number", "lower": -5, "upper": 5} for at in range(COLUMNS)} | {
    "y": {"kind": "category", "values": ["no", "yes"]}
}


def task(classes=("no", "yes"), unit=None, weights=()):
    columns = tuple(NumberColumn(f"x{at}", -5, 5, 32) for at in range(COLUMNS))
    return Task(Features(columns), ModelTarget("y", classes), unit or pv.Row(), 2000, weights)


def rows(many, seed=0, people=None):
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(many, COLUMNS))
    found = {f"x{at}": x[:, at] for at in range(COLUMNS)}
    found["y"] = np.where(2 * x[:, 3] - 2 * x[:, 7] + draw.logistic(size=many) > 4, "yes", "no")
    if people:
        found["who"] = draw.integers(0, people, many)
    return pa.table(found)


def trained(folder, table, *, epsilon=8, unit=None, records=2000, **asked):
    folder.mkdir()
    promise = pv.ApproxDP(epsilon, "1e-6")
    with pv.Ledger(folder / "a.ledger", limit=promise) as ledger:
        opened = pv.open_table(table, unit=unit or pv.Row())
        schema = {**SCHEMA}
        return pv.train(
            opened, promise, target="y", ledger=ledger, schema=schema, records=records, model="centroids", **asked
        )  # fmt: skip


def test_the_whole_run_is_one_event_with_the_noise_of_the_literature():
    planned = CentroidLearner().plan(task(), pv.ApproxDP(1, "1e-5"))
    # Balle and Wang (2018): one Gaussian with sigma 3.730632 is (1, 1e-5); T steps need the root of T times that.
    assert float(planned.sigma) == pytest.approx(3.730632 * STEPS**0.5, rel=1e-4)
    assert planned.event == SealedPlan(Repeated(Gaussian(planned.sigma, 1), STEPS), Fraction(1, 10**5))


def test_what_columns_share_is_asked_for_where_there_are_records_enough():
    def steps(columns, records):
        features = Features(tuple(NumberColumn(f"x{at}", -5, 5, 32) for at in range(columns)))
        asked = Task(features, ModelTarget("y", ("no", "yes")), pv.Row(), records)
        planned = CentroidLearner().plan(asked, pv.ApproxDP(1, "1e-5"))
        assert planned.event.event.count == planned.settings["steps"] == planned.steps
        return planned.steps

    enough = int(ENOUGH)
    assert steps(100, 100 * enough) == STEPS
    assert steps(100, 100 * enough - 1) == STEPS - SHARED
    assert steps(WIDEST + 1, 10**6) == STEPS - SHARED


def test_what_it_cannot_learn_is_refused():
    with pytest.raises(BadTraining, match="two classes"):
        CentroidLearner().plan(task(classes=("a", "b", "c")), pv.ApproxDP(1, "1e-6"))
    with pytest.raises(BadTraining, match="no option depth"):
        CentroidLearner().plan(task(), pv.ApproxDP(1, "1e-6"), depth=3)


class Replay:
    """Noise off: every step's sum and noise; a later run is told what the first released."""

    def __init__(self):
        self.runs = []

    def noised(self, sums, sigma, generator):
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
    whole = rows(600, people=100)
    odd = pa.Table.from_pylist([{f"x{at}": 1e9 for at in range(COLUMNS)} | {"y": "yes", "who": 3}])
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
    assert max(shares) > 0.3, "the bound is used, or the test would hold whatever was summed"
    one, other = models
    assert one.fitted.settings == other.fitted.settings
    assert all(np.array_equal(one.fitted.weights[n], other.fitted.weights[n]) for n in one.fitted.weights)


def test_it_finds_the_columns_that_say_something(tmp_path):
    model = trained(tmp_path / "a", rows(4000), records=4000)
    test = rows(4000, seed=1)
    shares = model.predict_proba(test)[:, 1]
    yes = np.array(test["y"]) == "yes"
    order = np.argsort(np.argsort(shares))
    area = (order[yes].mean() - (yes.sum() - 1) / 2) / (~yes).sum()
    assert area > 0.85  # without noise .95; by chance .5, with a standard deviation of .02
    assert shares.mean() == pytest.approx(yes.mean(), abs=0.1)


def test_class_weights_move_predictions_and_leave_probabilities(tmp_path, monkeypatch):
    monkeypatch.setattr(gradient_noise, "noised", lambda sums, sigma, generator: (np.array(sums[0]),))
    table = rows(1500)
    plain = trained(tmp_path / "a", table)
    weighed = trained(tmp_path / "b", table, class_weights={"yes": 9, "no": 1})
    assert weighed.predict_proba(table) == pytest.approx(plain.predict_proba(table), abs=1e-9)
    many = [sum(one == "yes" for one in model.predict(table)) for model in (plain, weighed)]
    assert many[1] > many[0] > 0


def test_the_owner_can_follow_it(tmp_path):
    log, told = pv.TrainingLog(), []
    trained(
        tmp_path / "a",
        rows(200),
        records=200,
        log=log,
        progress=lambda done, steps: told.append((done, steps)),
    )
    assert told == [(at + 1, STEPS) for at in range(STEPS)]
