"""Tables of a PostgreSQL database by their address, which may hold a password and is never repeated."""

from __future__ import annotations

import urllib.parse
from typing import Any

from privet.artifact import connectable
from privet.engine._connections import alone
from privet.engine._dialects import without_collations
from privet.engine._error_guard import guarded, unreachable
from privet.engine._identifiers import checked_names, did_you_mean
from privet.engine._relation import POSTGRES, Relation
from privet.errors import (
    MissingExtra,
    NoSuchTable,
    PrivetError,
    UnknownFormat,
)

_SCHEMES = ("postgresql", "postgres")
# Encodings of PostgreSQL in which every byte that a text can hold stands for a letter.
_UNICODE = ("UTF8", "LATIN1", "LATIN2", "LATIN5", "LATIN9")


def open_url(url: str) -> Relation:
    """A PostgreSQL table: `postgresql://user@host/database#schema.table`, or `?table=schema.table`."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in _SCHEMES:
        raise UnknownFormat(
            "addresses of this kind cannot be opened.",
            "Use postgresql://…, or connect with Ibis and open the Ibis table.",
        )
    wanted = table_in(url)
    if not wanted:
        raise NoSuchTable("the address names no table.", "End it with #schema.table.")
    connection = _connected(parts)
    schema, _, table = wanted.rpartition(".")
    refuse_other_text(connection)
    with guarded("asking the database for its tables"):
        known = connection.list_tables(database=schema or None)
    if table not in known:
        raise NoSuchTable("the database has no such table.", did_you_mean(table, known))
    with guarded("asking the database for the table's columns"):
        opened = connection.table(table, database=schema or None)
    checked_names(list(opened.columns))
    return Relation(
        without_collations(opened, POSTGRES),
        POSTGRES,
        elsewhere=lambda other: without_collations(other.table(table, database=schema or None), POSTGRES),
    )


def tables_at_url(url: str) -> list[str]:
    """The tables of the database that an address leads to."""
    connection = _connected(urllib.parse.urlsplit(url))
    with guarded("asking the database for its tables"):
        return sorted(connection.list_tables())


def table_in(url: str) -> str:
    """The table that an address names, with its schema if that is named."""
    parts = urllib.parse.urlsplit(url)
    return urllib.parse.unquote(parts.fragment) or dict(urllib.parse.parse_qsl(parts.query)).get("table", "")


def refuse_other_text(connection: Any) -> None:
    """Refuses a database in which some text is no Unicode."""
    with guarded("asking the database for its encoding"), alone(connection):
        ((encoding,),) = connection.con.execute("SHOW server_encoding").fetchall()
    name = encoding.decode("ascii") if isinstance(encoding, bytes) else str(encoding)
    if name not in _UNICODE:
        raise UnknownFormat(
            f"the database keeps text as {name}, in which some text is no Unicode: a question would fail on it.",
            f"Copy the tables into a database of the encoding {_UNICODE[0]}.",
        )


def _connected(address: urllib.parse.SplitResult) -> Any:
    """A connection to the database of an address, whatever table that names."""
    import ibis

    query = {"connect_timeout": "10", **dict(urllib.parse.parse_qsl(address.query))}
    query.pop("table", "")
    bare = address._replace(fragment="", query=urllib.parse.urlencode(query))
    with guarded(instead=_not_connected):
        return ibis.connect(connectable(bare.geturl()))


def _not_connected(error: Exception) -> PrivetError:
    if isinstance(error, ImportError):
        return MissingExtra("PostgreSQL needs a driver.", "pip install 'privet[postgres]'")
    return unreachable(str(error))
