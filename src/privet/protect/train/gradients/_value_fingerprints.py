"""What a value is, whatever it is: whether two are the same, and a digest of contents that Python does not show."""

from __future__ import annotations

import array
import ctypes
import enum
import hashlib
import io
import mmap
import pickle
import queue
import re
import sqlite3
import types
import weakref
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

# What cannot change, or holds nothing.
LEAVES = (
    *(type(None), bool, int, float, complex, str, bytes, range, slice, type(Ellipsis), type(NotImplemented)),
    *(torch.dtype, torch.device, torch.layout, torch.memory_format, np.dtype, np.generic, Fraction, Decimal),
    *(types.ModuleType, types.CodeType, types.MethodDescriptorType, types.WrapperDescriptorType, enum.Enum),
    *(types.GetSetDescriptorType, types.MemberDescriptorType, types.ClassMethodDescriptorType, re.Pattern),
    *(weakref.ref, types.GenericAlias, types.UnionType),
)
CACHE = type(lru_cache(lambda: None))
_C_DATA = ctypes.Array.__mro__[-2]  # of all that ctypes lays out in memory
_KEEPING = (
    *(torch.Generator, CACHE, io.IOBase, bytearray, array.array, Iterator, memoryview, mmap.mmap, _C_DATA),
    *(sqlite3.Connection, queue.SimpleQueue, torch.jit.ScriptModule),
)
_SHOWN = (
    *(Tensor, np.ndarray, dict, list, tuple, set, frozenset, types.FunctionType, types.MethodType, type),
    *(types.CellType, property, staticmethod, classmethod, torch.nn.Module),
)


def has_hidden_state(held: Any) -> bool:
    """Whether an object keeps something that is neither a member nor an attribute of it."""
    if isinstance(held, _KEEPING):
        return True
    if isinstance(held, _SHOWN):
        return False
    if hasattr(held, "getstate") and hasattr(held, "setstate"):  # a generator of Python's
        return True
    return not hasattr(held, "__dict__") and not getattr(type(held), "__slots__", ()) and not callable(held)


def is_opaque(held: Any) -> bool:
    """Whether an object can keep whatever it is given and nothing can tell: it is neither shown nor has a digest."""
    if isinstance(held, queue.SimpleQueue | torch.jit.ScriptModule):
        return True
    if isinstance(held, io.IOBase) or hasattr(held, "__dict__"):
        return False
    return isinstance(held, _KEEPING) and not isinstance(held, types.GeneratorType) and not fingerprint(held)


def fingerprint(held: Any) -> bytes:
    """A digest of contents; empty for what cannot be looked into."""
    if isinstance(held, Tensor):
        return _of_tensor(held)
    if isinstance(held, np.ndarray):
        if held.dtype.hasobject:
            return b""
        return hashlib.blake2b(
            f"{held.dtype}{held.shape}".encode() + np.ascontiguousarray(held).tobytes()
        ).digest()
    try:
        return hashlib.blake2b(_shown(held)).digest()
    except Exception:  # noqa: BLE001 -- whatever it is, it does not let itself be looked into
        return b""


def _of_tensor(held: Tensor) -> bytes:
    whole = held.detach()
    kind = f"{whole.dtype}{tuple(whole.shape)}{whole.layout}{held.requires_grad}".encode()
    if whole.layout is not torch.strided or whole.is_meta:
        return kind
    plain = whole.cpu().contiguous().reshape(-1)
    if not plain.numel():
        return kind
    return hashlib.blake2b(plain.view(torch.uint8).numpy().data, key=hashlib.sha256(kind).digest()).digest()


def _shown(held: Any) -> bytes:
    for kind, contents in _CONTENTS:
        if isinstance(held, kind):
            return contents(held)
    if hasattr(held, "getstate") and hasattr(held, "setstate"):
        return repr(held.getstate()).encode()
    try:
        return pickle.dumps(held)
    except Exception:
        if not isinstance(held, Iterator):
            raise
        return repr(_stand(held)).encode()


def _of_cache(held: Any) -> bytes:
    kept = held.cache_info()
    return f"{kept.misses} {kept.currsize}".encode()  # a full one keeps its size, whatever it keeps


def _of_generator(held: types.GeneratorType[Any, Any, Any]) -> bytes:
    return b"ended" if held.gi_frame is None else str(held.gi_frame.f_lasti).encode()


_CONTENTS: tuple[tuple[Any, Callable[[Any], bytes]], ...] = (
    (torch.Generator, lambda held: held.get_state().numpy().tobytes()),
    (CACHE, _of_cache),
    (io.BytesIO | io.StringIO, lambda held: repr(held.getvalue()).encode()),
    (io.IOBase, lambda held: b"closed" if held.closed else str(held.tell()).encode()),
    (types.GeneratorType, _of_generator),
    (memoryview | _C_DATA, bytes),
    (mmap.mmap, lambda held: held[:]),
    (sqlite3.Connection, lambda held: str(held.total_changes).encode()),
)


def _stand(held: Any) -> Any:
    """Where an iterator stands, by what it would be made of again."""
    if isinstance(held, LEAVES):
        return held
    if isinstance(held, tuple):
        return [_stand(part) for part in held]
    if isinstance(held, Iterator) and not isinstance(held, types.GeneratorType):
        return _stand(iterated(held))
    return id(held)


def iterated(held: Any) -> tuple[Any, ...]:
    """What an iterator of Python's own is made of; fails for others."""
    if getattr(type(held), "__reduce__", None) is object.__reduce__:
        raise TypeError("it does not say what it is made of")
    return tuple(held.__reduce__())


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal, with everything in them."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, Tensor | np.ndarray):
        return one.shape == other.shape and bool(fingerprint(one)) and fingerprint(one) == fingerprint(other)
    if isinstance(one, float):
        return one == other or (one != one and other != other)  # noqa: PLR0124 -- not a number
    if isinstance(one, weakref.ref):
        return one() is other()
    if isinstance(one, LEAVES):
        return bool(one == other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, types.MethodType):
        return one.__self__ is other.__self__ and one.__func__ is other.__func__
    return False
