"""DP-EBM of interpret on prepared tables; runs in its own environment.

Reads jobs from its input, one JSON list for each line (method, epsilon, seed), and answers each with a file of the
shares it gives to the classes. Types and bounds are given, so that nothing is read off the data with a warning; all else
is as its authors set it. Its noise is for one row more or less, and it takes the number of rows and the categories as
public.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
from interpret.privacy import DPExplainableBoostingClassifier

room, delta = Path(sys.argv[1]), float(sys.argv[2])
held = np.load(room / "table.npz")
codes, categories, wanted = held["codes"], held["categories"], held["wanted"]
warnings.simplefilter("ignore")
table = codes.astype(object)
for at in np.flatnonzero(categories):
    table[:, at] = [f"c{int(code)}" for code in codes[:, at]]

for line in sys.stdin:
    _, epsilon, seed = json.loads(line)
    train, test = held[f"train{seed}"], held[f"test{seed}"]
    machine = DPExplainableBoostingClassifier(
        feature_types=["nominal" if many else "continuous" for many in categories],
        privacy_bounds={at: (0.0, 1.0) for at, many in enumerate(categories) if not many},
        epsilon=epsilon,
        delta=delta,
        n_jobs=1,
    )
    machine.fit(table[train], wanted[train])
    np.save(room / "shares.npy", machine.predict_proba(table[test]))
    print("done", flush=True)
