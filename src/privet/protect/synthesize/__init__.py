"""Synthetic twins: noisy marginals chosen as one goes, a model fitted to them, rows sampled from it.

One calls: `synthesize`, which books the whole run first; `planned_twin` says what would be booked; `twin_recipe` runs the
synthesizer of a twin again, for attacks on it.
Never: writes a count without noise, or takes a value, a bound or a category from rows without paying for it.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.synthesize._linked_plan import LinkedPlan as LinkedPlan
    from privet.protect.synthesize._linked_plan import linked_plan as linked_plan
    from privet.protect.synthesize._linked_twins import linked_rules as linked_rules
    from privet.protect.synthesize._synthesis import synthesize as synthesize
    from privet.protect.synthesize._synthesis_plan import METHODS as METHODS
    from privet.protect.synthesize._synthesis_plan import SynthesisPlan as SynthesisPlan
    from privet.protect.synthesize._synthesize import planned_twin as planned_twin
    from privet.protect.synthesize._twin_recipe import TwinRecipe as TwinRecipe
    from privet.protect.synthesize._twin_recipe import twin_recipe as twin_recipe
    from privet.protect.synthesize._workload import Workload as Workload
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
