from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.errors import BadTraining, BadUsage, BudgetExceeded
from privet.guarantee._composition import certify
from privet.guarantee._events import SealedPlan, Selected, event_from_json
from privet.guarantee._privacy_units import Change, Person, Row
from privet.guarantee._promise_registry import ApproxDP
from privet.ledger import Ledger
from privet.protect.train import _private_search as tuning
from privet.protect.train.tabular._learner_registry import Examples
from privet.source._public_tables import open_public

RULES = {"rate": [0.01, 1.0]}
SCHEMA = {
    "x": {"kind": "number", "lower": -3, "upper": 3},
    "y": {"kind": "category", "values": ["no", "yes"]},
}


def rows(n: int, seed: int = 0) -> pa.Table:
    draw = np.random.default_rng(seed)
    x = draw.normal(size=n)
    y = np.where(x + 0.3 * draw.normal(size=n) > 0, "yes", "no")
    return pa.table({"x": x, "y": y, "p": np.arange(n) // 2})


def ledger(tmp_path, epsilon=3):
    return Ledger(tmp_path / "t.ledger", limit=ApproxDP(epsilon, "1e-5"))


def search_of(table, book, **kwargs):
    given = {"target": "y", "settings": RULES, "schema": SCHEMA, "records": 3000, "ledger": book, **kwargs}
    return tuning.tune(table, ApproxDP(2, "1e-5"), **given)


def test_a_search_is_booked_whole_and_its_model_works(tmp_path):
    book = ledger(tmp_path)
    model = search_of(pv.open_table(rows(3000), unit=Row()), book)
    (spend,) = [entry for entry in book.history() if entry.kind == "spend"]
    event = event_from_json(spend.body["event"])
    assert isinstance(event, SealedPlan)
    assert isinstance(event.event, Selected)
    assert certify(event).epsilon <= 2
    assert certify(event).epsilon > 1.9
    test = rows(2000, seed=1)
    assert (model.predict(test) == np.array(test["y"])).mean() > 0.85
    assert model.fitted.settings["rate"] in (0.01, 1.0)


def test_the_better_setting_wins_on_public_rows(tmp_path, monkeypatch):
    """With both tried, the rate that learns nothing in its few steps loses."""
    monkeypatch.setattr(tuning, "permit_trials", _both(tuning.permit_trials))
    public = open_public(rows(500, seed=2), name="pilot", why="a pilot study")
    model = search_of(
        pv.open_table(rows(3000), unit=Row()), ledger(tmp_path), validation=public, trials="poisson", mean=60
    )
    assert model.fitted.settings["rate"] == pytest.approx(1.0)
    assert model.fitted.settings["records"] == 3000


def _both(draw):
    def first_of_each(permit, search):
        drawn = draw(permit, search)
        return [next(trial for trial in drawn if trial.candidate == at) for at in (1, 0)]

    return first_of_each


def test_persons_count_once(tmp_path):
    table = pv.open_table(rows(3000), unit=Person("p", max_rows=2))
    model = search_of(table, ledger(tmp_path), records=1500, mean=1)
    assert model.fitted.settings["records"] == 1200


@pytest.mark.parametrize("law", ["logarithmic", "geometric", "poisson"])
def test_more_trials_need_more_noise(law):
    plans = [_search(mean, law).plans[0].sigma for mean in (2, 20)]
    assert plans[0] < plans[1]


def _search(mean, law="logarithmic", unit=None):
    from privet.artifact._feature_encoding import Features, NumberColumn
    from privet.artifact._fitted_weights import ModelTarget
    from privet.protect.train.tabular._learner_registry import Task

    task = Task(Features((NumberColumn("x", 0, 1),)), ModelTarget("y", ("a", "b")), unit or Row(), 3000)
    return tuning.planned_search(task, ApproxDP(1, "1e-6"), RULES, mean, law, scored=True)


def test_a_search_costs_less_than_its_trials_added_up():
    one, ten = _search(1), _search(10)
    assert ten.plans[0].sigma < Fraction(10) ** Fraction(1, 2) * one.plans[0].sigma


def test_replaced_units_are_priced_too():
    assert all(plan.chosen.q == 1 for plan in _search(3, unit=Row(change=Change.REPLACE)).plans)


def test_scores_lie_between_zero_and_one_for_each_unit():
    from privet.artifact._fitted_weights import FittedWeights

    plan = _search(2).plans[0]
    fitted = FittedWeights("additive", {"shapes": np.full((33, 1), 50.0), "intercept": np.zeros(1)})
    scored = Examples(
        np.zeros((4, 1), dtype=np.int32), np.array([1.0, 1.0, 0.0, 0.0]), np.array([0, 0, 1, 1])
    )
    split = tuning.Split(scored, scored)
    assert split.score(fitted, plan.task).tolist() == [1024, 0]


def test_a_model_that_ran_away_scores_nothing_and_no_unit_moves_the_score_by_more_than_its_share():
    from privet.artifact._fitted_weights import FittedWeights

    plan = _search(2).plans[0]
    lost = FittedWeights("additive", {"shapes": np.full((33, 1), np.nan), "intercept": np.full(1, np.inf)})
    scored = Examples(np.zeros((3, 1), dtype=np.int32), np.array([1.0, 0.0, 1.0]))
    with np.errstate(all="ignore"):
        found = tuning.Split(scored, scored).score(lost, plan.task)
    assert ((found >= 0) & (found <= 1024)).all()


def test_no_search_without_a_ledger_or_for_more_than_is_left(tmp_path):
    table = pv.open_table(rows(300), unit=Row())
    with pytest.raises(BadUsage):
        search_of(table, None)
    with pytest.raises(BudgetExceeded):
        search_of(table, ledger(tmp_path, epsilon=1))


@pytest.mark.parametrize(
    "wrong",
    [
        {"validation": rows(10)},
        {"settings": [{"pace": 1}]},
        {"settings": []},
        {"settings": {"q": [2]}},
        {"settings": {"q": ["half"]}},
        {"settings": {"rate": [float("nan")]}},
        {"settings": {"rate": [-1.0]}},
        {"settings": {"rate": 1.0}},
        {"settings": {"steps": [1.5]}},
        {"settings": {"momentum": [1.0]}},
        {"settings": [3]},
        {"settings": "rate"},
        {"settings": None},
        {"mean": "ten"},
        {"records": 2.5},
        {"trials": "many"},
        {"mean": 0},
        {"records": None},
    ],
    ids=str,
)
def test_what_cannot_be_searched_is_refused_before_anything_is_spent(wrong, tmp_path):
    book = ledger(tmp_path)
    with pytest.raises((BadTraining, BadUsage)):
        search_of(pv.open_table(rows(300), unit=Row()), book, **wrong)
    assert [entry.kind for entry in book.history()] == ["open"]
