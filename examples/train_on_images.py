"""Handwritten digits: pixels between public bounds, a softmax regression with noise in its training."""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import privet as pv
from privet.protect.train._image_features import as_columns, pixels

held = load_digits()
columns, schema = as_columns(pixels(held.images), 0, 16)
schema["digit"] = {"kind": "category", "values": [str(digit) for digit in range(10)]}
rows = pa.table({**columns, "digit": held.target.astype(str)})
train, test = train_test_split(np.arange(len(held.target)), train_size=1347, random_state=0)

promise = pv.ApproxDP(2, 1e-5)
with tempfile.TemporaryDirectory() as room, pv.Ledger(Path(room) / "digits.ledger", limit=promise) as ledger:
    table = pv.open_table(rows.take(train), unit=pv.Row())
    model = pv.train(table, promise, target="digit", schema=schema, records=1347, ledger=ledger)

found = np.asarray(model.predict(rows.take(test)))
right = (found == held.target[test].astype(str)).mean()
print(f"{right:.0%} of {len(test)} new digits are read correctly, at epsilon {float(promise.epsilon):g}")
