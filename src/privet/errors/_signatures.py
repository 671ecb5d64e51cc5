"""What a function's signature says, read once: its parameters, their kinds, and the keywords it takes."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter
from types import SimpleNamespace
from typing import Any

__all__ = ["Signature", "signature_of"]


@dataclass(frozen=True)
class Signature:
    """The parameters of a function as callers see them. Kinds that cannot be read at run time are left out."""

    parameters: Mapping[str, Parameter]
    kinds: Mapping[str, Any]  # by parameter, and by keyword of an unpacked typed dict
    options: tuple[str, ...] | None  # those keywords; None where any keyword is taken

    @property
    def places(self) -> list[Parameter]:
        """What may be given by position."""
        later = (Parameter.KEYWORD_ONLY, Parameter.VAR_KEYWORD)
        return [one for one in self.parameters.values() if one.kind not in later]

    @property
    def named(self) -> list[Parameter]:
        """What may be given by name."""
        by_name = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        return [
            one for one in self.parameters.values() if one.kind in by_name and one.name not in ("self", "cls")
        ]

    @property
    def keywords(self) -> list[str] | None:
        """Every keyword that is taken; None where any is."""
        return None if self.options is None else [*(one.name for one in self.named), *self.options]


@functools.cache
def signature_of(function: Callable[..., Any]) -> Signature:
    """The signature of a function."""
    parameters = inspect.signature(function).parameters
    kinds: dict[str, Any] = {}
    options: tuple[str, ...] | None = ()
    for one in parameters.values():
        kind = _read(one.annotation, function)
        if one.kind is not one.VAR_KEYWORD:
            kinds[one.name] = kind
        elif typing.get_origin(kind) is typing.Unpack:
            inside = typing.get_type_hints(typing.get_args(kind)[0])
            kinds, options = {**kinds, **inside}, tuple(inside)
        else:
            options = None
    known = {name: kind for name, kind in kinds.items() if kind is not None}
    return Signature(parameters, known, options)


def _read(annotation: Any, function: Callable[..., Any]) -> Any:
    """The kind that an annotation names; None where it names none, or one that only type checkers see."""
    if annotation is Parameter.empty:
        return None
    names = getattr(inspect.unwrap(function), "__globals__", {})
    held = SimpleNamespace(__annotations__={"kind": annotation})
    try:
        return typing.get_type_hints(held, globalns=names)["kind"]
    except (NameError, AttributeError, TypeError):
        return None
