"""Input shields: what is sent to somebody else's model is a learned, noisy embedding in place of the text.

One calls: `fit_shield` on public texts, `InputShield.embed` or `InputShield.send` for what leaves, `load_shield` for a saved one;
`isotropic_shield`, `metric_shield`, `substitution_shield` and `plain_shield` are what it is compared with.
Never: states an epsilon for a learned shield, or draws its noise from anything that can be had again, but for tests.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.shield._baseline_shields import FixedShield as FixedShield
    from privet.protect.shield._baseline_shields import isotropic_shield as isotropic_shield
    from privet.protect.shield._baseline_shields import metric_shield as metric_shield
    from privet.protect.shield._baseline_shields import plain_shield as plain_shield
    from privet.protect.shield._baseline_shields import substitution_shield as substitution_shield
    from privet.protect.shield._fit_shield import fit_shield as fit_shield
    from privet.protect.shield._input_shield import InputShield as InputShield
    from privet.protect.shield._input_shield import load_shield as load_shield
    from privet.protect.shield._shield_settings import ShieldSettings as ShieldSettings
    from privet.protect.shield._split_model import SplitModel as SplitModel
    from privet.protect.shield._split_model import split_model as split_model
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
