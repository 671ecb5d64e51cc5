"""Recipes: rules of law that say column by column what must go."""

from privet.protect.anonymize.recipes.applying import apply_safe_harbor
from privet.protect.anonymize.recipes.safe_harbor import Harbor
from privet.protect.anonymize.recipes.zip_areas import ZipAreas, zip_areas

__all__ = ["Harbor", "ZipAreas", "apply_safe_harbor", "zip_areas"]
