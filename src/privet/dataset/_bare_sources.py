"""`open_table` and `open_public` as programs call them: for what no declaration speaks for.

A declared file opened as if nothing were declared would have a second budget, columns outside its purposes, and whatever unit
its reader likes. So it is refused here, and the declaration says how its rows are had.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from privet import source
from privet.dataset._data_set import DataSet

_Said = ParamSpec("_Said")
_Opened = TypeVar("_Opened")


def _of_bare_sources(opening: Callable[_Said, _Opened]) -> Callable[_Said, _Opened]:
    @wraps(opening)
    def opened(*said: _Said.args, **named: _Said.kwargs) -> _Opened:
        thing = said[0] if said else named.get("thing")
        DataSet.refuse_declared(thing)
        return opening(*said, **named)

    return opened


open_table = _of_bare_sources(source.open_table)
open_public = _of_bare_sources(source.open_public)
