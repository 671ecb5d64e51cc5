"""Anonymizing tables: hierarchies, models, search, transforms."""
