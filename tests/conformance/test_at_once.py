"""Every verb in threads and in processes: at once on one shared table it gives what it gives one after another.

The bodies run in processes of their own (`at_once.py`, `in_processes.py`) with a limit on their time, so that a freeze is a
failure and nothing else stands still. What they do more often is `bench/concurrency.py`.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PATIENCE = 420  # seconds: on a busy machine, many times what is needed
FEW = [
    "counts",
    "public join",
    "audit",
    "anonymize",
]  # a question, a public table, a file read through, a stream


def run(script, *arguments):
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, HERE / script, *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE + 60,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-8000:]}"
    return [json.loads(line) for line in done.stdout.splitlines()]


def at_once(*arguments):
    for found in run("at_once.py", *arguments, "--patience", str(PATIENCE)):
        assert found["faults"] == [], found


def test_a_shared_table_in_memory():
    at_once("arrow")


def test_a_shared_file():
    at_once("parquet")


def test_shared_tables_of_other_kinds():
    at_once("pandas", "csv", "duckdb", "sqlite", "ibis", "--only", *FEW)


def test_a_shared_table_of_postgresql():
    pytest.importorskip("pgserver", reason="no PostgreSQL server to test with")
    at_once("postgres", "--only", *FEW, "found keys", "train")


def test_a_shared_table_of_spark():
    pytest.importorskip("pyspark", reason="the extra privet[spark] is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, which is not installed")
    at_once("spark", "--only", "counts", "public join", "explain", "found keys")


def test_verbs_that_ask_no_table():
    pytest.importorskip("torch", reason="the extra privet[torch] is not installed")
    at_once("else", "--only", "network", "attack", "pseudonymize", "mobility")


def test_processes():
    (found,) = run("in_processes.py")
    assert found == {"faults": []}
