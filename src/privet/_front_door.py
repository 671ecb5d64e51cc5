"""The front door of a room: the names that other rooms may use, loaded when they are first asked for.

A room's `__init__` imports its public names under `if TYPE_CHECKING:`, where editors, type checkers and the contracts
of the architecture read them. At run time the same lines are read here, so that a name costs nothing until it is used
and no table of names has to be kept beside them.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def front_door(room: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of the room whose `__init__` is `file`."""
    homes = public_names(Path(file).read_text(encoding="utf-8"))

    def getattribute(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        module, original = homes[name]
        value = (
            import_module(f"{module}.{original}")
            if module == room
            else getattr(import_module(module), original)
        )
        setattr(sys.modules[room], name, value)
        return value

    return getattribute, lambda: sorted(homes), sorted(homes)


def public_names(source: str) -> dict[str, tuple[str, str]]:
    """The names that a front door imports for type checkers, each with its module and its name there."""
    return {
        alias.asname or alias.name: (node.module, alias.name)
        for block in ast.parse(source).body
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
