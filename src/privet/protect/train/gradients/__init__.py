"""DP-SGD for any PyTorch model: plan once, then train exactly what was planned and paid for.

`plan` fixes sampling, clipping, noise, divisor, unit and account in one frozen object; `train_model` books it and takes
the steps. `Course` says how weights move, `StepSpeed` how fast it goes; neither can touch privacy.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.train.gradients._optimizer import Optimizer as Optimizer
    from privet.protect.train.gradients._optimizer import StepSpeed as StepSpeed
    from privet.protect.train.gradients._train_model import TrainedModel as TrainedModel
    from privet.protect.train.gradients._train_model import train_model as train_model
    from privet.protect.train.gradients._training_plan import Clipping as Clipping
    from privet.protect.train.gradients._training_plan import TrainingPlan as TrainingPlan
    from privet.protect.train.gradients._training_plan import plan as plan
    from privet.protect.train.gradients._training_progress import OwnerView as OwnerView
    from privet.protect.train.gradients._training_progress import Progress as Progress
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
