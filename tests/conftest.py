"""Engines for the tests: one Spark session and one PostgreSQL server for the whole run, DuckDB for each table."""

from __future__ import annotations

import itertools
import os
import shutil
import sys

import pytest
from hypothesis import settings
from tests import real_data

from privet.engine._relation import Relation

# No test judges by the clock: a busy machine is no fault.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

_NAMES = (f"t{number}" for number in itertools.count())
# Spark takes long to start: with several workers, only one of them may.
ON_SPARK = pytest.param("pyspark", marks=pytest.mark.xdist_group("spark"))
EVERY_ENGINE = ["duckdb", "postgres", ON_SPARK]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    real_data.begin(item)


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
        "spark.log.level": "ERROR",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    yield ibis.pyspark.connect(session)
    session.stop()


@pytest.fixture(scope="session")
def postgres_backend(tmp_path_factory):
    pgserver = pytest.importorskip("pgserver", reason="no PostgreSQL server to test with")
    import ibis

    server = pgserver.get_server(tmp_path_factory.mktemp("postgres"))
    host = server.get_uri().split("host=")[1]
    backend = ibis.postgres.connect(host=host, user="postgres", database="postgres")
    yield backend
    backend.disconnect()
    server.cleanup()


@pytest.fixture(params=EVERY_ENGINE)
def engine(request):
    """Each engine in turn."""
    if request.param == "duckdb":
        return Engine("duckdb", None)
    kind = "spark" if request.param == "pyspark" else "postgres"
    return Engine(request.param, request.getfixturevalue(f"{kind}_backend"))
