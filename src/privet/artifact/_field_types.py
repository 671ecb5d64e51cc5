"""Records that come back: each field of what was read holds what its type says, before anybody computes with it.

A record without a signature is a claim, and may say anything: a text where a number belongs, one value where there are many. Read
as it stands, it would fail later, in the middle of a page, and in Python's words. So what is made of a record is held against the
types that its class declares.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, Literal, TypeVar

Made = TypeVar("Made")
# Libraries that are imported where they are needed alone: what is of their types is in no record.
_NOT_LOADED = {"pa": types.SimpleNamespace(Table=object)}
_LARGEST = 10**300  # a whole number beyond has no place among floats


def fitting(made: Made) -> Made:
    """The same, where each of its fields is of the declared type; else raises TypeError, which names the field."""
    cls: Any = type(made)
    for name, kind in _kinds(cls):
        if not _fits(getattr(made, name), kind):
            raise TypeError(name)
    return made


@cache
def _kinds(cls: Any) -> tuple[tuple[str, Any], ...]:
    hints = typing.get_type_hints(cls, localns=_NOT_LOADED)
    return tuple((field.name, hints[field.name]) for field in fields(cls))


def _fits(value: Any, kind: Any) -> bool:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is Literal:
        return any(value == one and type(value) is type(one) for one in inner)
    if origin is tuple:
        return isinstance(value, tuple) and _all_fit(value, inner)
    if origin is not None and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            _fits(key, inner[0]) and _fits(one, inner[1]) for key, one in value.items()
        )
    return isinstance(value, origin) if origin is not None else _is_one(value, kind)


def _all_fit(values: tuple[Any, ...], kinds: tuple[Any, ...]) -> bool:
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return all(_fits(one, kinds[0]) for one in values)
    return len(values) == len(kinds) and all(_fits(*pair) for pair in zip(values, kinds, strict=True))


def _is_one(value: Any, kind: Any) -> bool:
    """A single value; a truth value is no number, and a whole number may stand for a float."""
    if kind in (Any, object):
        return True
    if kind in (None, types.NoneType):
        return value is None
    if kind is float:
        return type(value) is float or (type(value) is int and abs(value) < _LARGEST)
    if kind is int:
        return type(value) is int
    return not isinstance(kind, type) or isinstance(value, kind)
