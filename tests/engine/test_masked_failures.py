"""After booking a computation gives an answer or nothing: it raises only what stops a program."""

from __future__ import annotations

import os
import signal
import threading

import ibis
import pyarrow as pa
import pytest

from privet.engine import _engine_results as running
from privet.engine._bin_counts import Branched, Distinct, Ranked
from privet.engine._contribution_bounds import Contribution
from privet.engine._group_measures import Measure
from privet.engine._masked_failures import MaskedFailure, Prepared, attempted
from privet.engine._public_bins import EvenBins
from privet.engine._relation import Relation
from privet.engine._sealed_aggregates import aggregate, prepare
from privet.errors import EngineFailed, MalformedSource
from privet.guarantee._privacy_units import Person
from privet.sealed import FixedPoint

BOUND = Contribution(Person("u"), groups=2, rows=2)
BINS = EvenBins(0, 8, 4)
MEASURES = {
    "persons": Measure("persons"),
    "sum": Measure("sum", "x", FixedPoint(0, 8)),
    "distances": Measure("distances", "x", FixedPoint(0, 8)),
    "ranks": Ranked("x", BINS, FixedPoint(0, 8).step / FixedPoint(0, 8).step / 2),
    "tree": Branched("x", BINS, 2),
    "distinct": Distinct("x"),
}
KEYS = {"all": ((), None), "unknown": (("k",), None), "stated": (("k",), pa.table({"k": ["a", "b"]}))}


def raising(error):
    def compute():
        raise error

    return Prepared(compute, "nothing")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ValueError("row 7: Ms Miller"), "E-ENGINE-007"),
        (MemoryError(), "E-ENGINE-007"),
        (RecursionError(), "E-ENGINE-007"),
        (pa.ArrowInvalid("Ms Miller"), "E-SOURCE-003"),
        (EngineFailed("the computation failed."), "E-ENGINE-007"),
        (MalformedSource("line 7 of the file is too long."), "E-SOURCE-003"),
    ],
)
def test_a_failure_gives_nothing_and_is_kept_apart(error, code):
    given, failure = attempted(raising(error))
    assert given == "nothing"
    assert failure is not None
    assert failure.code == code
    assert "Miller" not in failure.said


def test_an_answer_comes_without_a_failure():
    assert attempted(Prepared(lambda: "answer", "nothing")) == ("answer", None)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_stops_a_program_still_does(stop):
    with pytest.raises(stop):
        attempted(raising(stop()))


def test_an_interrupt_reaches_through_a_computation():
    backend = ibis.duckdb.connect()
    long = backend.sql("SELECT a.range % 9 AS u FROM range(100000) a, range(1000000) b")
    compute = prepare(
        Relation(long, "duckdb"),
        keys=(),
        public_keys=None,
        measures={"n": Measure("persons")},
        contribution=BOUND,
    )
    # Whoever runs the tests in the background may have had the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            compute()
    finally:
        signal.signal(signal.SIGINT, before)
        backend.con.interrupt()


def relation(sql):
    return Relation(ibis.duckdb.connect().sql(sql), "duckdb")


@pytest.mark.parametrize("keys", KEYS)
def test_nothing_is_what_a_table_without_rows_gives(keys):
    """Also where unknown keys leave no group at all: every measure must bear that."""
    names, stated = KEYS[keys]
    question = {"keys": names, "public_keys": stated, "measures": MEASURES, "contribution": BOUND}
    empty = aggregate(relation("SELECT 1 AS u, 'a' AS k, 2.5::DOUBLE AS x WHERE FALSE"), **question)
    failed = prepare(relation("SELECT 1 AS u, 'a' AS k, error('no')::DOUBLE AS x"), **question)()
    assert failed.failure == MaskedFailure(
        "E-SOURCE-003",
        "the computation on duckdb met a value that does not fit its declared type or format.",
    )
    assert empty.failure is None
    assert {name: sealed._exact.tolist() for name, sealed in failed.answers.items()} == {
        name: sealed._exact.tolist() for name, sealed in empty.answers.items()
    }
    assert {name: sealed.sensitivity for name, sealed in failed.answers.items()} == {
        name: sealed.sensitivity for name, sealed in empty.answers.items()
    }
    ours, theirs = (getattr(groups.keys, "_exact", groups.keys) for groups in (failed, empty))
    assert ours == theirs if stated is not None or not names else (ours.num_rows, theirs.num_rows) == (0, 0)


def test_what_is_not_booked_still_raises():
    with pytest.raises(MalformedSource):
        aggregate(
            relation("SELECT error('no')::BIGINT AS u"),
            keys=(),
            public_keys=None,
            measures={"n": Measure("persons")},
            contribution=BOUND,
        )


def test_planning_reads_no_row(engine):
    """A table whose every row fails is planned all the same: otherwise a refusal could depend on a row."""
    failing = {
        "duckdb": "SELECT id, error('no') AS x FROM base",
        "postgres": "SELECT id, 1 / (id - id) AS x FROM base",
        "pyspark": "SELECT id, raise_error('no') AS x FROM base",
    }[engine.name]
    base = engine.load(pa.table({"id": list(range(50))})).table
    table = base.alias("base").sql(failing)
    table = table.group_by("id").aggregate(n=table["x"].count())
    assert running.planned(table, engine.name, running.written(table, engine.name)).num_rows == 0
    with pytest.raises((EngineFailed, MalformedSource)):
        running.fetch(table, engine.name)
