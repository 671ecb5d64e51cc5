"""What every table can be asked, whether it was opened or made from others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from privet.source.query import Asked, Query, Selection

if TYPE_CHECKING:
    from privet.engine.expressions import Expression
    from privet.source.aggregates import Aggregate
    from privet.source.columns import ColumnExpression
    from privet.source.key_sets import KeySet
    from privet.source.public_tables import PublicTable
    from privet.source.views import View
    from privet.source.windows import Window


class Askable:
    """The first words of a question."""

    def where(self, condition: ColumnExpression | Expression) -> Selection:
        """A question about the rows that meet a condition."""
        return self._all().where(condition)

    def derive(self, /, **values: ColumnExpression | Expression) -> Selection:
        """A question with new columns, computed row by row."""
        return self._all().derive(**values)

    def group_by(
        self, *columns: str | Window, keys: Mapping[Any, KeySet | Iterable[Any]] | None = None
    ) -> Selection:
        """A question with one answer for each value of these columns; `keys` names the values to be shown."""
        return self._all().group_by(*columns, keys=keys)

    def agg(self, /, **aggregates: Aggregate) -> Query:
        """A question about the table as a whole."""
        return self._all().agg(**aggregates)

    def join(
        self,
        other: Asked | PublicTable,
        on: str | Sequence[str] | Mapping[str, str],
        *,
        how: str = "inner",
        rename: Mapping[str, str] | None = None,
        max_rows: int | None = None,
        max_groups: int | None = None,
    ) -> View:
        """This table beside another: a public one, or a private one of the same persons.

        Args:
            other: A `PublicTable`, unique in the columns joined on; or a table whose unit is a person too.
            on: The columns that must agree, {"ours": "theirs"} where they are called differently. Two private
                tables must be joined on the person column, and may be on others besides.
            how: "inner", or "left" to keep this table's rows without a match.
            rename: New names for the other table's columns that this one has too.
            max_rows: Joined rows that one person may add; the product of both tables' caps if left out.
            max_groups: Groups that one person may be counted in.
        """
        from privet.source.views import joined

        return joined(
            cast("Asked", self),
            other,
            on,
            how=how,
            rename=rename or {},
            max_rows=max_rows,
            max_groups=max_groups,
        )

    def _all(self) -> Selection:
        return Selection(cast("Asked", self))
