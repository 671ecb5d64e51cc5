"""Columns that are nobody's category and still name a record: unique numbers, tokens, codes of one shape."""

from __future__ import annotations

import re

from privet.audits.columns._column_evidence import Evidence
from privet.audits.columns._sampled_column import SampledColumn
from privet.engine import ColumnKind

_FEWEST = 20  # rows below which uniqueness says nothing
_UNIQUE = 0.98
_TOKEN = re.compile(r"[A-Za-z0-9+/_=.:#-]{5,100}")


def unique_code(column: SampledColumn) -> tuple[float, Evidence] | None:
    """Confidence and evidence that every value stands for one record or person."""
    many, share = column.profile.distinct, column.distinct_share
    if column.profile.present < _FEWEST or not column.texts:
        return None
    if column.kind is ColumnKind.INTEGER:
        held = _unique_numbers(column, share)
    elif column.kind is ColumnKind.TEXT:
        held = _unique_tokens(column, share)
    else:
        held = None
    if held is None:
        return None
    confidence, says = held
    return confidence, Evidence(
        "cardinality", f"{says} ({many:,} in {column.profile.present:,} rows)", "user.unique_id"
    )


def _unique_numbers(column: SampledColumn, share: float) -> tuple[float, str] | None:
    if share < _UNIQUE or not column.numbers:
        return None
    low, high = min(column.numbers), max(column.numbers)
    if low >= 0 and high - low + 1 <= 1.5 * column.profile.distinct:
        return 0.8, "whole numbers that run through without repeating"
    widths = {len(text) for text in column.texts}
    if len(widths) == 1 and widths.pop() >= 6:
        return 0.7, "whole numbers of one length that do not repeat"
    return None


def _unique_tokens(column: SampledColumn, share: float) -> tuple[float, str] | None:
    tokens = column.share([_TOKEN.fullmatch(text) is not None for text in column.texts])
    long_run = column.share([re.search(r"\d{4,}", text) is not None for text in column.texts])
    mixed = column.share([len(text) >= 8 and sum(map(str.isdigit, text)) >= 3 for text in column.texts])
    if tokens < 0.95 or column.words > 1.05:
        return None
    if share >= _UNIQUE and max(long_run, mixed) >= 0.8:
        return 0.8, "codes that do not repeat"
    if share >= _UNIQUE and column.length >= 16:
        return 0.7, "tokens that do not repeat"
    shapes = {re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", re.sub(r"\d", "9", text))) for text in column.texts}
    if share >= 0.2 and column.profile.distinct >= 50 and len(shapes) <= 3 and long_run >= 0.95:
        return 0.6, "codes of one shape, few rows for each"
    return None
