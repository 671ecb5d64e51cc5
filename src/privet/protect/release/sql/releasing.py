"""Releasing and explaining SQL: its queries as one release, and then the shape that the text asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from privet.protect.release.batching import (
    explain_batch,
    explain_question,
    release_batch,
    release_question,
)
from privet.protect.release.sql.scope import Catalog
from privet.protect.release.sql.selecting import read_sql

if TYPE_CHECKING:
    from privet.artifact.answer import ReleasedAnswer
    from privet.guarantee.promises import Promise
    from privet.ledger import Ledger
    from privet.protect.release.explaining import Explanation
    from privet.source.public_tables import PublicTable
    from privet.source.query import Asked

Tables = Mapping[str, "Asked | PublicTable"]


def release_sql(
    text: str,
    promise: Promise,
    *,
    ledger: Ledger,
    why: str,
    table: Asked | None = None,
    tables: Tables | None = None,
    **options: Any,
) -> ReleasedAnswer:
    """Answer SQL about `table`, or about `tables` by their names; see `answering.release`.

    Several levels of grouping are one batch under one promise.
    """
    question = read_sql(text, Catalog.of(table, tables))
    if len(question.queries) == 1:
        only = release_question(question.queries[0], promise, ledger=ledger, why=why, **options)
        return question.finished([only])
    return question.finished(release_batch(question.queries, promise, ledger=ledger, why=why, **options))


def explain_sql(
    text: str,
    promise: Promise,
    *,
    table: Asked | None = None,
    tables: Tables | None = None,
    **options: Any,
) -> Explanation:
    """What `release_sql` would do; reads no private row and spends nothing."""
    question = read_sql(text, Catalog.of(table, tables))
    if len(question.queries) == 1:
        found = explain_question(question.queries[0], promise, **options)
    else:
        found = explain_batch(question.queries, promise, **options)
    return replace(
        found,
        stages=(*found.stages, *question.afterwards()),
        notes=(*found.notes, *question.notes()),
    )
