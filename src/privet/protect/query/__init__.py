"""Questions under central differential privacy: planned, explained, released.

One calls: `release_question`, `release_batch` and `release_mobility`, or the `explain_…` of each; `epsilon_for` goes from an
error to a budget.
Never: computes anything from rows before it is booked, or answers the same question twice with fresh noise unless asked to.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.query._batch import Wishes as Wishes
    from privet.protect.query._batch import explain_batch as explain_batch
    from privet.protect.query._batch import explain_question as explain_question
    from privet.protect.query._batch import plan_batch as plan_batch
    from privet.protect.query._batch import release_batch as release_batch
    from privet.protect.query._batch import release_question as release_question
    from privet.protect.query._epsilon_for_error import epsilon_for as epsilon_for
    from privet.protect.query._epsilon_for_error import errors_by_question as errors_by_question
    from privet.protect.query._explanation import Explanation as Explanation
    from privet.protect.query._explanation import explained as explained
    from privet.protect.query._mobility import Mobility as Mobility
    from privet.protect.query._mobility import ReleasedMobility as ReleasedMobility
    from privet.protect.query._mobility import explain_mobility as explain_mobility
    from privet.protect.query._mobility import mobility as mobility
    from privet.protect.query._mobility import release_mobility as release_mobility
    from privet.protect.query._question import asking as asking
    from privet.protect.query._release_options import BatchOptions as BatchOptions
    from privet.protect.query._release_options import BatchPlan as BatchPlan
    from privet.protect.query._release_options import EveryOption as EveryOption
    from privet.protect.query._release_options import QuestionOptions as QuestionOptions
    from privet.protect.query._release_options import QuestionPlan as QuestionPlan
    from privet.protect.query._release_options import SpineOptions as SpineOptions
    from privet.protect.query._release_options import SpinePlanned as SpinePlanned
    from privet.protect.query._release_run import answered as answered
    from privet.protect.query._release_run import computation_of as computation_of
    from privet.protect.query._release_run import question_of as question_of
    from privet.protect.query._release_run import read_files as read_files
    from privet.protect.query._release_run import stated_keys as stated_keys
    from privet.protect.query._timing import check_pace as check_pace
    from privet.protect.query._timing import paced as paced
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
