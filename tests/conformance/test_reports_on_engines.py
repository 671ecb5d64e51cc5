"""Reports are counted where they lie: DuckDB, Spark and PostgreSQL give the same tallies, and the sketch is a group-by there."""

import pyarrow as pa
import pytest
from tests.protect.collect.specifications import collection, values_for

import privet.protect.collect._report_sources as sources
from privet.protect.collect._collected import Collected, SparseCells, collected

# Whole numbers alone are grouped on the engine; seeds of their own are streamed as text.
GROUPED, STREAMED = ("grr", "flh", "hadamard", "hcms", "pem"), ("olh",)


def plain(table: pa.Table) -> pa.Table:
    """The columns as every engine has them: 64-bit numbers with a sign, and text."""
    fields = [
        (
            field.name,
            pa.string() if pa.types.is_dictionary(field.type) or field.type == pa.uint64() else pa.int64(),
        )
        for field in table.schema
    ]
    return table.cast(pa.schema(fields))


def told(found: Collected) -> dict[str, object]:
    cells = {
        name: (one.places.tolist(), one.counts.tolist()) if isinstance(one, SparseCells) else one.tolist()
        for name, one in found.cells.items()
    }
    counts = {name: int(many) for name, many in found.counts.items()}
    return {"cells": cells, "counts": counts, "reports": found.reports, "left_out": found.left_out}


@pytest.mark.parametrize("kind", GROUPED + STREAMED)
def test_every_engine_gives_the_same_tallies(engine, kind, monkeypatch) -> None:
    made = collection(kind)
    reports = plain(made.randomize(values_for(kind, 200)))
    name = reports.column_names[-1]
    beyond = made.protocol.columns()[name][1]
    wrong = pa.array([str(beyond) if reports[name].type == pa.string() else beyond], reports[name].type)
    bad = reports.slice(0, 1).set_column(reports.num_columns - 1, name, wrong)
    whole = pa.concat_tables([reports, bad])
    if kind in GROUPED:
        monkeypatch.setattr(sources, "collected", None)  # no row may be fetched
    (found,) = sources._of_relation(engine.load(whole), made)
    assert told(found) == told(collected(whole, made))
    assert (found.reports, found.left_out) == ((200, 1) if kind != "olh" else (found.reports, found.left_out))
