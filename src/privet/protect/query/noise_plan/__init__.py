"""The noise of a release, planned before the data is touched: one place from questions to the event that is booked.

One calls: `make_plans`, `ReleasePlan`, `Goals`.
Never: reads a row or spends.

The walk: `_vector_candidates` (which vectors could answer) → `_error_weights` (what their errors matter) → `_budget_split`
(which share of the budget each gets) → `_mechanism_choice` (which noise errs least) → `_certified_scales` (how little of it
the certificate of the whole plan allows) → `_release_plan`, which puts the best way together.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.query.noise_plan._error_weights import ROWS as ROWS
    from privet.protect.query.noise_plan._error_weights import Goals as Goals
    from privet.protect.query.noise_plan._release_plan import ReleasePlan as ReleasePlan
    from privet.protect.query.noise_plan._release_plan import make_plan as make_plan
    from privet.protect.query.noise_plan._release_plan import make_plans as make_plans
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
