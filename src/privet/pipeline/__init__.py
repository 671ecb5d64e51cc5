"""The walk through the house: a policy becomes a plan, and the plan is run.

One calls: `read_policy`, `make_plan`, `run`, `tradeoff`.
Never: believes a file that comes back.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.pipeline._evidence_verification import verify as verify
    from privet.pipeline._policy import Policy as Policy
    from privet.pipeline._policy import check_policy as check_policy
    from privet.pipeline._policy import read_policy as read_policy
    from privet.pipeline._policy_draft import OwnerStatements as OwnerStatements
    from privet.pipeline._policy_draft import audited as audited
    from privet.pipeline._policy_draft import confirmed_special as confirmed_special
    from privet.pipeline._policy_draft import draft as draft
    from privet.pipeline._policy_schema import SCHEMA_NAME as SCHEMA_NAME
    from privet.pipeline._policy_schema import policy_schema as policy_schema
    from privet.pipeline._record_journal import record_standing as record_standing
    from privet.pipeline._retention import expired as expired
    from privet.pipeline._retention import kept as kept
    from privet.pipeline._retention import refuse_foreign as refuse_foreign
    from privet.pipeline._retention import remove_expired as remove_expired
    from privet.pipeline._run import run as run
    from privet.pipeline._run_plan import PlannedStep as PlannedStep
    from privet.pipeline._run_plan import RunPlan as RunPlan
    from privet.pipeline._run_planner import OUT as OUT
    from privet.pipeline._run_planner import make_plan as make_plan
    from privet.pipeline._run_record import RECORD_NAME as RECORD_NAME
    from privet.pipeline._run_record import RunRecord as RunRecord
    from privet.pipeline._run_record import StepRecord as StepRecord
    from privet.pipeline._run_record import report_signing as report_signing
    from privet.pipeline._subject_recall import Recall as Recall
    from privet.pipeline._subject_recall import recalls as recalls
    from privet.pipeline._sweep_policy import asked_under as asked_under
    from privet.pipeline._sweep_settings import Sweep as Sweep
    from privet.pipeline._tradeoff import Tradeoff as Tradeoff
    from privet.pipeline._tradeoff import tradeoff as tradeoff
    from privet.pipeline._tradeoff_verb import TradeoffOptions as TradeoffOptions
    from privet.pipeline._tradeoff_verb import TradeoffVerb as TradeoffVerb
    from privet.pipeline._verification_story import VerifiedEvidence as VerifiedEvidence
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
