"""Whether a value is of the kind that a signature names, and both of them in plain words.

Only kinds are looked at, never values: what is said here can be shown to anybody. Kinds that cannot be told at
run time (type variables, classes that only type checkers see) fit everything.
"""

from __future__ import annotations

import collections.abc
import datetime
import inspect
import numbers
import os
import types
import typing
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

__all__ = ["TABLES", "fits", "given_words", "is_one_of", "kind_words"]

_WORDS: dict[object, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    bytes: "bytes",
    type(None): "None",
    Path: "a path",
    datetime.date: "a day",
    dict: "a dict",
    list: "a list",
    tuple: "a tuple",
}
_NUMBERS = {int, float}
# What is asked for where any table does, by its name.
TABLES = {"Table", "Asked", "Holder"}
_ALSO_NUMBERS = {"a whole number", "text", "a Decimal", "a Fraction"}
_MANY = (
    collections.abc.Sequence,
    collections.abc.Iterable,
    collections.abc.Collection,
    tuple,
    list,
    set,
    frozenset,
)


def fits(value: object, kind: object) -> bool:
    """Whether a value may stand where a signature says `kind`, as far as that can be told without using it up."""
    origin = typing.get_origin(kind)
    if kind is Any or isinstance(kind, typing.TypeVar | typing.ParamSpec | str):
        return True
    if origin in (typing.Union, types.UnionType):
        parts = typing.get_args(kind)
        if Path in parts and isinstance(value, str | Path) and not _is_path(os.fspath(value)):
            return False
        return any(fits(value, one) for one in parts)
    if origin is typing.Literal:
        return isinstance(value, str | int | None) and value in typing.get_args(kind)
    if origin is collections.abc.Callable:
        return callable(value)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _fits_mapping(value, (*typing.get_args(kind), Any, Any))
    if origin in _MANY:
        return _fits_many(value, origin, typing.get_args(kind))
    if origin is not None:
        return True
    return _fits_class(value, type(None) if kind is None else kind)


def _fits_class(value: object, kind: object) -> bool:
    if not isinstance(kind, type):
        return True
    if getattr(kind, "_is_protocol", False):
        return _fits_protocol(value, kind)
    if kind in _NUMBERS:
        # The libraries' own numbers count as numbers; a truth value does not.
        wanted = numbers.Integral if kind is int else numbers.Real
        return isinstance(value, wanted) and not isinstance(value, bool)
    if kind is bool:
        return isinstance(value, bool) or type(value).__name__ == "bool"
    if kind is Path:
        return isinstance(value, os.PathLike)
    if kind is str:
        return isinstance(value, str) and _is_text(value)
    return isinstance(value, kind)


def _fits_protocol(value: object, kind: type) -> bool:
    """Whether a value has what a protocol names; nothing of it is computed for that."""
    missing = object()
    names = {*getattr(kind, "__annotations__", {}), *vars(kind)}
    return all(
        inspect.getattr_static(value, name, missing) is not missing
        for name in names
        if not name.startswith("_")
    )


def _is_text(value: str) -> bool:
    """Half a character, as broken decoding leaves behind, is nothing that a file, a name or a book could hold."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_path(text: str) -> bool:
    """Whether systems take it for a path: there is a name in it, and none is longer than they keep."""
    return (
        bool(text)
        and "\0" not in text
        and all(len(part.encode(errors="replace")) <= 255 for part in text.split("/"))
    )


def _fits_mapping(value: object, parts: tuple[Any, ...]) -> bool:
    """Keys are looked at, and values of one kind: what takes several says better itself what is wrong with one."""
    if not isinstance(value, Mapping):
        return False
    keys, values = parts[:2]
    return all(fits(key, keys) for key in value) and (
        _several(values) or all(fits(item, values) for item in value.values())
    )


def _several(kind: object) -> bool:
    """Whether a kind stands for things of different sorts, not only for numbers in their different forms."""
    if typing.get_origin(kind) not in (typing.Union, types.UnionType):
        return kind is Any
    plain = (str, int, float, bool, Decimal, Fraction, type(None))
    return not all(part in plain for part in typing.get_args(kind))


def _fits_many(value: object, origin: Any, parts: tuple[Any, ...]) -> bool:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, collections.abc.Iterable):
        return False
    if origin is tuple:
        return _fits_tuple(value, parts)
    if origin is not collections.abc.Iterable and not isinstance(value, origin):
        return False
    # Only what can be read again is looked into.
    if not parts or parts[0] is Any or not hasattr(value, "__len__"):
        return True
    return all(fits(one, parts[0]) for one in value)


def _fits_tuple(value: object, parts: tuple[Any, ...]) -> bool:
    if not isinstance(value, list | tuple):
        return False
    if len(parts) == 2 and parts[1] is Ellipsis:
        return all(fits(one, parts[0]) for one in value)
    return len(value) == len(parts) and all(fits(one, part) for one, part in zip(value, parts, strict=True))


def is_one_of(value: object, words: collections.abc.Iterable[str]) -> bool:
    """Whether a value is one of some words; may be asked of anything, also of what cannot be compared."""
    return isinstance(value, str) and value in words


_MOST_NAMED = 6  # of kinds that would do: more are a list to read, and no help


def kind_words(kind: object) -> str:
    """What is wanted, in plain words."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        named = dict.fromkeys(kind_words(one) for one in parts if one is not type(None))
        if "a number" in named:
            # Exact numbers may be written as text: what is wanted is a number all the same.
            named = {one: None for one in named if one not in _ALSO_NUMBERS}
        if {"text", "a path"} <= set(named):
            named = dict.fromkeys("a path" if one == "text" else one for one in named)
        return " or ".join(named) if len(named) <= _MOST_NAMED else f"{next(iter(named))} or the like"
    if origin is typing.Literal:
        return f"one of {', '.join(repr(one) for one in parts)}"
    if origin is collections.abc.Callable:
        return "a function"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _dict_words(parts)
    if origin is tuple and Ellipsis not in parts:
        return (
            f"a pair of {kind_words(parts[0]).removeprefix('a ')}s"
            if len(parts) == 2
            else f"{len(parts)} values"
        )
    if origin in _MANY:
        inside = kind_words(parts[0]) if parts and parts[0] is not Any else "values"
        return f"a list of {inside.removeprefix('a ')}{'' if inside in ('text', 'values') else 's'}"
    if kind in _WORDS:
        return _WORDS[kind]
    name = getattr(kind, "__name__", str(kind))
    return "a table" if name in TABLES else _named(name)


def _dict_words(parts: tuple[Any, ...]) -> str:
    keys, values = (*parts, Any, Any)[:2]
    named = "names" if keys is str else "keys"
    return "a dict" if _several(values) else f"a dict from {named} to {kind_words(values)}"


def given_words(value: object) -> str:
    """What was given, in plain words: its kind, never its value."""
    kind = type(value)
    if value is None:
        return "None"
    if isinstance(value, type):
        return f"the class {value.__name__} itself"
    return _WORDS.get(kind) or _named(kind.__name__)


def _named(name: str) -> str:
    """A class's name with its article."""
    return f"{'an' if name[:1].upper() in 'AEIOU' else 'a'} {name}"
