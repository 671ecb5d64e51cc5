"""Secure aggregation: many sites add vectors, and nobody sees a summand.

Sans-IO: one state machine for a site and one for the coordinator, each takes bytes and gives bytes, whatever carries them.

One calls: `Cohort`, `SiteSession`, `CoordinatorSession`, and `Contribution` for what a site adds.
Never: draws at random by itself (whoever makes a session hands it a source of secret bytes), sends anything, or shows a summand.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.sharing._cohort import MOST_SITES as MOST_SITES
    from privet.sharing._cohort import Cohort as Cohort
    from privet.sharing._contribution import Contribution as Contribution
    from privet.sharing._contribution import centred as centred
    from privet.sharing._contribution import joined_contributions as joined_contributions
    from privet.sharing._coordinator_session import CoordinatorSession as CoordinatorSession
    from privet.sharing._coordinator_session import OpenedSum as OpenedSum
    from privet.sharing._protocol_messages import Stage as Stage
    from privet.sharing._site_session import SiteSession as SiteSession
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
