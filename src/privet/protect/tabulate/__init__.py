"""Hierarchies released so that everything adds up: measure every level, combine, fit from the top down, round.

One calls: `spine` for the question, `release_spine` to answer it, `explain_spine` to see what it would cost.
Never: lets a total be exact that nobody declared as an `Invariant`, or a part and its whole disagree.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.tabulate._invariants import Invariant as Invariant
    from privet.protect.tabulate._spine import Spine as Spine
    from privet.protect.tabulate._spine import spine as spine
    from privet.protect.tabulate._spine_explanation import SpineExplanation as SpineExplanation
    from privet.protect.tabulate._spine_explanation import errors as errors
    from privet.protect.tabulate._spine_explanation import explain_spine as explain_spine
    from privet.protect.tabulate._spine_explanation import notes as notes
    from privet.protect.tabulate._spine_plan import make_spine_plan as make_spine_plan
    from privet.protect.tabulate._spine_release import question_of as question_of
    from privet.protect.tabulate._spine_release import release_spine as release_spine
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
