"""Language models under differential privacy: which size, batch and number of steps lose least, and training one.

One calls: `plan_language_model(compute, examples, sequence, promise)`; `measure_losses` measures small runs on public text, and
`ScalingLaw.of(table)` is the law they follow. `train_language_model(texts, promise, …)` trains, and gives a `ReleasedLanguageModel`.
Never: reads a private text to plan, says of a size that nobody measured what its loss will be, or takes a step that was not booked.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.train.language._language_design import LanguageRecipe as LanguageRecipe
    from privet.protect.train.language._language_plan import LanguagePlan as LanguagePlan
    from privet.protect.train.language._language_plan import PlanSpace as PlanSpace
    from privet.protect.train.language._language_plan import plan_language_model as plan_language_model
    from privet.protect.train.language._loss_table import LossRun as LossRun
    from privet.protect.train.language._loss_table import LossTable as LossTable
    from privet.protect.train.language._loss_table import measured_by_us as measured_by_us
    from privet.protect.train.language._network_shape import NetworkShape as NetworkShape
    from privet.protect.train.language._network_shape import is_shape_name as is_shape_name
    from privet.protect.train.language._network_shape import public_network as public_network
    from privet.protect.train.language._released_language_model import (
        ReleasedLanguageModel as ReleasedLanguageModel,
    )
    from privet.protect.train.language._released_language_model import generated as generated
    from privet.protect.train.language._released_language_model import (
        load_language_model as load_language_model,
    )
    from privet.protect.train.language._scaling_law import HoldOut as HoldOut
    from privet.protect.train.language._scaling_law import ScalingLaw as ScalingLaw
    from privet.protect.train.language._scaling_law import hold_out as hold_out
    from privet.protect.train.language._scaling_sweep import ScalingSweep as ScalingSweep
    from privet.protect.train.language._scaling_sweep import measure_losses as measure_losses
    from privet.protect.train.language._scaling_sweep import public_texts as public_texts
    from privet.protect.train.language._text_tokenizer import given_tokenizer as given_tokenizer
    from privet.protect.train.language._train_language_model import LanguageDesign as LanguageDesign
    from privet.protect.train.language._train_language_model import designed as designed
    from privet.protect.train.language._train_language_model import (
        train_language_model as train_language_model,
    )
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
