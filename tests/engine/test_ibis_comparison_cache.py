"""Ibis' memory of equal expressions, with another thread coming between the steps of forgetting one."""

import sys

import ibis
import pyarrow as pa
import pytest
from ibis.common.bases import Comparable

from privet.engine._open_relation import open_frame


class Interrupted(dict):
    """A memory in which something else happens right after an entry was taken out, as another thread could."""

    meanwhile = None

    def pop(self, *arguments):
        found, meanwhile = super().pop(*arguments), self.meanwhile
        self.meanwhile = None
        if meanwhile:
            meanwhile()
        return found


@pytest.fixture
def memory(monkeypatch):
    open_frame(pa.table({"a": [1]}))  # whoever opens a table has it mended
    memory, unheard = Interrupted(), []
    monkeypatch.setattr(Comparable, "__cache__", memory)
    monkeypatch.setattr(sys, "unraisablehook", unheard.append)
    yield memory
    assert unheard == []


def test_two_expressions_go_at_the_same_time(memory):
    held = {name: ibis.literal(name).op() for name in ("first", "second", "third")}
    assert held["first"] != held["second"]
    assert held["second"] != held["third"]
    second = id(held["second"])
    memory.meanwhile = lambda: held.pop("second")
    held.pop("first")
    assert list(held) == ["third"]
    assert second not in memory.get(id(held["third"]), {})


def test_a_comparison_while_the_last_partner_goes(memory):
    held = {name: ibis.literal(name).op() for name in ("kept", "gone", "fresh")}
    assert held["kept"] != held["gone"]
    memory.meanwhile = lambda: held["kept"] != held["fresh"]
    held.pop("gone")
    kept, fresh = id(held["kept"]), id(held["fresh"])
    assert memory == {kept: {fresh: False}, fresh: {kept: False}}
    held.pop("fresh")
    assert fresh not in memory[kept]


def test_nothing_is_left_when_all_are_gone(memory):
    nodes = [ibis.literal(number).op() for number in range(5)]
    assert all(one != other for one in nodes for other in nodes if one is not other)
    assert len(memory) == 5
    nodes.clear()
    assert memory == {}
