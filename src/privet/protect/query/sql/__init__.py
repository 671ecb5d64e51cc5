"""SQL over private tables: the part of the language whose stability is known.

One calls: `parse_sql` with a `Catalog`, which gives a `SqlQuestion`.
Never: hands text to an engine, or guesses what a statement means: what is not known is refused at its place.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.protect.query.sql._aggregate_functions import AGGREGATE_NAMES as AGGREGATE_NAMES
    from privet.protect.query.sql._name_scope import Catalog as Catalog
    from privet.protect.query.sql._parse_sql import parse_sql as parse_sql
    from privet.protect.query.sql._select_statement import read_sql as read_sql
    from privet.protect.query.sql._sql_question import SqlQuestion as SqlQuestion
    from privet.protect.query.sql._statement_split import statements as statements
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
