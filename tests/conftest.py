"""Engines for the tests: one Spark session and one PostgreSQL server for the whole run, DuckDB for each table."""

# ruff: noqa: E402  the environment is set before libraries read it

from __future__ import annotations

import gc
import itertools
import os
import shutil
import sys

# Several processes share few cores: threads of one that wait for a core spin, and use up what the others need (measured: a
# test of sixteen regressions took 45 times the CPU). Set before anything loads the libraries that read it.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import pytest
from hypothesis import settings
from tests import real_data
from tests.postgres_server import postgres_server

from privet.engine._relation import Relation

# No test judges by the clock: a busy machine is no fault.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

# Not t0, t1, …: so Ibis calls its own parts of a statement, and they would be taken for the tables.
_NAMES = (f"rows_{number}" for number in itertools.count())
EVERY_ENGINE = ["duckdb", "postgres", "pyspark"]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    real_data.begin(item)


# --- several workers ---------------------------------------------------------------------------


def work_unit(test):
    """What one worker does alone: all tests on Spark, which takes long to start, or a file, whose fixtures are then made once."""
    return "spark" if "spark" in test.lower() else test.partition("::")[0]


# Units that are dear and have few tests. The plugin hands units out by their number of tests, so these would be begun last, and
# one worker would sit over one of them while the other has nothing left.
DEAREST = (
    "spark",
    "tests/test_docs.py",
    "tests/test_recipes.py",
    "tests/conformance/test_at_once.py",
    "tests/protect/synthesize/test_killed_twins.py",
    "tests/statistical/test_released_answers.py",
    "tests/statistical/test_moment_intervals.py",
    "tests/statistical/test_sql_answers.py",
    "tests/test_guides.py",
    "tests/app/test_demo_command.py",
    "tests/test_typed_surface.py",
)


def dearest_first(queue):
    """What takes long to do is begun early."""
    for unit in reversed(DEAREST):
        if unit in queue:
            queue.move_to_end(unit, last=False)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadScopeScheduling

    class ByWorkUnit(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return work_unit(nodeid)

        def _assign_work_unit(self, node):
            dearest_first(self.workqueue)
            super()._assign_work_unit(node)

    return ByWorkUnit(config, log)


def pytest_collection_finish():
    """What was loaded by now stays: the collector of garbage need not look through it again during the tests."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items):
    nameless = [
        item.nodeid
        for item in items
        if "spark_backend" in item.fixturenames and work_unit(item.nodeid) != "spark"
    ]
    assert not nameless, f"tests on Spark say so in their names: {nameless}"


# --- engines -----------------------------------------------------------------------------------


class Engine:
    """An engine that tables can be put on."""

    def __init__(self, name, backend):
        self.name, self.backend = name, backend

    def load(self, table):
        return getattr(self, f"_load_{self.name}")(table)

    def _load_duckdb(self, table):
        import ibis

        backend = ibis.duckdb.connect()
        return Relation(backend.create_table(next(_NAMES), table), "duckdb")

    def _load_pyspark(self, table):
        name = next(_NAMES)
        session = self.backend.raw_sql("SELECT 1").sparkSession
        session.createDataFrame(table).createOrReplaceTempView(name)
        return Relation(self.backend.table(name), "pyspark")

    def _load_postgres(self, table):
        name = next(_NAMES)
        types = {
            "int64": "bigint",
            "int32": "integer",
            "double": "double precision",
            "float": "real",
            "string": "text",
            "bool": "boolean",
            "date32[day]": "date",
            "timestamp[us]": "timestamp",
        }
        columns = ", ".join(f'"{field.name}" {types[str(field.type)]}' for field in table.schema)
        connection = self.backend.con
        with connection.cursor() as cursor, connection.transaction():
            cursor.execute(f"CREATE TEMP TABLE {name} ({columns})")
            with cursor.copy(f"COPY {name} FROM STDIN") as copy:
                for row in table.to_pylist():
                    copy.write_row(tuple(row.values()))
        return Relation(self.backend.sql(f"SELECT * FROM {name}"), "postgres")


@pytest.fixture(scope="session")
def spark_backend():
    pytest.importorskip("pyspark", reason="the extra privet[spark] is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, which is not installed")
    import ibis
    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").appName("privet tests")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.memory": "1g",
        # A hundred small questions: what optimises code that runs for hours takes longer here than it saves (half of all CPU).
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.log.level": "ERROR",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    yield ibis.pyspark.connect(session)
    session.stop()


@pytest.fixture(scope="session")
def postgres_backend():
    with postgres_server() as server:
        import ibis

        host = server.get_uri().split("host=")[1]
        backend = ibis.postgres.connect(host=host, user="postgres", database="postgres")
        yield backend
        backend.disconnect()


@pytest.fixture(params=EVERY_ENGINE)
def engine(request):
    """Each engine in turn."""
    if request.param == "duckdb":
        return Engine("duckdb", None)
    kind = "spark" if request.param == "pyspark" else "postgres"
    return Engine(request.param, request.getfixturevalue(f"{kind}_backend"))
