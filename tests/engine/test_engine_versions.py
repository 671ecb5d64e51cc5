"""Which engine versions are admitted: those that were tested, and no others."""

import pytest

from privet.engine._engine_versions import ADMITTED, admit, check_version, version_of
from privet.engine._relation import ENGINES
from privet.errors import EngineVersion


@pytest.mark.parametrize(
    ("engine", "version"),
    [("duckdb", "1.5.0"), ("duckdb", "1.99.3"), ("pyspark", "4.0.0"), ("postgres", "13"), ("postgres", "18.4"),
     ("postgres", "16.2 (Debian 16.2-1)")],
)  # fmt: skip
def test_tested_versions_are_admitted(engine, version):
    admit(engine, version)


@pytest.mark.parametrize(
    ("engine", "version"),
    [("duckdb", "1.4.9"), ("duckdb", "2.0.0"), ("pyspark", "3.5.1"), ("pyspark", "4.1.0"), ("postgres", "12.9"),
     ("postgres", "19.0"), ("postgres", ""), ("duckdb", "unknown"), ("sqlite", "3.45")],
)  # fmt: skip
def test_others_are_refused(engine, version):
    with pytest.raises(EngineVersion):
        admit(engine, version)


def test_a_refusal_names_what_to_install():
    with pytest.raises(EngineVersion) as caught:
        admit("duckdb", "2.0.0")
    assert caught.value.details == {"engine": "duckdb", "admitted": ">=1.5,<2.0"}
    assert ">=1.5,<2.0" in caught.value.hint


def test_every_engine_has_its_range():
    assert set(ADMITTED) == set(ENGINES)


def test_the_installed_engine_is_asked():
    import duckdb
    import ibis

    from privet.engine._relation import Relation

    relation = Relation(ibis.duckdb.connect().sql("SELECT 1 AS a"), "duckdb")
    assert version_of(relation) == duckdb.__version__
    check_version(relation)
