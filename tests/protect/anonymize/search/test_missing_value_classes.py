"""What a gap means: brute force on small tables, the written file, and refusals."""

import itertools
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.disclosure import Codes
from privet.errors import BadAnonymization, BadSearch, BadUsage, ModelUnfit, Unreachable
from privet.protect.anonymize.hierarchies import Hierarchy
from privet.protect.anonymize.search import search

# The last code of each column is the gap.
LETTERS = Hierarchy.from_paths("letter", [(c, "ab" if c < "c" else "cd", "*") for c in "abcd"])
DIGITS = Hierarchy.from_paths("digit", [("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*")])
GAPS = (4, 3)
HEIGHTS = (2, 2)
tables = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 1)), min_size=4, max_size=24)


def coded(rows):
    every = Codes.from_rows(("letter", "digit", "ill"), rows)
    return Codes(every.columns, every.codes, every.counts, (5, 4, 2), (4, 3, None))


def ladders():
    return [
        LETTERS.with_gaps_apart().ladder([*"abcd", None]),
        DIGITS.with_gaps_apart().ladder([*"123", None]),
    ]


def shown(rows, levels):
    """Rows as they would be published; None is a gap."""
    paths = (LETTERS.paths(), DIGITS.paths())
    return [
        tuple(None if row[j] == GAPS[j] else paths[j][row[j]][levels[j]] for j in range(2)) for row in rows
    ]


def alike(one, other):
    return all(a is None or b is None or a == b for a, b in zip(one, other, strict=True))


def published(rows, levels, k, missing):
    """Which rows can be published at these levels, by the meaning of gaps itself."""
    cells = shown(rows, levels)
    if missing == "ignored":
        whole = [cell for cell in cells if None not in cell]
        return [None not in cell and whole.count(cell) >= k for cell in cells]
    kept = [True] * len(rows)
    while True:
        few = [
            at
            for at, cell in enumerate(cells)
            if kept[at] and sum(alike(cell, o) for o, there in zip(cells, kept, strict=True) if there) < k
        ]
        if not few:
            return kept
        for at in few:
            kept[at] = False


def loss_of(rows, levels, kept):
    total = 0.0
    for j, ladder in enumerate(ladders()):
        leaves = len(ladder.hierarchy.values)
        shares = [
            ladder.shares[row[j], levels[j]] if there else 1.0 for row, there in zip(rows, kept, strict=True)
        ]
        total += (sum(shares) - len(rows) / leaves) / (len(rows) - len(rows) / leaves)
    return total / 2


@pytest.mark.parametrize("missing", ["wildcard", "ignored"])
@settings(max_examples=60, deadline=None)
@given(rows=tables, k=st.integers(2, 4), share=st.sampled_from(["0", "0.3", "0.6", "1"]))
def test_the_optimum_under_each_meaning_by_brute_force(missing, rows, k, share):
    limit = int(Fraction(share) * len(rows))
    best = None
    for levels in itertools.product(*(range(height + 1) for height in HEIGHTS)):
        kept = published(rows, levels, k, missing)
        if kept.count(False) <= limit:
            value = loss_of(rows, levels, kept)
            best = value if best is None else min(best, value)
    for how in ("optimal", "anytime"):
        try:
            found = search(
                coded(rows), ladders(), pv.KAnonymity(k), max_suppressed=share, missing=missing, how=how
            )
        except Unreachable:
            assert best is None
            continue
        assert best is not None
        assert found.optimal
        assert found.loss == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("how", ["local", "mondrian"])
@settings(max_examples=40, deadline=None)
@given(rows=tables, share=st.sampled_from(["0.3", "0.6"]))
def test_rows_with_gaps_are_left_out_by_searches_row_by_row(how, rows, share):
    promise = pv.KAnonymity(2) & pv.TCloseness("ill", "0.5")
    try:
        found = search(coded(rows), ladders(), promise, max_suppressed=share, missing="ignored", how=how)
    except Unreachable:
        return
    gaps = (found.codes == np.array(GAPS)).any(axis=1)
    assert found.suppressed[gaps].all()
    assert (found.labels[gaps] == -1).all()
    assert found.counts.sum() == len(rows)
    assert found.suppressed_rows <= int(Fraction(share) * len(rows))
    kept = ~found.suppressed
    sizes = np.bincount(found.labels[kept], weights=found.counts[kept]) if kept.any() else np.zeros(1)
    assert (sizes[sizes > 0] >= 2).all()
    assert found.loss >= found.suppressed_rows / len(rows) - 1e-12


def people(rows: int = 300) -> pa.Table:
    draw = np.random.default_rng(3)
    towns = draw.integers(0, 6, rows)
    return pa.table(
        {
            "age": pa.array(
                [None if draw.random() < 0.05 else int(draw.integers(20, 60)) for _ in range(rows)]
            ),
            "town": [None if town == 5 else f"t{town}" for town in towns],
            "ill": draw.choice(["flu", "gout", "cold"], rows).tolist(),
        }
    )


ROLES = {"age": "quasi", "town": "quasi", "ill": "sensitive"}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("missing", ["own value", "wildcard", "ignored"])
def test_the_file_keeps_the_promise_under_its_meaning(tmp_path: Path, ending: str, missing: str) -> None:
    table = pv.open_table(people(), roles=ROLES)
    made = pv.anonymize(
        table, pv.KAnonymity(6), max_suppressed="0.3", missing=missing, out=tmp_path / f"safe.{ending}"
    )
    cells = [(row["age"] or None, row["town"] or None) for row in made.to_arrow().to_pylist()]
    if missing == "own value":
        assert min(cells.count(cell) for cell in cells) >= 6
    elif missing == "wildcard":
        assert min(sum(alike(cell, other) for other in cells) for cell in cells) >= 6
        assert any(None in cell and cells.count(cell) < 6 for cell in cells)  # they hide among others
        assert made.after.smallest_class == min(sum(alike(c, other) for other in cells) for c in cells)
    else:
        assert not any(None in cell for cell in cells)
        assert min(cells.count(cell) for cell in cells) >= 6
        gone = sum(row["age"] is None or row["town"] is None for row in people().to_pylist())
        assert made.found.suppressed_rows >= gone
    assert made.found.missing == missing
    assert pv.ReleasedTable.from_json(made.to_json()).found.missing == missing


def test_a_wildcard_never_costs_more() -> None:
    table = pv.open_table(people(), roles=ROLES)
    losses = [
        pv.anonymize(table, pv.KAnonymity(6), max_suppressed="0.3", missing=missing).loss
        for missing in ("wildcard", "ignored")
    ]
    assert losses[0] <= losses[1] + 1e-12


def test_what_has_no_meaning_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    pa.csv.write_csv(people(), source)
    table = pv.open_table(source, roles=ROLES)
    source.write_text("gone", encoding="utf-8")  # whoever reads it now fails
    for promise, how in (
        (pv.KAnonymity(2) & pv.LDiversity("ill", 2), "optimal"),
        (pv.RiskThreshold(average="0.2"), "optimal"),
        (pv.KAnonymity(2), "local"),
        (pv.KAnonymity(2), "mondrian"),
    ):
        with pytest.raises(ModelUnfit, match="overlap"):
            pv.anonymize(table, promise, missing="wildcard", search=how)
    with pytest.raises(ModelUnfit, match="population"):
        pv.anonymize(table, pv.KMap(3), missing="ignored", population=table)
    with pytest.raises(BadUsage, match="'own value', 'wildcard', 'ignored'"):
        pv.anonymize(table, pv.KAnonymity(2), missing="zero")
    with pytest.raises(BadAnonymization, match="max_suppressed=0"):
        pv.anonymize(table, pv.DeltaPresence("0.1", "0.5"), max_suppressed="0.1", population=table)


def test_more_gaps_than_may_be_left_out() -> None:
    with pytest.raises(Unreachable, match="2 rows miss a quasi-identifier"):
        search(
            coded([(4, 0, 0), (0, 3, 0), *[(0, 0, 0)] * 4]),
            ladders(),
            pv.KAnonymity(2),
            missing="ignored",
            max_suppressed="0.2",
        )


def test_hierarchies_that_turn_gaps_into_values_do_not_fit() -> None:
    meeting = [LETTERS.with_missing().ladder([*"abcd", None]), ladders()[1]]
    with pytest.raises(BadSearch, match="equal to others"):
        search(coded([(0, 0, 0)] * 4), meeting, pv.KAnonymity(2), missing="wildcard")
