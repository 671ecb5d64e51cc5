"""diffprivlib's classifiers on prepared tables; runs in its own environment.

Reads jobs from its input, one JSON list for each line (method, epsilon, seed), and answers each with a file of the
shares it gives to the classes. Features are between 0 and 1 by public bounds, categories are indicators, so that no row
is longer than the root of the number of columns.

- logistic-longest: `data_norm` is that length, so no row is cut.
- logistic-half: half of it; longer rows are cut.
- logistic-unit: every row scaled to length 1, which is then the norm.
- bayes: Gaussian naive Bayes with bounds (0, 1).
- forest: ten trees with bounds (0, 1) and the classes given.
"""

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from diffprivlib.models import GaussianNB, LogisticRegression, RandomForestClassifier

room = Path(sys.argv[1])
held = np.load(room / "table.npz")
codes, categories, wanted = held["codes"], held["categories"], held["wanted"]
warnings.simplefilter("ignore")


def indicated() -> np.ndarray:
    """Indicators for categories."""
    parts = []
    for at, many in enumerate(categories):
        column = codes[:, at]
        parts.append(np.eye(many)[column.astype(int)] if many else column[:, None])
    return np.concatenate(parts, axis=1)


rows = indicated()
longest = float(np.sqrt(len(categories)))
lengths = np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def machine(method: str, epsilon: float) -> tuple[Any, np.ndarray]:
    """The model as its documentation asks for it."""
    bounds = (np.zeros(rows.shape[1]), np.ones(rows.shape[1]))
    if method == "bayes":
        return GaussianNB(epsilon=epsilon, bounds=bounds), rows
    if method == "forest":
        classes = list(range(int(wanted.max()) + 1))
        return RandomForestClassifier(epsilon=epsilon, bounds=bounds, classes=classes, n_jobs=1), rows
    norm = {"logistic-longest": longest, "logistic-half": longest / 2, "logistic-unit": 1.0}[method]
    seen = rows / lengths if method == "logistic-unit" else rows
    return LogisticRegression(epsilon=epsilon, data_norm=norm, max_iter=500), seen


for line in sys.stdin:
    method, epsilon, seed = json.loads(line)
    train, test = held[f"train{seed}"], held[f"test{seed}"]
    model, seen = machine(method, epsilon)
    model.fit(seen[train], wanted[train])
    shares = np.zeros((len(test), int(wanted.max()) + 1))
    shares[:, np.asarray(model.classes_, dtype=int)] = model.predict_proba(seen[test])
    np.save(room / "shares.npy", shares)
    print("done", flush=True)
