"""Models that are trained under differential privacy: tables by a fixed recipe, networks by clipped, noised gradients.

`train(table, promise, target=…, ledger=…)` is for tables; `train.plan(model, promise, …)` fixes a run for a PyTorch model;
`train.tune(table, promise, settings=…, …)` searches for settings, and pays for the search.
"""

from privet.protect.train._train import train
from privet.protect.train.gradients.plan import plan
from privet.protect.train.tuning import tune

__all__ = ["plan", "train", "tune"]
