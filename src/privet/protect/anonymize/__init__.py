"""Anonymizing tables: hierarchies, models, search, transforms, and the verb that joins them."""

from privet.protect.anonymize.anonymizing import anonymize

__all__ = ["anonymize"]
