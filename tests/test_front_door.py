"""The front door of a room: the names it says, loaded when asked for, and no others."""

import sys
from types import ModuleType

import pytest

from privet._front_door import front_door, public_names

SOURCE = '''
"""A room."""
from typing import TYPE_CHECKING
from pathlib import Path

if TYPE_CHECKING:
    import json
    from fractions import Fraction as Fraction
    from decimal import Decimal as Exact
    from a_room_of_tests import wing as wing
    from . import nothing
if sys.version:
    from math import pi
else:
    from math import e
'''


def test_only_what_is_imported_for_type_checkers_is_public():
    assert public_names(SOURCE) == {
        "Fraction": ("fractions", "Fraction"),
        "Exact": ("decimal", "Decimal"),
        "wing": ("a_room_of_tests", "wing"),
    }


@pytest.fixture
def room(tmp_path, monkeypatch):
    folder = tmp_path / "a_room_of_tests"
    folder.mkdir()
    (folder / "__init__.py").write_text(SOURCE)
    (folder / "wing.py").write_text("LOADED = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = ModuleType("a_room_of_tests")
    module.__path__ = [str(folder)]
    monkeypatch.setitem(sys.modules, "a_room_of_tests", module)
    yield module, *front_door("a_room_of_tests", str(folder / "__init__.py"))
    sys.modules.pop("a_room_of_tests.wing", None)


def test_names_are_loaded_when_they_are_asked_for_and_kept(room):
    from decimal import Decimal

    module, getattribute, names, everything = room
    assert everything == names() == ["Exact", "Fraction", "wing"]
    assert not hasattr(module, "Exact")
    assert getattribute("Exact") is Decimal
    assert module.Exact is Decimal


def test_a_module_of_the_room_itself_is_imported(room):
    _, getattribute, _, _ = room
    assert "a_room_of_tests.wing" not in sys.modules
    assert getattribute("wing").LOADED is True
    assert isinstance(getattribute("wing"), ModuleType)


@pytest.mark.parametrize("name", ["json", "Path", "Decimal", "pi", "nothing", "__wrapped__"])
def test_anything_else_is_no_attribute(room, name):
    with pytest.raises(AttributeError, match="a_room_of_tests"):
        room[1](name)


def test_every_room_offers_what_it_says():
    import privet.guarantee as room

    assert room.PureDP.__module__ == "privet.guarantee._differential"
    assert "PureDP" in dir(room)
    with pytest.raises(AttributeError):
        room.nothing  # noqa: B018
