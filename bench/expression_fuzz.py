"""Whether an engine raises for any constant, value or function, and whether all engines give the same: at length.

The suite runs a slice of this with a fixed seed (`tests/conformance/test_expression_fuzz.py`). Here are many seeds, all
verbs over all native types, and time zones far from Greenwich. An engine's version is admitted once this has run on it
without a finding. Run from the repository:

    python -m bench.expression_fuzz                               3,000 expressions on DuckDB and PostgreSQL, 300 on Spark
    python -m bench.expression_fuzz --engines duckdb --expressions 20000 --seed 7
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from tests.conformance import made_expressions as made
from tests.conformance.native_columns import COLUMNS, native
from tests.conformance.verbs_on_columns import faults
from tests.conftest import Engine

ENGINES = ("duckdb", "postgres", "pyspark")
ZONES = ("UTC", "Pacific/Kiritimati", "America/Sao_Paulo")
AT_ONCE = 50  # expressions in one statement
ROWS = 150


@contextlib.contextmanager
def started(name: str) -> Iterator[Engine]:
    """An engine of our own, for the time of the run."""
    import ibis

    if name == "duckdb":
        yield Engine(name, None)
    elif name == "postgres":
        import pgserver

        with tempfile.TemporaryDirectory() as folder:
            server = pgserver.get_server(folder)
            host = server.get_uri().split("host=")[1]
            backend = ibis.postgres.connect(host=host, user="postgres", database="postgres")
            yield Engine(name, backend)
            backend.disconnect()
            server.cleanup()
    else:
        from pyspark.sql import SparkSession

        os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
        builder = SparkSession.builder.master("local[2]").appName("expression fuzz")
        settings = {"spark.ui.enabled": "false", "spark.driver.memory": "2g", "spark.log.level": "OFF"}
        for key, value in settings.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
        yield Engine(name, ibis.pyspark.connect(session))
        session.stop()


def in_zone(engine: Engine, zone: str) -> None:
    """Set the session's time zone, where an engine has one for us to set."""
    if engine.name == "postgres":
        engine.backend.raw_sql(f"SET TIME ZONE '{zone}'")
    elif engine.name == "pyspark":
        engine.backend.raw_sql(f"SET spark.sql.session.timeZone={zone}")


def compared(engine: Engine, seed: int, count: int) -> dict[str, Any]:
    """Expressions on this engine and on DuckDB: which raised, and which differ."""
    rows = made.rows(seed, ROWS)
    here, there = engine.load(rows), Engine("duckdb", None).load(rows)
    raised, different = [], []
    for first in range(0, count, AT_ONCE):
        chunk = made.expressions(seed + first, min(AT_ONCE, count - first), depth=5)
        try:
            ours, theirs = made.evaluated(here, chunk), made.evaluated(there, chunk)
        except Exception:  # noqa: BLE001  named below
            raised += [f"{one}: {said}" for one, said in made.culprits(here, chunk)]
            continue
        different += [
            f"{chunk[at]} on row {row}: {one[at]}, on DuckDB {other[at]}"
            for row, (one, other) in enumerate(zip(ours, theirs, strict=True))
            for at in range(len(chunk))
            if one[at] != other[at] and not made.has_letters_of_its_own(chunk[at])
        ]
    return {"raised": raised, "different": different}


def over_native_types(engine: Engine, seed: int) -> dict[str, Any]:
    """Expressions and verbs over every native type, in every zone."""
    raised, verbs = [], []
    for zone in ZONES if engine.name != "duckdb" else ZONES[:1]:
        in_zone(engine, zone)
        relation = native(engine)
        for name in COLUMNS[engine.name]:
            maker = made.Maker(seed, {name: relation.columns[name]})
            drawn = [maker.made(kind, 1 + at % 3) for kind in made.VALUES for at in range(12)]
            fitting = [one for one in drawn if made.fits(one, relation.columns, name)]
            raised += [f"{zone}: {one}: {said}" for one, said in made.culprits(relation, fitting)]
        verbs += [f"{zone}: {said}" for said in faults(relation, list(COLUMNS[engine.name]))]
    in_zone(engine, "UTC")
    return {"native raised": raised, "verbs": verbs}


def main() -> None:
    """Run, print what was found, and end with 1 if that is anything."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engines", nargs="+", default=list(ENGINES), choices=ENGINES)
    parser.add_argument("--expressions", type=int, default=3_000, help="a tenth of them on Spark")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    found: dict[str, Any] = {}
    for name in given.engines:
        count = given.expressions // 10 if name == "pyspark" else given.expressions
        begun = time.monotonic()
        with started(name) as engine:
            found[name] = compared(engine, given.seed, count) | over_native_types(engine, given.seed)
        findings = {what: len(said) for what, said in found[name].items()}
        print(
            f"{name}: {count} expressions, {time.monotonic() - begun:.0f} s, findings {findings}", flush=True
        )
    print(json.dumps(found, indent=2, ensure_ascii=False))
    sys.exit(any(said for one in found.values() for said in one.values()))


if __name__ == "__main__":
    main()
