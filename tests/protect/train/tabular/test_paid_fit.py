"""A fit that was killed is paid for once, whatever draws its noise; one that fails is not drawn again."""

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.errors import ReleaseFailed
from privet.protect.train.tabular import _paid_fit as fits

SCHEMA = {
    "x": {"kind": "number", "lower": 0, "upper": 10},
    "y": {"kind": "category", "values": ["no", "yes"]},
}


def rows(seed=0):
    x = np.random.default_rng(seed).uniform(0, 10, 300)
    return pa.table({"x": x, "y": np.where(x > 5, "yes", "no")})


def run(ledger, kept, seed=0, model="objective"):
    opened = pv.open_table(rows(seed), unit=pv.Row(), name="t", version="1")
    promise = pv.ApproxDP(1, "1e-4")
    return pv.train(
        opened, promise, target="y", ledger=ledger, model=model, schema=SCHEMA, records=300, seed_file=kept
    )


def spends(ledger):
    return len([entry for entry in ledger.history() if entry.kind == "spend"])


@pytest.fixture
def ledger(tmp_path):
    with pv.Ledger(tmp_path / "book", limit=pv.ApproxDP(10, "1e-2")) as book:
        yield book


def test_a_learner_that_no_seed_repeats_gives_what_was_stored(tmp_path, ledger):
    first = run(ledger, tmp_path / "seed")
    again = run(ledger, tmp_path / "seed")
    assert spends(ledger) == 1
    assert first.receipt == again.receipt
    assert all(
        np.array_equal(value, again.fitted.weights[name]) for name, value in first.fitted.weights.items()
    )
    assert first.fitted.settings == again.fitted.settings
    assert not (tmp_path / "seed").exists()  # nothing on file undoes its noise


def test_other_rows_are_another_run(tmp_path, ledger):
    run(ledger, tmp_path / "seed")
    run(ledger, tmp_path / "seed", seed=1)
    assert spends(ledger) == 2


def test_without_a_file_each_training_is_booked(ledger):
    for _ in range(2):
        run(ledger, None)
    assert spends(ledger) == 2


def test_a_fit_that_fails_is_not_drawn_again_and_the_next_one_is_booked(tmp_path, ledger, monkeypatch):
    monkeypatch.setattr(fits, "_stored", lambda *_: 1 / 0)
    with pytest.raises(ReleaseFailed, match="could not be finished") as refused:
        run(ledger, tmp_path / "seed")
    assert "booked anew" in refused.value.hint
    monkeypatch.undo()
    run(ledger, tmp_path / "seed")
    assert spends(ledger) == 2
