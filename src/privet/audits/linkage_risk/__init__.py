"""Linkage with another table: who could be found in it, and how surely.

One calls: `Linker` with both tables, or `simulate` where there is one.
Never: names a person who was found.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.audits.linkage_risk._linkage_attempts import Attempt as Attempt
    from privet.audits.linkage_risk._linkage_attempts import Score as Score
    from privet.audits.linkage_risk._simulated_linkage import Linkage as Linkage
    from privet.audits.linkage_risk._simulated_linkage import Linker as Linker
    from privet.audits.linkage_risk._simulated_linkage import shared_columns as shared_columns
    from privet.audits.linkage_risk._simulated_linkage import simulate as simulate
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
