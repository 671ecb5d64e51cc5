"""Recipes: rules of law that say column by column what must go.

One calls: `apply_safe_harbor`.
Never: claims a rule over a column that nobody classified.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.transform.recipes._recipe_application import apply_safe_harbor as apply_safe_harbor
    from privet.protect.transform.recipes._safe_harbor import Harbor as Harbor
    from privet.protect.transform.recipes._zip_areas import ZipAreas as ZipAreas
    from privet.protect.transform.recipes._zip_areas import zip_areas as zip_areas
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
