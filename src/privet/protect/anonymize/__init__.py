"""Anonymizing tables: hierarchies, models, search, transforms, and the verb that joins them."""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.anonymize._anonymize import anonymize as anonymize
    from privet.protect.anonymize._hierarchy_codes import hierarchies_of as hierarchies_of
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
