"""Whose row each published one may be, against looking at every pair."""

import itertools

import numpy as np
import pyarrow as pa
import pytest

from privet.attacks.tables import _record_matching as matching
from privet.attacks.tables._record_matching import matched
from privet.errors import NoPower


def test_matching_agrees_with_looking_at_every_pair() -> None:
    draw = np.random.default_rng(4)
    known = pa.table(
        {
            "age": pa.array(draw.integers(0, 40, 150), mask=draw.random(150) < 0.1),
            "zip": draw.choice(["021", "022", "031"], 150),
            "sex": draw.choice(["f", "m"], 150),
        }
    )
    spans = ["[0, 10[", "[5, 40]", "[20, 30[", "*", None]
    published = pa.table(
        {
            "age": pa.array(draw.choice(np.array(spans, object), 60).tolist(), pa.string()),
            "zip": draw.choice(["02*", "0**", "031", "*"], 60),
            "sex": draw.choice(["f", "m"], 60),
        }
    )

    def age(cell: str | None, value: int | None) -> bool:
        if cell is None or value is None:
            return cell in (value, "*")
        low, high = {"[0, 10[": (0, 9), "[5, 40]": (5, 40), "[20, 30[": (20, 29), "*": (-99, 99)}[cell]
        return low <= value <= high

    def fits(row: dict, person: dict) -> bool:
        start = row["zip"].rstrip("*")
        return (
            age(row["age"], person["age"]) and person["zip"].startswith(start) and row["sex"] == person["sex"]
        )

    columns = [("age", "age"), ("zip", "zip"), ("sex", "sex")]
    for chosen in itertools.chain([columns], [columns[:2]]):
        found = matched(published, known, chosen)
        rows = (
            [dict(row, sex="f") for row in published.to_pylist()]
            if len(chosen) == 2
            else published.to_pylist()
        )
        people = [dict(one, sex="f") for one in known.to_pylist()] if len(chosen) == 2 else known.to_pylist()
        expected = [sum(fits(row, person) for row in rows) for person in people]
        assert found.candidates.tolist() == expected


def candidates(published: list, known: list) -> list[int]:
    table, people = pa.table({"a": published}), pa.table({"a": known})
    return matched(table, people, [("a", "a")]).candidates.tolist()


def test_gaps_meet_gaps_and_stars_meet_everything() -> None:
    assert candidates(["x", None, None], ["x", None, "y"]) == [1, 2, 0]
    assert candidates(["*", None, "x"], ["x", None, "y"]) == [2, 2, 1]


def test_pairs_are_the_same_in_small_parts(monkeypatch) -> None:
    whole = candidates(["[0, 10[", "[5, 20[", "[5, 20["], list(range(20)))
    monkeypatch.setattr(matching, "_MOST_PAIRS", 3)
    assert candidates(["[0, 10[", "[5, 20[", "[5, 20["], list(range(20))) == whole
    assert whole == [1] * 5 + [3] * 5 + [2] * 10


def test_rows_that_fit_nobody_are_strangers_beyond_two_in_a_hundred() -> None:
    people = pa.table({"a": [str(n) for n in range(49)]})
    for strangers, refused in ((1, False), (2, True)):
        rows = pa.table({"a": [str(n) for n in range(49)] + ["z"] * strangers})
        found = matched(rows, people, [("a", "a")])
        if refused:
            with pytest.raises(NoPower, match="4% of the published rows"):
                found.refuse_strangers()
        else:
            found.refuse_strangers()


def test_unread_labels_are_counted_by_column() -> None:
    found = matched(pa.table({"a": ["north", "*"]}), pa.table({"b": ["x", "y"]}), [("a", "b")])
    assert found.unread == {"a": 1}
