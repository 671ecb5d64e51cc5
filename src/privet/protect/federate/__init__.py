"""Several sites compute together, and nobody shows a row: studies, the sites' share in them, and what comes of it.

One calls: `Study` for what is asked, and `federate` to answer it over several tables in one process, by the very protocol that
sites on machines of their own would speak.
Never: sees a site's answer outside a seal or a mask, or lets a site answer before it has booked.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.federate._adversaries import Exposure as Exposure
    from privet.protect.federate._federate import FederatedAnswer as FederatedAnswer
    from privet.protect.federate._federate import federate as federate
    from privet.protect.federate._study import Study as Study
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
