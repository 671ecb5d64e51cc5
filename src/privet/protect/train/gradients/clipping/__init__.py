"""Sums of clipped per-example gradients: several ways to the same numbers.

`Closed` for a generalised-linear head, `DenseStack` for small stacks of dense layers, `Bookkeeping` for models of known layers (one backward pass through the
activations), `Vmapped` for anything `torch.func` can map over, `Looped` for the rest, `Opacus` on request. All
return the same `ClippedSum`; which one runs decides the time, never the privacy.

One calls: an `Engine` by its class, with a `ClippingRule`.
Never: lets a record's share of a sum be longer than its clip, whichever way is taken.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.train.gradients.clipping._clipping_rule import LARGEST as LARGEST
    from privet.protect.train.gradients.clipping._clipping_rule import ClippedSum as ClippedSum
    from privet.protect.train.gradients.clipping._clipping_rule import ClippingRule as ClippingRule
    from privet.protect.train.gradients.clipping._clipping_rule import Engine as Engine
    from privet.protect.train.gradients.clipping._dense_stack import DenseStack as DenseStack
    from privet.protect.train.gradients.clipping._ghost_clipping import Bookkeeping as Bookkeeping
    from privet.protect.train.gradients.clipping._linear_head import Closed as Closed
    from privet.protect.train.gradients.clipping._linear_head import head_of as head_of
    from privet.protect.train.gradients.clipping._opacus_gradients import Opacus as Opacus
    from privet.protect.train.gradients.clipping._per_example_loop import Looped as Looped
    from privet.protect.train.gradients.clipping._vmap_gradients import Vmapped as Vmapped
    from privet.protect.train.gradients.clipping._weight_hooks import NotSeen as NotSeen
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
