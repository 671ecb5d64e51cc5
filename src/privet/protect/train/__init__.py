"""Models that are trained under differential privacy: tables by a fixed recipe, networks by clipped, noised gradients.

One calls: `train(table, promise, target=…, ledger=…)` for tables; `train.plan(model, promise, …)` fixes a run for a PyTorch model;
`train.tune(table, promise, settings=…, …)` searches for settings, and pays for the search.
Never: takes a step that was not booked, or publishes a figure of the rows that no noise covers.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.train._load_model import load_model as load_model
    from privet.protect.train._private_search import tune as tune
    from privet.protect.train._run_seeds import destroy as destroy
    from privet.protect.train._train import train as train
    from privet.protect.train._training_log import TrainingLog as TrainingLog
    from privet.protect.train.gradients import plan as plan
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
