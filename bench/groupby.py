"""Count, sum and mean by group with bounded contributions: ours against hand-written SQL, raw SQL and OpenDP.

Each contender runs in a process of its own on the same Parquet file, one after the other, and reports CPU
seconds and peak memory; the table shows ratios. Run it with `python -m bench.groupby [--rows 10000000]`.

Where the distance to the raw group-by goes: raw, every row meets a hash table of 1,000 groups. Bounded,
every row meets a hash table of (person, group) pairs, nearly as many as rows, which no longer fits a cache
and must be partitioned; the pairs are then ordered within each person. The first is four fifths of the cost.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GROUPS, PER_PERSON, PER_GROUP, UPPER = 1_000, 5, 2, 200
MEMORY = "800MB"

HAND = f"""
SELECT g, count(*) AS persons, sum(n) AS n, sum(v) AS v, sum(s) AS s FROM (
  SELECT *, row_number() OVER (PARTITION BY u ORDER BY hash(u, g), g) AS r FROM (
    SELECT u, g, least(c, {PER_GROUP}) AS n, least(d, {PER_GROUP}) AS v,
           CAST(round(t * least(d, {PER_GROUP}) / d) AS BIGINT) AS s FROM (
      SELECT u, g, count(*) AS c, count(q) AS d, sum(q) AS t FROM (
        SELECT u, g, CASE WHEN NOT isnan(v) THEN
               floor((least(greatest(v, 0), {UPPER}) - {UPPER / 2}) * 4096 + 0.5) END AS q
        FROM read_parquet('{{path}}') WHERE u IS NOT NULL AND g BETWEEN 0 AND {GROUPS - 1})
      GROUP BY u, g)))
WHERE r <= {PER_PERSON} GROUP BY g
"""
RAW = "SELECT g, count(*), sum(v), avg(v) FROM read_parquet('{path}') GROUP BY g"


def generate(path: Path, rows: int) -> None:
    """A table of `rows` rows, a tenth as many persons, and 1,000 groups of very different sizes."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    draw = np.random.default_rng(1)
    weights = 1 / np.arange(1, GROUPS + 1) ** 0.8
    columns = {
        "u": draw.integers(0, rows // 10, rows),
        "g": draw.choice(GROUPS, rows, p=weights / weights.sum()).astype("int32"),
        "v": draw.lognormal(3, 1, rows),
    }
    pq.write_table(pa.table(columns), path)


def ours(path: str, engine: str = "duckdb") -> int:
    """The whole way: open, plan, book, bound, aggregate, noise, error bars."""
    import privet as pv
    from privet.engine._engine_speed import Speed

    thing: object = path
    if engine == "spark":
        from pyspark.sql import SparkSession

        spark = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.memory", "4g")
            .getOrCreate()
        )
        thing = spark.read.parquet(path)
    table = pv.open_table(
        thing,
        unit=pv.Person("u", max_rows=PER_PERSON * PER_GROUP, max_groups=PER_PERSON),
        bounds={"v": (0, UPPER)},
        keys={"g": range(GROUPS)},
        speed=Speed(memory_limit=MEMORY, threads=2) if engine == "duckdb" else None,
    )
    with tempfile.TemporaryDirectory() as room:
        ledger = pv.Ledger(Path(room) / "bench.ledger", limit=pv.PureDP(3))
        question = table.group_by("g").agg(n=pv.count(), total=pv.sum("v"), mean=pv.mean("v"))
        return len(pv.release(question, pv.PureDP(3), ledger=ledger, why="bench"))


def sql(path: str, text: str) -> int:
    """One statement on DuckDB, results fetched."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET threads = 2")
    connection.execute(f"SET memory_limit = '{MEMORY}'")
    return len(connection.execute(text.format(path=path)).fetchall())


def contend(name: str, path: str) -> int:
    """Run one contender in this process."""
    if name == "ours":
        return ours(path)
    if name == "ours on spark":
        return ours(path, "spark")
    return sql(path, HAND if name == "hand-written" else RAW)


def measure(command: list[str], name: str) -> dict[str, object]:
    """CPU seconds, wall seconds and peak resident memory of a command. Spark's own process is not in the first and last."""
    before, start = os.times(), time.monotonic()
    process = subprocess.run(
        [*command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
    )
    after, wall = os.times(), time.monotonic() - start
    if process.returncode:
        return {"contender": name, "failed": process.stderr.strip().splitlines()[-1:] or ["no message"]}
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    said = json.loads(process.stdout.strip().splitlines()[-1])
    return {
        "contender": name,
        "cpu_s": round(cpu, 1),
        "wall_s": round(wall, 1),
        "peak_mb": said["peak_mb"],
        "groups": said["groups"],
    }


def peer_python(package: str, *others: str) -> str:
    """The interpreter of a peer's own environment, made on first use."""
    room = ROOT / ".bench" / package.partition("[")[0].partition("=")[0]
    python = room / "bin" / "python"
    if not python.exists():
        venv.create(room, with_pip=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", package, *others], check=True)
    return str(python)


def main() -> None:
    """Run all contenders and print the ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--spark", action="store_true", help="also run ours on Spark local[2]")
    parser.add_argument("--contender", help=argparse.SUPPRESS)
    parser.add_argument("--path", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.contender:
        import resource

        groups = contend(given.contender, given.path)
        print(
            json.dumps(
                {"groups": groups, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}
            )
        )
        return
    with tempfile.TemporaryDirectory() as room:
        path = Path(room) / "table.parquet"
        generate(path, given.rows)
        mine = [sys.executable, "-m", "bench.groupby", "--path", str(path), "--contender"]
        names = ["raw", "hand-written", "ours", *(["ours on spark"] if given.spark else [])]
        results = [measure([*mine, name], name) for name in names]
        opendp = [
            peer_python("opendp[polars]==0.16.0"),
            str(ROOT / "bench/peers/opendp_polars.py"),
            str(path),
        ]
        results.append(measure(opendp, "opendp polars"))
    us = next(result for result in results if result["contender"] == "ours")
    for result in results:
        if "cpu_s" in result and "cpu_s" in us:
            result["cpu_vs_ours"] = round(float(str(result["cpu_s"])) / float(str(us["cpu_s"])), 2)
            result["memory_vs_ours"] = round(float(str(result["peak_mb"])) / float(str(us["peak_mb"])), 2)
        print(result)
    print(json.dumps({"rows": given.rows, "results": results}))


if __name__ == "__main__":
    main()
