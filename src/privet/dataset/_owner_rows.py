"""Rows for their owner's own eyes: drafts of schemas and hierarchies are read off them, and the data set's purposes bind that too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from privet.dataset._data_set import DataSet
from privet.dataset._statement import Statement
from privet.source import admitted_by

if TYPE_CHECKING:
    from privet.source import Table


def owner_rows(
    where: str,
    *,
    purpose: str | None,
    columns: Sequence[str] | None = None,
    delimiter: str | None = None,
    types: Mapping[str, str] | None = None,
    makes: str = "audit",
) -> Table:
    """The rows as the data set gives them out for a purpose that allows an audit; of a bare file, all of them.

    Args:
        where: a file or an address.
        purpose: what it is for; needed where the data set has purposes.
        columns: those that are wanted, where it is not all of the purpose's.
        delimiter: of a bare CSV file.
        types: how columns of a text file are read.
        makes: what the purpose must allow, if it is something else than an audit.
    """
    data = DataSet.of(where)
    Statement(delimiter=delimiter).refuse_beside(data)
    if data.declaration is None:
        return data.table(delimiter=delimiter, types=types)
    table = data.table(purpose=purpose, columns=columns, types=types)
    admitted_by(table, makes)
    return table
