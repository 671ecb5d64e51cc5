"""Runs that were killed: taken up under their entry, on their rows, and never with noise of another run."""

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.errors import BadTraining
from privet.protect.train import _run_seeds as seeds

SCHEMA = {
    "x": {"kind": "number", "lower": 0, "upper": 10},
    "y": {"kind": "category", "values": ["no", "yes"]},
}


def rows(many=300, seed=0):
    x = np.random.default_rng(seed).uniform(0, 10, many)
    return pa.table({"x": x, "y": np.where(x > 5, "yes", "no")})


class Killed(Exception):
    pass


def kill(taken, steps):
    if taken == steps // 2:
        raise Killed


def run(ledger, seed_file, *, table=None, model="linear", version="1", **more):
    opened = pv.open_table(table or rows(), unit=pv.Row(), name="t", version=version)
    asked = {"target": "y", "schema": SCHEMA, "records": 300, **more}
    return pv.train(opened, pv.ApproxDP(1, "1e-4"), ledger=ledger, model=model, seed_file=seed_file, **asked)


def spends(ledger):
    return len([entry for entry in ledger.history() if entry.kind == "spend"])


@pytest.fixture
def ledger(tmp_path):
    with pv.Ledger(tmp_path / "book", limit=pv.ApproxDP(10, "1e-2")) as book:
        yield book


@pytest.mark.parametrize("model", ["linear", "mlp"])
def test_a_killed_run_gives_the_model_it_would_have_given_and_pays_once(tmp_path, ledger, model):
    place = tmp_path / "seed"
    whole = run(ledger, place, model=model)
    with pytest.raises(Killed):
        run(ledger, place, model=model, progress=kill)
    shuffled = rows().take(np.random.default_rng(1).permutation(300))  # engines hand rows over in any order
    again = run(ledger, place, model=model, table=shuffled)
    assert spends(ledger) == 1
    assert again.receipt.entry == whole.receipt.entry
    for name, weights in whole.fitted.weights.items():
        assert np.array_equal(weights, again.fitted.weights[name])
    seeds.destroy(place)
    assert not [path.name for path in tmp_path.iterdir() if not path.name.startswith("book")]


def test_other_rows_are_refused(tmp_path, ledger):
    run(ledger, tmp_path / "seed")
    with pytest.raises(BadTraining, match="rows are not those"):
        run(ledger, tmp_path / "seed", table=rows(seed=1))


def test_another_run_gets_a_seed_of_its_own_and_pays(tmp_path, ledger):
    """With the noise of the first, the difference of two models would be free of noise."""
    place = tmp_path / "seed"
    run(ledger, place)
    first = place.read_bytes()
    run(ledger, place, version="2")
    assert place.read_bytes() != first
    assert spends(ledger) == 2


@pytest.mark.parametrize("model", ["objective", "ebm"])
def test_learners_that_no_seed_repeats_refuse_one(tmp_path, ledger, model):
    with pytest.raises(BadTraining, match="no seed repeats"):
        run(ledger, tmp_path / "seed", model=model)
    assert spends(ledger) == 0
    assert not (tmp_path / "seed").exists()


def test_estimates_and_a_seed_do_not_go_together(tmp_path, ledger):
    with pytest.raises(BadTraining, match="all must be public"):
        run(ledger, tmp_path / "seed", records=None)
    assert spends(ledger) == 0
