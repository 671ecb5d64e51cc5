"""What every table can be asked, whether it was opened or made from others."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from privet.errors import checked
from privet.source._table_query import Asked, Keys, Query, Selection

if TYPE_CHECKING:
    from privet.engine import Expression
    from privet.source._column_expressions import ColumnExpression
    from privet.source._time_windows import Window
    from privet.source.aggregates import Aggregate


class Askable:
    """The first words of a question."""

    @checked
    def where(self, condition: ColumnExpression | Expression) -> Selection:
        """A question about the rows that meet a condition."""
        return self._all().where(condition)

    @checked
    def derive(self, /, **values: ColumnExpression | Expression) -> Selection:
        """A question with new columns, computed row by row."""
        return self._all().derive(**values)

    @checked
    def group_by(self, *columns: str | Window, keys: Keys = None) -> Selection:
        """A question with one answer for each value of these columns; `keys` names the values to be shown."""
        return self._all().group_by(*columns, keys=keys)

    @checked
    def agg(self, /, **aggregates: Aggregate) -> Query:
        """A question about the table as a whole."""
        return self._all().agg(**aggregates)

    def _all(self) -> Selection:
        return Selection(cast("Asked", self))
