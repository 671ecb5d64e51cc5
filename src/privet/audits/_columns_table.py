"""The columns of an audited table as a table: one row each, for people and their frames. No value of the data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from privet.audits.columns import CATEGORIES

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.audits._findings import Findings


def columns_table(audit: Findings) -> pa.Table:
    """What each column is, how many values it has, and its part in the scores of who is singled out."""
    import pyarrow as pa

    parts = audit.suda.contributions()
    found = list(audit.columns.values())
    return pa.table(
        {
            "column": pa.array([one.name for one in found], pa.string()),
            "role": pa.array([one.role for one in found], pa.string()),
            "category": pa.array([one.category for one in found], pa.string()),
            "label": pa.array([CATEGORIES[one.category].label for one in found], pa.string()),
            "stated": pa.array([one.stated for one in found], pa.bool_()),
            "confidence": pa.array([one.confidence for one in found], pa.float64()),
            "special": pa.array([one.special for one in found], pa.bool_()),
            "hipaa": pa.array([one.hipaa for one in found], pa.string()),
            "distinct": pa.array([one.distinct for one in found], pa.int64()),
            "missing_share": pa.array([one.missing_share for one in found], pa.float64()),
            "exposure": pa.array([parts.get(one.name) for one in found], pa.float64()),
        }
    )


def published_columns_table(columns: Mapping[str, Mapping[str, Any]]) -> pa.Table:
    """The same for others: roles and categories."""
    import pyarrow as pa

    rows = list(columns.items())
    return pa.table(
        {
            "column": pa.array([name for name, _ in rows], pa.string()),
            "role": pa.array([one["role"] for _, one in rows], pa.string()),
            "category": pa.array([one["category"] for _, one in rows], pa.string()),
            "special": pa.array([one["special"] for _, one in rows], pa.bool_()),
        }
    )
