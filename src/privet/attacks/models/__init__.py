"""Attacks on models: membership, attributes, inversion.

One calls: them by their names through `privet.attacks.attack`; `per_record` says who is most exposed.
Never: looks into a model further than its threat says.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door
from privet.attacks.models import _attribute_inference as attributes
from privet.attacks.models import _lira as lira
from privet.attacks.models import _model_inversion as inversion
from privet.attacks.models import _quantile_membership as quantiles
from privet.attacks.models import _rmia as rmia
from privet.attacks.models import _shadow_classifier as shadow_classifier
from privet.attacks.models import _threshold_attacks as thresholds
from privet.attacks.models._record_vulnerability import PerRecord as PerRecord
from privet.attacks.models._record_vulnerability import per_record as per_record

if TYPE_CHECKING:
    from privet.attacks.models._adversary_learners import classifier as classifier
    from privet.attacks.models._lira import online_scores as online_scores
    from privet.attacks.models._record_vulnerability import PerRecord as PerRecord
    from privet.attacks.models._record_vulnerability import per_record as per_record
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
