"""A twin of pictures without a model: private digits vote for rendered ones, at epsilon 1."""

import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

import privet as pv

DIGITS = [str(digit) for digit in range(10)]

pixels, labels = load_digits(return_X_y=True)
pictures = pixels.reshape(-1, 8, 8) / 16
train, test = train_test_split(range(len(pixels)), train_size=1257, random_state=0)

with tempfile.TemporaryDirectory() as folder:
    with pv.Ledger(Path(folder, "digits.ledger"), limit=pv.ApproxDP(1, 1e-5)) as ledger:
        twin = pv.synthesize(
            pv.Images(pictures[train], labels=labels[train]),
            pv.ApproxDP(1, 1e-5),
            generator=pv.Glyphs((8, 8)),  # fonts of the system, drawn in random sizes, slants and weights
            labels=DIGITS,
            shares=dict.fromkeys(DIGITS, 0.1),
            rows=400,
            evolution=pv.EvolutionSettings(rounds=12, population=250, selection="draw", votes=8),
            ledger=ledger,
            why="digits for a course",
        )
    made = twin.to_arrow()
    model = KNeighborsClassifier(1).fit(np.array(made["image"].to_pylist()), made["label"].to_pylist())
    accuracy = model.score(pixels[test] / 16, labels[test].astype(str))
    print(f"a classifier that saw synthetic digits alone reads {accuracy:.0%} of real ones")
    print(twin)
