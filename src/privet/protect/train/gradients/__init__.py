"""DP-SGD for any PyTorch model: plan once, then train exactly what was planned and paid for.

One calls: `plan` and `train_model`. `plan` fixes sampling, clipping, noise, divisor, unit and account in one frozen object; `train_model` books it and takes
the steps. `Optimizer` says how weights move, `StepSpeed` how fast it goes; neither can touch privacy.
What comes out is saved, loaded, asked and exported as a `ReleasedNetwork`.
Never: trains a model in which one record sees another, or with noise that differs from what was booked.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.train.gradients._adapted_run import AdaptedRun as AdaptedRun
    from privet.protect.train.gradients._correlated_account import BandedInverseNoise as BandedInverseNoise
    from privet.protect.train.gradients._correlated_account import BandedNoise as BandedNoise
    from privet.protect.train.gradients._correlated_account import (
        BufferedToeplitzNoise as BufferedToeplitzNoise,
    )
    from privet.protect.train.gradients._hugging_face_adapter import from_hugging_face as from_hugging_face
    from privet.protect.train.gradients._lightning_adapter import from_lightning as from_lightning
    from privet.protect.train.gradients._network_outcome import state_digest as state_digest
    from privet.protect.train.gradients._optimizer import Optimizer as Optimizer
    from privet.protect.train.gradients._optimizer import StepSpeed as StepSpeed
    from privet.protect.train.gradients._per_example_loss import Batch as Batch
    from privet.protect.train.gradients._per_example_loss import Objective as Objective
    from privet.protect.train.gradients._released_network import ReleasedNetwork as ReleasedNetwork
    from privet.protect.train.gradients._train_model import TrainedModel as TrainedModel
    from privet.protect.train.gradients._train_model import train_model as train_model
    from privet.protect.train.gradients._training_plan import Clipping as Clipping
    from privet.protect.train.gradients._training_plan import TrainingPlan as TrainingPlan
    from privet.protect.train.gradients._training_plan import plan as plan
    from privet.protect.train.gradients._training_progress import OwnerView as OwnerView
    from privet.protect.train.gradients._training_progress import Progress as Progress
    from privet.protect.train.gradients._training_records import TableSnapshot as TableSnapshot
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
