"""Runs that were killed: taken up under their entry, on their rows, and never with noise of another run."""

import os
import signal

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.artifact import _file_calls as calls
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


def run(ledger, seed_file, *, table=None, model="linear", version="1", epsilon=1, **more):
    opened = pv.open_table(table or rows(), unit=pv.Row(), name="t", version=version)
    asked = {"target": "y", "schema": SCHEMA, "records": 300, **more}
    return pv.train(
        opened, pv.ApproxDP(epsilon, "1e-4"), ledger=ledger, model=model, seed_file=seed_file, **asked
    )


def spends(ledger):
    return len([entry for entry in ledger.history() if entry.kind == "spend"])


@pytest.fixture
def ledger(tmp_path):
    with pv.Ledger(tmp_path / "book", limit=pv.ApproxDP(1000, "1e-2")) as book:
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


@pytest.mark.parametrize("model", ["linear", "objective"])
def test_estimates_of_a_killed_run_are_bought_once(tmp_path, ledger, model):
    """Killed while it fits, and before: the noisy bounds are those that were bought, under the entry that paid."""
    place, asked = tmp_path / "seed", {"schema": None, "records": None, "model": model, "epsilon": 10}
    with pytest.raises(Killed):
        run(ledger, place, progress=kill, **asked) if model == "linear" else run_killed(
            ledger, place, **asked
        )
    assert spends(ledger) == 2
    whole = run(ledger, place, **asked)
    again = run(ledger, place, **asked)
    assert spends(ledger) == 2
    assert whole.notes == again.notes
    assert any("booked as entry" in note for note in whole.notes)
    seeds.destroy(place)
    assert not [path.name for path in tmp_path.iterdir() if not path.name.startswith("book")]
    run(ledger, place, **asked)  # another training is another booking
    assert spends(ledger) == 4


def run_killed(ledger, place, **asked):
    """Killed after the model was booked and drawn, and before it was stored."""
    real, ledger_type = ledger.remember, type(ledger)

    def remember(self, receipt, question, release):
        if question.startswith("model"):
            raise Killed
        return real(receipt, question, release)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ledger_type, "remember", remember)
        run(ledger, place, **asked)


def test_a_refused_training_leaves_nothing(tmp_path):
    with pv.Ledger(tmp_path / "book", limit=pv.ApproxDP("0.5", "1e-2")) as small:
        for asked in ({}, {"records": None}, {"model": "objective"}):
            with pytest.raises(pv.errors.BudgetExceeded):
                run(small, tmp_path / "seed", **asked)
            assert not list(tmp_path.glob("seed*"))


@pytest.mark.parametrize("which", ["seed", "seed.run"])
def test_zeros_that_a_kill_left_of_destroying_are_neither_a_seed_nor_a_name(tmp_path, ledger, which):
    place = tmp_path / "seed"
    run(ledger, place)
    name = seeds.run_name(place)
    (tmp_path / which).write_bytes(bytes((tmp_path / which).stat().st_size))
    if which == "seed":
        run(ledger, place)
        assert spends(ledger) == 2  # it was destroyed: this is another run
        assert any(place.read_bytes())
    else:
        assert not seeds.is_named(place)
        assert not (tmp_path / which).exists()
        assert seeds.run_name(place).keyed(b"x") != name.keyed(b"x")


def test_destroying_takes_what_a_kill_left_of_writing(tmp_path):
    place = tmp_path / "kept" / "seed"
    place.parent.mkdir()
    child = os.fork()
    if child == 0:  # killed while it writes the name: its folder stays
        calls._fault = lambda call, size: size if call != "sync" else os.kill(os.getpid(), signal.SIGKILL)
        seeds.run_name(place)
    os.waitpid(child, 0)
    assert list(place.parent.iterdir())
    seeds.destroy(place)
    assert list(place.parent.iterdir()) == []
