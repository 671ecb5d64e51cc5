"""What a column holds: one small module for each family of values, and one for names of columns.

One calls: `decide`, which gives a `Decision` with its `Evidence`.
Never: settles a role by itself: a decision is proposed, and its owner confirms it.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.audits.columns import presidio_text as presidio_text
    from privet.audits.columns._column_decision import Decision as Decision
    from privet.audits.columns._column_decision import decide as decide
    from privet.audits.columns._column_evidence import Evidence as Evidence
    from privet.audits.columns._column_names import UnitName as UnitName
    from privet.audits.columns._column_names import unit_of as unit_of
    from privet.audits.columns._sampled_column import SampledColumn as SampledColumn
    from privet.audits.columns._taxonomy import CATEGORIES as CATEGORIES
    from privet.audits.columns._taxonomy import ROLES as ROLES
    from privet.audits.columns._taxonomy import UNKNOWN as UNKNOWN
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
