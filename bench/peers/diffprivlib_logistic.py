"""diffprivlib's logistic regression on prepared features; runs in its own environment."""

import sys
import warnings
from pathlib import Path

import numpy as np
from diffprivlib.models import LogisticRegression

room, epsilon = Path(sys.argv[1]), float(sys.argv[2])
held = np.load(room / "in.npz")
warnings.simplefilter("ignore")
# Every feature lies between 0 and 1, which is public: so is the longest row there can be. Rows are cut to half of it.
longest = float(np.sqrt(held["train"].shape[1])) / 2
fitted = LogisticRegression(epsilon=epsilon, data_norm=longest, max_iter=500).fit(
    held["train"], held["wanted"]
)
np.save(room / "out.npy", fitted.predict_proba(held["test"]))
