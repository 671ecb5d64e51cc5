"""Arguments of public functions, held against their signatures: what does not fit is refused like everything else.

    @checked
    def anonymize(table: Table, promise: Promise, …) -> ReleasedTable: …

A slip in a name, something missing, or a value of another kind then ends in one `BadUsage` that names all of it and
says what to write, instead of a bare `TypeError` here or an `AttributeError` somewhere below.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ParamSpec, TypeVar

from privet.errors._argument_corrections import addition, correction, keyword_instead, says_promise
from privet.errors._general_errors import BadUsage
from privet.errors._signatures import Signature, signature_of
from privet.errors._value_kinds import fits, given_words, kind_words

__all__ = ["checked", "checked_as", "checked_class", "checked_names"]

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C")


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """The function, refusing arguments that do not fit its signature before it runs."""
    return checked_as(_called(function))(function)


def checked_names(function: Callable[P, R]) -> Callable[P, R]:
    """The function, refusing unknown, missing and repeated arguments; it looks at their kinds itself."""
    return checked_as(_called(function), kinds=False)(function)


def checked_as(name: str, *, kinds: bool = True) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """The same under the name that callers know the function by."""

    def wrapped(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> R:
            _refuse(_Call(name, signature_of(function), args, kwargs), kinds=kinds)
            return function(*args, **kwargs)

        return called

    return wrapped


def checked_class(cls: type[C]) -> type[C]:
    """The class, refusing arguments that do not fit its fields before one is made."""
    type.__setattr__(cls, "__init__", checked_as(cls.__name__)(cls.__init__))
    return cls


def _called(function: Callable[..., Any]) -> str:
    """What callers call it: a method by its own name, a constructor by its class's."""
    return function.__qualname__.removesuffix(".__init__").rpartition(".")[2]


class _Call:
    """One call, and everything that is wrong with it: pairs of a fact and a hint."""

    def __init__(
        self, name: str, signature: Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> None:
        self.name, self.signature, self.args, self.kwargs = name, signature, args, kwargs
        places = signature.places
        self.many = places[-1] if places and places[-1].kind is places[-1].VAR_POSITIONAL else None
        single = places[:-1] if self.many else places
        # A keyword of the same name as a parameter that has no name for callers is another argument.
        nameless = {one.name for one in places if one.kind is one.POSITIONAL_ONLY}
        by_place = dict(zip((one.name for one in single), args, strict=False))
        self.given = {**kwargs, **by_place} if nameless else {**by_place, **kwargs}
        self.rest = args[len(single) :]
        self.repeated = [word for word in by_place if word in kwargs and word not in nameless]

    def names(self) -> Iterator[tuple[str, str]]:
        """Too many, unknown, repeated and missing arguments."""
        if self.rest and self.many is None:
            later = [f"{one.name}=…" for one in self.signature.named if one.kind is one.KEYWORD_ONLY][:6]
            hint = f"Name the others: {', '.join(later)}." if later else "Leave the others out."
            if self.signature.keywords is None:
                hint = "Give each a name of your own: name=…."
            places = [one.name for one in self.signature.places if one.name not in ("self", "cls")]
            many = f"{len(places)} argument{'' if len(places) == 1 else 's'}" if places else "no argument"
            yield f"{self.name} takes {many} by position.", hint
        known = self.signature.keywords
        for word in self.kwargs:
            if known is not None and word not in known:
                hint = keyword_instead(word, self.kwargs[word], known)
                yield f"{self.name} has no argument {word!r}.", hint
        for word in self.repeated:
            yield f"{self.name} is given {word!r} twice.", "Give it once."
        for one in self.signature.named:
            if one.default is one.empty and one.name not in self.given:
                said = one.name == "promise" and any(says_promise(word) for word in self.kwargs)
                hint = "" if said else addition(self.name, one.name, self.signature.kinds.get(one.name))
                yield f"{self.name} needs {one.name}.", hint

    def kinds(self) -> Iterator[tuple[str, str]]:
        """Arguments of another kind than their parameter's."""
        kinds = self.signature.kinds
        for word, value in self.given.items():
            kind = kinds.get(word)
            if kind is not None and not fits(value, kind):
                hint = correction(self.name, word, value, kind)
                wanted, given = kind_words(kind), given_words(value)
                # "a dict from keys to a whole number, not a dict" would leave the reader to guess.
                other = f"{given} of anything else" if wanted.startswith(given) else given
                yield f"{self.name}: {word} is {wanted}, not {other}.", hint
        each = kinds.get(self.many.name) if self.many else None
        for value in self.rest if each is not None else ():
            if not fits(value, each):
                hint = "Take them out of the brackets." if isinstance(value, list | tuple | set) else ""
                yield f"{self.name} takes {kind_words(each)} one by one, not {given_words(value)}.", hint


def _refuse(call: _Call, *, kinds: bool) -> None:
    found = [*call.names(), *(call.kinds() if kinds else ())]
    if found:
        faults = [fault for fault, _ in found]
        raise BadUsage(
            " ".join(faults), " ".join(dict.fromkeys(hint for _, hint in found if hint)), faults=faults
        )
