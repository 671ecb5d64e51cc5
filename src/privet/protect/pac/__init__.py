"""PAC privacy: any function of the rows, run on many halves of them, and released from a secret one with the least noise.

One calls: `release_worlds`, `explain_worlds`, `PacSession`; `PacFunction` has ready-made functions, `stability` tells their owner
what they cost, and `pac_trials` makes what attacks are tried on.
Never: publishes how much noise there is, or lets a failure tell on which half it happened.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.pac._clusters import PacClusters as PacClusters
    from privet.protect.pac._clusters import PacComponents as PacComponents
    from privet.protect.pac._linear_learners import PacModel as PacModel
    from privet.protect.pac._output_alignment import canonical as canonical
    from privet.protect.pac._pac_explanation import PacExplanation as PacExplanation
    from privet.protect.pac._pac_functions import PacFunction as PacFunction
    from privet.protect.pac._pac_options import PacOptions as PacOptions
    from privet.protect.pac._pac_options import PacPlanned as PacPlanned
    from privet.protect.pac._pac_plan import PacPlan as PacPlan
    from privet.protect.pac._pac_plan import make_pac_plan as make_pac_plan
    from privet.protect.pac._pac_release import explain_worlds as explain_worlds
    from privet.protect.pac._pac_release import plan_worlds as plan_worlds
    from privet.protect.pac._pac_release import release_worlds as release_worlds
    from privet.protect.pac._pac_session import PacSession as PacSession
    from privet.protect.pac._pac_stability import PacStability as PacStability
    from privet.protect.pac._pac_stability import stability as stability
    from privet.protect.pac._pac_trials import PacTrials as PacTrials
    from privet.protect.pac._pac_trials import pac_trials as pac_trials
    from privet.protect.pac._private_responses import PacResponses as PacResponses
    from privet.protect.pac._query_plan import QueryPlan as QueryPlan
    from privet.protect.pac._query_plan import make_query_plan as make_query_plan
    from privet.protect.pac._rehearsal import made_up_rows as made_up_rows
    from privet.protect.pac._world_outputs import WorldRows as WorldRows
    from privet.protect.pac._world_outputs import outputs_of as outputs_of
    from privet.protect.pac._world_plan import WorldPlan as WorldPlan
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
