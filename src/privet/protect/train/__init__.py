"""Models that are trained under differential privacy: tables by a fixed recipe, networks by clipped, noised gradients.

`train(table, promise, target=…, ledger=…)` is for tables; `train.plan(model, promise, …)` fixes a run for a PyTorch model;
`train.tune(table, promise, settings=…, …)` searches for settings, and pays for the search.
"""

from privet.protect.train.gradients.plan import plan
from privet.protect.train.tabular.training import train
from privet.protect.train.tuning import tune

# The verb carries what belongs to it: pv.train.plan(model, …).
vars(train)["plan"] = plan
vars(train)["tune"] = tune

__all__ = ["plan", "train", "tune"]
