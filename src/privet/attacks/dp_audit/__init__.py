"""Auditing implementations of differential privacy: canaries, epsilons from below, structure, falsifiers.

One calls: `audit_one_run`, `falsify`, or them by their names through `privet.attacks.attack`.
Never: states an epsilon without the confidence it is bounded from below with.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door
from privet.attacks.dp_audit._canaries import GradientCanaries as GradientCanaries
from privet.attacks.dp_audit._canaries import RecordCanaries as RecordCanaries
from privet.attacks.dp_audit._canaries import mislabelled as mislabelled
from privet.attacks.dp_audit._epsilon_lower_bounds import CanaryRun as CanaryRun
from privet.attacks.dp_audit._epsilon_lower_bounds import one_run as one_run
from privet.attacks.dp_audit._falsifier import Neighbours as Neighbours
from privet.attacks.dp_audit._falsifier import falsify as falsify
from privet.attacks.dp_audit._floating_point_noise import float_laplace_score as float_laplace_score
from privet.attacks.dp_audit._one_run_audit import audit_one_run as audit_one_run
from privet.attacks.dp_audit._promised_epsilon import audit_delta as audit_delta
from privet.attacks.dp_audit._promised_epsilon import promised_at as promised_at
from privet.attacks.dp_audit._run_recorder import Observed as Observed
from privet.attacks.dp_audit._run_recorder import Recorder as Recorder
from privet.attacks.dp_audit._run_recorder import TrainingClaim as TrainingClaim

if TYPE_CHECKING:
    from privet.attacks.dp_audit._canaries import GradientCanaries as GradientCanaries
    from privet.attacks.dp_audit._canaries import RecordCanaries as RecordCanaries
    from privet.attacks.dp_audit._canaries import mislabelled as mislabelled
    from privet.attacks.dp_audit._epsilon_lower_bounds import CanaryRun as CanaryRun
    from privet.attacks.dp_audit._epsilon_lower_bounds import one_run as one_run
    from privet.attacks.dp_audit._falsifier import Neighbours as Neighbours
    from privet.attacks.dp_audit._falsifier import falsify as falsify
    from privet.attacks.dp_audit._floating_point_noise import float_laplace_score as float_laplace_score
    from privet.attacks.dp_audit._one_run_audit import audit_one_run as audit_one_run
    from privet.attacks.dp_audit._promised_epsilon import audit_delta as audit_delta
    from privet.attacks.dp_audit._promised_epsilon import promised_at as promised_at
    from privet.attacks.dp_audit._run_recorder import Observed as Observed
    from privet.attacks.dp_audit._run_recorder import Recorder as Recorder
    from privet.attacks.dp_audit._run_recorder import TrainingClaim as TrainingClaim
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
