"""What tells one function from another, as text: so that the same question is answered from store, and only the same.

A function is its code with the constants in it, its defaults, what it closes over, and the globals that it names, also inside
its comprehensions and lambdas. Numbers, texts, arrays and containers of these are told by their content, libraries and what is theirs
by name and version, the caller's own functions by the same rule, and of a module of the caller's what the function names of it;
ready-made functions by their fields, and scikit-learn's estimators by their parameters. Anything else may change without
being seen (a class of the caller's, what is looked up by a text, a file): such a function is a new one every time.
"""

from __future__ import annotations

import builtins
import dataclasses
import datetime
import decimal
import dis
import functools
import hashlib
import inspect
import sys
import types
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from privet.source import BlackBox, of_the_moment

_DEEPEST = 20
# Of these types themselves: what is made of them may hold more than it shows.
_PLAIN = frozenset(
    {type(None), bool, int, float, complex, str, bytes, range, type(...), Fraction, decimal.Decimal}
    | {datetime.date, datetime.time, datetime.datetime, datetime.timedelta}
)
# What looks things up by texts, which the code does not show, or reads what is not in the code.
_LOOKS_ELSEWHERE = frozenset(
    {"__import__", "compile", "eval", "exec", "getattr", "globals", "input", "locals", "open", "vars"}
)
_READS = (
    "read",
    "load",
    "open",
    "fromfile",
    "genfromtxt",
    "memmap",
    "environ",
    "getenv",
    "urlopen",
    "connect",
)


class _Unknown(Exception):
    """Something whose content cannot be told."""


def identity(box: BlackBox) -> str:
    """A digest of a declared function; of one that cannot be told from others, a mark that is new every time."""
    said = (box.name, box.rows, box.form, box.reference, dict(box.settings), box.least_people, box.clip)
    digest = hashlib.sha256()
    try:
        for part in (*_told(said, 0), *_told(box.compute, 0)):
            digest.update(part.encode() + b"\0")
    except _Unknown:
        return of_the_moment("function", {})
    return f"function:{digest.hexdigest()}"


def _told(value: Any, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise _Unknown
    yield type(value).__qualname__
    if type(value) in _PLAIN:
        yield repr(value)
    elif isinstance(value, np.ndarray | np.generic):
        yield from _array(np.asarray(value))
    elif isinstance(value, types.CodeType):
        yield from _code(value, depth)
    elif isinstance(value, types.ModuleType):
        yield from _module(value, frozenset(), depth)
    elif (named := _name_in_a_library(value)) is not None:
        yield f"{named} {_version(named)}"
    elif isinstance(value, types.FunctionType):
        yield from _function(value, depth)
    elif isinstance(value, types.MethodType):
        yield from (*_told(value.__self__, depth + 1), *_told(value.__func__, depth + 1))
    elif type(value) is functools.partial:
        yield from _told((value.func, value.args, value.keywords), depth + 1)
    else:
        yield from _container(value, depth)


def _container(value: Any, depth: int) -> Iterator[str]:
    if type(value) in (list, tuple):
        yield str(len(value))
        for item in value:
            yield from _told(item, depth + 1)
    elif type(value) in (dict, types.MappingProxyType):
        yield str(len(value))
        for key, item in value.items():
            yield from _told(key, depth + 1)
            yield from _told(item, depth + 1)
    elif type(value) in (set, frozenset):
        yield from sorted("\1".join(_told(item, depth + 1)) for item in value)
    elif _is_declared(value):
        for one in dataclasses.fields(value):
            yield one.name
            yield from _told(getattr(value, one.name), depth + 1)
    elif type(value).__module__.partition(".")[0] == "sklearn" and hasattr(value, "get_params"):
        yield f"{type(value).__module__} {_version(type(value).__module__)}"
        yield from _told(vars(value), depth + 1)  # its parameters, and what it has learned
    else:
        raise _Unknown


def _array(value: np.ndarray[Any, Any]) -> Iterator[str]:
    if value.dtype.hasobject:
        raise _Unknown
    yield f"{value.dtype.str} {value.shape}"
    yield hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()


def _code(code: types.CodeType, depth: int) -> Iterator[str]:
    yield code.co_code.hex()
    yield " ".join([*code.co_names, "|", *code.co_varnames, "|", *code.co_freevars])
    yield from _told(code.co_consts, depth + 1)


def _function(function: types.FunctionType, depth: int) -> Iterator[str]:
    yield f"{function.__module__}.{function.__qualname__}"
    yield from _told(function.__code__, depth + 1)
    yield from _told(function.__defaults__, depth + 1)
    yield from _told(function.__kwdefaults__ or {}, depth + 1)
    yield from _told(vars(function), depth + 1)
    named = _Named.of(function.__code__)
    around = inspect.getclosurevars(function).nonlocals
    found = {name: function.__globals__[name] for name in named.variables if name in function.__globals__}
    if any(name in _LOOKS_ELSEWHERE and hasattr(builtins, name) for name in named.variables - set(found)):
        raise _Unknown
    if any(name.startswith(_READS) for name in named.attributes):
        raise _Unknown
    imported = {name: sys.modules.get(name) for name in named.modules}
    if None in imported.values():  # what is imported later may be anything
        raise _Unknown
    for values in (around, found, imported):
        for name in sorted(values):
            yield name
            if isinstance(value := values[name], types.ModuleType):
                yield from _module(value, named.attributes, depth + 1)
            # Itself, where it calls itself: its code is told above.
            elif value is not function:
                yield from _told(value, depth + 1)


def _module(module: types.ModuleType, attributes: frozenset[str], depth: int) -> Iterator[str]:
    """A library by its version; of another module, what is named of it somewhere in the function."""
    yield f"{module.__name__} {_version(module.__name__)}"
    if is_library(module.__name__):
        return
    used = sorted(attributes & vars(module).keys())
    if depth > _DEEPEST or not used:
        raise _Unknown
    for name in used:
        yield name
        if isinstance(value := vars(module)[name], types.ModuleType):
            yield from _module(value, attributes, depth + 1)
        else:
            yield from _told(value, depth + 1)


@dataclasses.dataclass(frozen=True)
class _Named:
    """What code names, the code inside it included: variables, attributes of anything, and modules that it imports."""

    variables: frozenset[str]
    attributes: frozenset[str]
    modules: frozenset[str]

    @classmethod
    def of(cls, code: types.CodeType) -> _Named:
        """Of a code object."""
        variables, attributes, modules = set(), set(), set()
        for one in dis.get_instructions(code):
            if "GLOBAL" in one.opname or one.opname == "LOAD_NAME":
                variables.add(str(one.argval))
            elif one.opname in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"):
                attributes.add(str(one.argval))
            elif one.opname == "IMPORT_NAME":
                modules.add(str(one.argval))
        for inner in (cls.of(each) for each in code.co_consts if isinstance(each, types.CodeType)):
            variables |= inner.variables
            attributes |= inner.attributes
            modules |= inner.modules
        return cls(frozenset(variables), frozenset(attributes), frozenset(modules))


def _is_declared(value: Any) -> bool:
    """Whether this is a ready-made function, or a part of one, which is what its fields say."""
    ours = type(value).__module__.startswith("privet.protect.pac.")
    return ours and dataclasses.is_dataclass(value) and not isinstance(value, type)


def _name_in_a_library(value: Any) -> str | None:
    """Where a library has this function or class, which is then what its name and the library's version say; None elsewhere.

    It is looked up: a method of some object and what a library made of the caller's own have the name of something else, or none.
    """
    path = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if not callable(value) or not isinstance(path, str):
        return None
    said = getattr(value, "__module__", None)
    for module in (said, "numpy", "scipy.special") if isinstance(value, np.ufunc) else (said,):
        found: Any = sys.modules.get(module) if isinstance(module, str) and is_library(module) else None
        for part in path.split("."):
            found = getattr(found, part, None)
        if found is value:
            return f"{module}.{path}"
    return None


def is_library(module: str) -> bool:
    """Whether a module is a library's, which its name and version say all about."""
    top = module.partition(".")[0]
    return top in _LIBRARIES or top in sys.stdlib_module_names


def _version(module: str) -> str:
    return str(getattr(sys.modules.get(module.partition(".")[0]), "__version__", ""))


_LIBRARIES = frozenset(
    {"numpy", "scipy", "sklearn", "pandas", "pyarrow", "polars", "torch", "privet", "joblib"}
)
