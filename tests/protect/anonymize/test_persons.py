"""People with several rows: classes are counted in people, in the search and in the written file."""

import itertools
from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.disclosure import Codes
from privet.errors import PromiseBroken, SeveralRowsPerPerson, Unreachable
from privet.guarantee._promise_registry import Promise
from privet.protect.anonymize import _anonymize as anonymizing
from privet.protect.anonymize.hierarchies import Hierarchy
from privet.protect.anonymize.search import search

LETTERS = Hierarchy.from_paths("letter", [(c, "ab" if c < "c" else "cd", "*") for c in "abcd"])
COIN = Hierarchy.from_paths("coin", [("h", "*"), ("t", "*")])
tables = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(0, 4)), min_size=4, max_size=24)


def coded(rows):
    every = Codes.from_rows(("letter", "coin", "who"), rows)
    return Codes(every.columns, every.codes, every.counts, (4, 2, 5), (None,) * 3)


def ladders():
    return [LETTERS.ladder("abcd"), COIN.ladder("ht")]


@settings(max_examples=60, deadline=None)
@given(rows=tables, k=st.integers(2, 3))
def test_the_optimum_in_people_by_brute_force(rows, k):
    best = None
    for levels in itertools.product(range(3), range(2)):
        classes = defaultdict(set)
        for letter, coin, who in rows:
            cell = (LETTERS.paths()[letter][levels[0]], COIN.paths()[coin][levels[1]])
            classes[cell].add(who)
        if min(len(people) for people in classes.values()) < k:
            continue
        shares = [
            np.mean([ladder.shares[row[j], levels[j]] for row in rows]) for j, ladder in enumerate(ladders())
        ]
        value = ((shares[0] - 1 / 4) / (3 / 4) + (shares[1] - 1 / 2) / (1 / 2)) / 2
        best = value if best is None else min(best, value)
    for how in ("optimal", "local", "mondrian"):
        try:
            found = search(coded(rows), ladders(), pv.KAnonymity(k), persons="who", how=how)
        except Unreachable:
            assert best is None
            continue
        whose = defaultdict(set)
        at = {tuple(line): label for line, label in zip(found.codes.tolist(), found.labels, strict=True)}
        for row in rows:
            whose[at[row[:2]]].add(row[2])
        assert min(len(people) for people in whose.values()) >= k
        if how == "optimal":
            assert found.loss == pytest.approx(best, abs=1e-12)


def stays(people: int = 150) -> pa.Table:
    draw = np.random.default_rng(5)
    whose = np.repeat(np.arange(people), draw.integers(1, 5, people))
    rows = len(whose)
    return pa.table(
        {
            "who": [f"p{person}" for person in whose],
            "age": draw.integers(20, 50, rows),
            "sex": draw.choice(["F", "M"], rows).tolist(),
            "ill": draw.choice(["flu", "gout", "cold"], rows).tolist(),
            "number": np.arange(rows),
        }
    )


def opened(table: pa.Table) -> pv.Table:
    roles = {"age": "quasi", "sex": "quasi", "ill": "sensitive", "number": "insensitive"}
    known = {name: role for name, role in roles.items() if name in table.column_names}
    return pv.open_table(table, unit=pv.Person("who"), roles=known)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_every_class_of_the_file_has_k_people(tmp_path: Path, ending: str) -> None:
    table = stays()
    promise = pv.KAnonymity(8) & pv.LDiversity("ill", 2)
    made = pv.anonymize(opened(table), promise, out=tmp_path / f"safe.{ending}")
    rows = made.to_arrow().to_pylist()
    assert "who" not in rows[0]
    whose = table["who"].to_pylist()
    people = defaultdict(set)
    for row in rows:
        people[row["age"], row["sex"]].add(whose[int(row["number"])])
    fewest = min(len(found) for found in people.values())
    assert fewest >= 8
    assert made.after.smallest_class == fewest
    assert made.after.highest_risk == pytest.approx(1 / fewest)
    assert any("counted in people" in note for note in made.notes)


def one_and_nine() -> pa.Table:
    """Nine rows of one person, and nine people with a row each."""
    return pa.table(
        {
            "who": ["p0"] * 9 + [f"p{at}" for at in range(1, 10)],
            "age": [30] * 9 + [40] * 9,
            "sex": ["F"] * 18,
            "ill": ["flu"] * 18,
        }
    )


def test_rows_of_one_person_hide_nobody() -> None:
    table = one_and_nine()
    with_people = pv.anonymize(opened(table), pv.KAnonymity(5), search="local")
    assert len({row["age"] for row in with_people.to_arrow().to_pylist()}) == 1
    by_row = pv.open_table(table, unit=pv.Row(), roles={"age": "quasi", "sex": "quasi", "ill": "sensitive"})
    assert pv.anonymize(by_row, pv.KAnonymity(5)).loss == pytest.approx(0)


def test_the_check_of_the_file_counts_people(monkeypatch: pytest.MonkeyPatch) -> None:
    """Should the search count rows by mistake, the written file is refused."""
    find = anonymizing.find
    monkeypatch.setattr(anonymizing, "find", lambda *given, **more: find(*given, **{**more, "persons": None}))
    with pytest.raises(PromiseBroken, match="1 people"):
        pv.anonymize(opened(one_and_nine()), pv.KAnonymity(5))


@pytest.mark.parametrize(
    "promise",
    [
        pv.KAnonymity(3) & pv.TCloseness("ill", "0.3"),
        pv.LDiversity("ill", 2, "entropy"),
        pv.RiskThreshold(average="0.2"),
    ],
)
def test_what_cannot_be_said_of_people_is_refused(promise: Promise) -> None:
    with pytest.raises(SeveralRowsPerPerson, match="cannot be said"):
        pv.anonymize(opened(stays(20)), promise)


def test_rows_that_are_nobodys_are_refused() -> None:
    table = pa.table({"who": ["a", "a", None], "age": [1, 2, 3], "sex": ["F"] * 3, "ill": ["flu"] * 3})
    with pytest.raises(SeveralRowsPerPerson, match="nobody's"):
        pv.anonymize(opened(table), pv.KAnonymity(2))
