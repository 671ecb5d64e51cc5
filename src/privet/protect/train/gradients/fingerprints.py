"""What a value is, whatever it is: whether two are the same, and a digest of contents that Python does not show."""

from __future__ import annotations

import array
import enum
import hashlib
import io
import pickle
import re
import types
import weakref
from collections.abc import Iterator
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
_CACHE = type(lru_cache(lambda: None))
_SHOWN = (
    *(Tensor, np.ndarray, dict, list, tuple, set, frozenset, types.FunctionType, types.MethodType, type),
    *(types.CellType, property, staticmethod, classmethod, torch.nn.Module),
)


def has_hidden_state(held: Any) -> bool:
    """Whether an object keeps something that is neither a member nor an attribute of it."""
    if isinstance(held, _SHOWN):
        return False
    if isinstance(held, (torch.Generator, _CACHE, io.IOBase, bytearray, array.array, Iterator)):
        return True
    if hasattr(held, "getstate") and hasattr(held, "setstate"):  # a generator of Python's
        return True
    return not hasattr(held, "__dict__") and not getattr(type(held), "__slots__", ()) and not callable(held)


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
    if isinstance(held, torch.Generator):
        return held.get_state().numpy().tobytes()
    if hasattr(held, "getstate") and hasattr(held, "setstate"):
        return repr(held.getstate()).encode()
    if isinstance(held, _CACHE):
        return str(held.cache_info().currsize).encode()
    if isinstance(held, io.BytesIO | io.StringIO):
        return repr(held.getvalue()).encode()
    if isinstance(held, io.IOBase):
        return b"closed" if held.closed else str(held.tell()).encode()
    if isinstance(held, types.GeneratorType):
        frame = held.gi_frame
        return b"" if frame is None else repr((frame.f_lasti, sorted(frame.f_locals))).encode()
    return pickle.dumps(held)


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
