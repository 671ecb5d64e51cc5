"""The settings that a search chooses from: listed, or all combinations of a space; looked at before anything is booked."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

from privet.errors import BadTraining
from privet.guarantee import Change
from privet.protect.train.tabular import LinearSettings


def candidates(
    settings: Sequence[Mapping[str, Any]] | Mapping[str, Sequence[Any]], usual: LinearSettings, change: Change
) -> tuple[LinearSettings, ...]:
    """The settings to try: what is listed, or all combinations of a space; the rest by the public rule."""
    listed = _listed(settings)
    known = {field.name for field in fields(LinearSettings)}
    faults = [f"there is no setting {name!r}." for one in listed for name in one if name not in known]
    if not listed:
        faults.append("there is nothing to choose from.")
    faults += [fault for one in listed for fault in _value_faults(one)]
    if faults:
        raise BadTraining(
            " ".join(dict.fromkeys(faults)),
            f"Settings are {', '.join(sorted(known))}; nothing was read or spent.",
        )
    found = tuple(
        replace(usual, **{**one, **({"q": Fraction(one["q"])} if "q" in one else {})}) for one in listed
    )
    if change is Change.REPLACE and any(one.q < 1 for one in found):
        raise BadTraining(
            "q is 1 where units are replaced.", "Correct the settings; nothing was read or spent."
        )
    return found


def _listed(settings: object) -> list[Mapping[str, Any]]:
    """Each candidate's own settings."""
    if isinstance(settings, Mapping) and all(_is_list(values) for values in settings.values()):
        return [dict(zip(settings, values, strict=True)) for values in itertools.product(*settings.values())]
    if isinstance(settings, Iterable) and _is_list(settings):
        found = list(settings)
        if all(isinstance(one, Mapping) for one in found):
            return found
    raise BadTraining(
        "settings are a list of settings by name, or a list of values for each name.",
        'Write settings={"rate": [0.5, 1.0]}; nothing was read or spent.',
    )


def _is_list(values: object) -> bool:
    return isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping)


def is_number(value: object) -> bool:
    """Whether it is a finite number."""
    return isinstance(value, int | float | Fraction) and not isinstance(value, bool) and math.isfinite(value)


# What each setting may be, in words and as a test; those that are not numbers at all never are.
_ALLOWED: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "steps": ("a whole number of at least 1", lambda value: value >= 1 and value == int(value)),
    "terms": ("a whole number of at least 1", lambda value: value >= 1 and value == int(value)),
    "q": ("above 0 and at most 1", lambda value: 0 < value <= 1),
    "rate": ("positive and finite", lambda value: value > 0),
    "clip": ("positive and finite", lambda value: value > 0),
    "momentum": ("from 0 to below 1", lambda value: 0 <= value < 1),
    "averaged": ("above 0 and at most 1", lambda value: 0 < value <= 1),
    "pull": ("finite and not negative", lambda value: value >= 0),
}


def _value_faults(one: Mapping[str, Any]) -> list[str]:
    return [
        f"{name} is {_ALLOWED[name][0]}."
        for name, value in one.items()
        if name in _ALLOWED and not (is_number(value) and _ALLOWED[name][1](value))
    ]
