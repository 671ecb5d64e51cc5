"""Two tables over one connection: what an engine needs before it can join them.

Every table is opened over a connection of its own. Ibis takes two embedded databases in memory for one and the
same, since they were opened alike, and would look for both tables in one of them: so a table is opened again
over the other's connection before the two meet, or they do not meet.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from privet.engine._connections import alone
from privet.engine._error_guard import guarded
from privet.engine._open_relation import embedded
from privet.engine._relation import DUCKDB, SPARK, Relation
from privet.errors import BadKeys


def together(left: Relation, right: Relation) -> tuple[Relation, Relation]:
    """Both relations over one connection; refuses those that live in different databases."""
    if left.engine != right.engine:
        raise BadKeys(
            f"one table lives on {left.engine} and the other on {right.engine}.",
            "Open both from the same database, or both from files.",
        )
    ours, theirs = connection_of(left), connection_of(right)
    if ours is theirs:
        return left, right
    if not _same_database(ours, theirs, left.engine):
        raise BadKeys("the two tables live in different databases.", "Open both from the same one.")
    if left.elsewhere is not None and right.elsewhere is not None and right.files:
        # An engine of ours reads the files it was started for: these two need one that may read both.
        ours = embedded(left.speed or right.speed, (*left.files, *right.files))
        return moved(left, ours), moved(right, ours)
    if right.elsewhere is not None:
        return left, moved(right, ours)
    if left.elsewhere is not None:
        return moved(left, theirs), right
    raise BadKeys("the two tables were opened over different connections.", "Open both over one connection.")


def connection_of(relation: Relation) -> Any:
    """The Ibis connection that a relation is read over."""
    with guarded("asking the table for its connection"):
        return relation.table.get_backend()


def moved(relation: Relation, connection: Any) -> Relation:
    """The same table over another connection of its engine."""
    if connection_of(relation) is connection:
        return relation
    if relation.elsewhere is None:
        raise BadKeys(
            "the two tables were opened over different connections.", "Open both over one connection."
        )
    sources = tuple(moved(source, connection) for source in relation.sources)
    with alone(connection):
        return replace(relation, table=relation.elsewhere(connection), sources=sources)


def _same_database(ours: Any, theirs: Any, engine: str) -> bool:
    if engine == DUCKDB:
        return True
    if engine == SPARK:
        one, other = (each.raw_sql("SELECT 1").sparkSession for each in (ours, theirs))
        return one is other
    return _address(ours) == _address(theirs)


def _address(connection: Any) -> tuple[Any, ...]:
    told = connection.con.info
    return told.host, told.port, told.dbname, told.user
