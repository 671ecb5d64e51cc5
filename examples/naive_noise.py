"""Noise on the cells of a table, then a fit: what it promises in truth, and the right way on the same data."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

import privet as pv
from privet.protect.train._naive_noise import add_laplace_noise, claim_for, true_guarantee

SETS = load_breast_cancer()
# The description of this data set publishes the range of each measurement; here rounded up to a power of two.
BOUNDS = [(0.0, float(2 ** np.ceil(np.log2(top)))) for top in SETS.data.max(axis=0)]
WIDTHS = [high - low for low, high in BOUNDS]


def split(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Three quarters to learn from, the rest to test on."""
    train, test = train_test_split(np.arange(len(SETS.target)), train_size=426, random_state=seed)
    return train, test


def naive(train: np.ndarray, test: np.ndarray, epsilon: float) -> float:
    """Scale to the ranges, noise every cell so that a row's features are hidden at `epsilon` in truth, then fit."""
    scaled = SETS.data / np.array(WIDTHS)
    ones = [1.0] * len(WIDTHS)
    noisy = add_laplace_noise(scaled[train], sensitivity=1, epsilon=claim_for(ones, epsilon))
    fitted = LogisticRegression(max_iter=2000).fit(noisy, SETS.target[train])
    return float(fitted.score(scaled[test], SETS.target[test]))


def right(train: np.ndarray, test: np.ndarray, epsilon: float, room: Path) -> float:
    """The same rows, the same epsilon for whole rows (target included), with noise in the training."""
    names = [f"m{at:02}" for at in range(len(WIDTHS))]
    rows = pa.table(
        {**{n: SETS.data[:, at] for at, n in enumerate(names)}, "benign": SETS.target.astype(str)}
    )
    schema = {
        n: {"kind": "number", "lower": low, "upper": high}
        for n, (low, high) in zip(names, BOUNDS, strict=True)
    }
    schema["benign"] = {"kind": "category", "values": ["0", "1"]}
    promise = pv.ApproxDP(epsilon, 1e-5)
    with pv.Ledger(room / "right.ledger", limit=promise) as ledger:
        table = pv.open_table(rows.take(train), unit=pv.Row())
        model = pv.train(table, promise, target="benign", schema=schema, records=426, ledger=ledger)
    return float((np.asarray(model.predict(rows.take(test))) == SETS.target[test].astype(str)).mean())


def main(epsilon: float = 4) -> tuple[float, float]:
    """Print both, and return their accuracies."""
    print(f"as taught, on raw columns: {true_guarantee(WIDTHS)}")
    print(f"as taught, on columns scaled to 0..1: {true_guarantee([1.0] * len(WIDTHS))}")
    train, test = split(0)
    first = naive(train, test, epsilon)
    with tempfile.TemporaryDirectory() as room:
        second = right(train, test, epsilon, Path(room))
    print(
        f"accuracy at a true epsilon of {epsilon:g}: noise on cells {first:.3f}, noise in training {second:.3f}"
    )
    return first, second


if __name__ == "__main__":
    main()
