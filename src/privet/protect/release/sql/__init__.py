"""SQL over private tables: the part of the language whose stability is known."""

from privet.protect.release.sql._parse_sql import parse_sql
from privet.protect.release.sql.question import SqlQuestion
from privet.protect.release.sql.scope import Catalog
from privet.protect.release.sql.selecting import read_sql

__all__ = ["Catalog", "SqlQuestion", "parse_sql", "read_sql"]
