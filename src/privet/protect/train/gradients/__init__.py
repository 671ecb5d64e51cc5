"""DP-SGD for any PyTorch model: plan once, then train exactly what was planned and paid for.

`plan` fixes sampling, clipping, noise, divisor, unit and account in one frozen object; `train_model` books it and takes
the steps. `Course` says how weights move, `StepSpeed` how fast it goes; neither can touch privacy.
"""

from privet.protect.train.gradients.course import Course, StepSpeed
from privet.protect.train.gradients.plan import Clipping, Plan, plan
from privet.protect.train.gradients.progress import OwnerView, Progress
from privet.protect.train.gradients.training import TrainedModel, train_model

__all__ = [
    "Clipping",
    "Course",
    "OwnerView",
    "Plan",
    "Progress",
    "StepSpeed",
    "TrainedModel",
    "plan",
    "train_model",
]
