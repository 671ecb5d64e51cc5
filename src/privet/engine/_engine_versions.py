"""Which engine versions are admitted: those on which the neighbour test and the fuzz of expressions have passed.

An engine is part of the proof. DuckDB 2.0 assumes that a Parquet file has no not-a-number values unless
its statistics say otherwise; one person's infinity then changes how everybody else's not-a-number values are
read, and removing that person moves more groups than the sensitivity allows. Nothing in the query shows it.
Likewise a function that raises on some value would tell who has it (`tests/conformance/test_expression_fuzz.py`).
So versions that were not tested are refused, not trusted.
"""

from __future__ import annotations

import re
from typing import Any

from privet.engine._relation import DUCKDB, ENGINES, POSTGRES, SPARK, Relation
from privet.errors import EngineVersion

# At least the first, below the second.
ADMITTED: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    DUCKDB: ((1, 5), (2, 0)),
    SPARK: ((4, 0), (4, 1)),
    POSTGRES: ((13,), (19,)),
}
_NAMES = {DUCKDB: "DuckDB", SPARK: "Spark", POSTGRES: "PostgreSQL"}


def admit(engine: str, version: str) -> None:
    """Refuses an engine or a version that has not passed the neighbour test."""
    if engine not in ENGINES:
        raise EngineVersion(
            f"the engine {engine!r} has not passed the neighbour test.",
            f"Use one of {', '.join(_NAMES.values())}.",
        )
    lowest, below = ADMITTED[engine]
    found = tuple(int(part) for part in re.findall(r"\d+", version)[:3])
    if not lowest <= found < below:
        wanted = f">={_text(lowest)},<{_text(below)}"
        raise EngineVersion(
            f"{_NAMES[engine]} {version} has not passed the neighbour test.",
            f"Install a version {wanted}: on others the bound on one person's influence may not hold.",
            engine=engine,
            admitted=wanted,
        )


def check_version(relation: Relation) -> None:
    """Refuses a relation whose engine runs a version that is not admitted."""
    admit(relation.engine, version_of(relation))


def version_of(relation: Relation) -> str:
    """The version of the engine that a relation runs on: part of what a release must state."""
    if relation.engine == DUCKDB:
        import duckdb

        return str(duckdb.__version__)
    backend: Any = relation.table.get_backend()
    return str(backend.version)


def _text(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
