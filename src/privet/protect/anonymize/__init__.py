"""Anonymized tables: hierarchies of generalizations, models of privacy, the search for the least loss.

One calls: `anonymize`; `hierarchies_of` gives the hierarchies that a table would be generalized by.
Never: returns a table whose promise was not computed once more from the rows that are written.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.anonymize._anonymize import anonymize as anonymize
    from privet.protect.anonymize._hierarchy_codes import hierarchies_of as hierarchies_of
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
