"""Worlds on every engine: the same people are in the same worlds, and one pass adds up the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
from tests.engine.test_world_aggregates import outputs, rows

from privet.engine import words_for, world_rows
from privet.engine._bounded_rows import OWNER
from privet.engine._open_relation import open_frame
from privet.guarantee import Person, Row

PERSON = Person("who", max_rows=2)


def test_one_pass_gives_the_same_on_every_engine(engine) -> None:
    table = rows(60, 3)
    here = outputs(engine.load(table), PERSON, grouped=True, worlds=34)
    assert here == pytest.approx(outputs(open_frame(table), PERSON, grouped=True, worlds=34))


def test_rows_bear_the_same_words_on_every_engine(engine) -> None:
    def told(relation):
        found = {}
        for batch in world_rows(relation, ["x"], PERSON, seed="seed", worlds=60):
            for row in batch.to_pylist():
                found[str(row[OWNER])] = tuple(row[name] for name in words_for(60))
        return found

    table = rows(60, 3)
    assert told(engine.load(table)) == told(open_frame(table))


def test_rows_that_count_by_themselves_are_in_half_of_the_worlds(engine) -> None:
    """Rows have no name that all engines share: pairs still hold every row once, and halves differ."""
    found = outputs(engine.load(rows(60, 3)), Row(), worlds=34)[:, 0, 0] / 2
    assert found[0::2] + found[1::2] == pytest.approx(np.full(17, 180))
    assert len(set(found.tolist())) > 5
