"""How a model of the target's kind is trained again: what shadow and reference models are made by."""

from __future__ import annotations

import hashlib
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from privet.artifact import ReleasedModel
from privet.attacks._retrained_models import twin_of
from privet.engine import quiet
from privet.errors import BadAttack

_SIMPLE = (int, float, str, bool, bytes, type(None))


@dataclass(frozen=True)
class Recipe:
    """A training routine: features, labels and a seed in, something that gives probabilities out.

    `digest` names the routine with all its settings: the same digest must mean the same training. Without one,
    nothing trained by it is kept for another time. `ridge` is set where the routine is a logistic regression with
    this inverse strength of its penalty; many of those are trained at once, on what `numbers` makes of the features.
    `note` says what a reader of the figures should know of it.
    """

    train: Callable[[Any, Any, int], Any]
    digest: str | None = None
    ridge: float | None = None
    numbers: Callable[[Any], Any] | None = None
    note: str = ""


def recipe_for(thing: Any) -> Recipe | None:
    """The recipe of a scikit-learn estimator, fitted or not, of a released model, or a stated one; None if not known.

    A function of features, labels and a seed is a recipe too. A model that is only a function of features, or a
    PyTorch module, does not say how it was trained.
    """
    if isinstance(thing, Recipe):
        return thing
    if isinstance(thing, ReleasedModel):
        twin = twin_of(thing)
        return None if twin is None else Recipe(**twin)
    if hasattr(thing, "get_params") and hasattr(thing, "fit") and hasattr(thing, "predict_proba"):
        return _estimator(thing)
    return None


def recipe_of(given: Any, target: Any) -> Recipe:
    """The recipe that was given, or the target's own."""
    if given is not None and not isinstance(given, type):
        found = recipe_for(given)
        if found is not None:
            return found
        if callable(given):
            return Recipe(given, _code_digest(given))
    found = recipe_for(target)
    if found is None:
        raise BadAttack(
            "it is not known how this model was trained, and shadow models are trained alike.",
            "Give the setting recipe: a function of features, labels and a seed that returns a model.",
        )
    return found


def _estimator(estimator: Any) -> Recipe:
    settings = estimator.get_params(deep=True)
    seeds = [name for name in settings if name.split("__")[-1] == "random_state"]
    return Recipe(
        _Refit(estimator, tuple(seeds)), _settings_digest(estimator, settings, seeds), _ridge(estimator)
    )


def _settings_digest(estimator: Any, settings: dict[str, Any], seeds: list[str]) -> str | None:
    """A name for a kind of estimator with its settings; None where one of them cannot be named exactly."""
    held = [_exactly(estimator), *(_exactly(value) for name, value in settings.items() if name not in seeds)]
    if None in held:
        return None
    kept = [name for name in settings if name not in seeds]
    said = sorted(f"{name}={text}" for name, text in zip(kept, held[1:], strict=True))
    return hashlib.sha256("\x1f".join([str(held[0]), *said]).encode()).hexdigest()


def _exactly(value: Any) -> str | None:
    """A text that means exactly this value, or None: what a repr leaves out, or an address in it, would name nothing."""
    import numpy as np

    if isinstance(value, (*_SIMPLE, np.generic)):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return (
            f"{value.dtype}{value.shape}{hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
        )
    if isinstance(value, list | tuple | dict):
        inside = [part for pair in value.items() for part in pair] if isinstance(value, dict) else list(value)
        texts = [_exactly(part) for part in inside]
        return None if None in texts else f"{type(value).__name__}({texts})"
    if hasattr(value, "get_params") and not isinstance(value, type):
        # Its settings are listed beside it; its code is named by the version of the library that it is from.
        kind = type(value)
        version = getattr(sys.modules.get(kind.__module__.partition(".")[0]), "__version__", None)
        return None if version is None else f"{kind.__module__}.{kind.__qualname__} {version}"
    return None


@dataclass(frozen=True)
class _Refit:
    """Train a clone of an estimator. A class of its own, because worker processes must be able to load it."""

    estimator: Any
    seeds: tuple[str, ...]

    def __call__(self, features: Any, labels: Any, seed: int) -> Any:
        from sklearn.base import clone

        with quiet():  # the target's training did not converge either, then
            fresh = clone(self.estimator).set_params(**dict.fromkeys(self.seeds, seed))
            return fresh.fit(features, labels)


def _ridge(estimator: Any) -> float | None:
    """The inverse penalty of a logistic regression whose optimum is unique and whose intercept is free."""
    if type(estimator).__module__.startswith("sklearn.") and type(estimator).__name__ == "LogisticRegression":
        settings = estimator.get_params()
        plain = (
            settings.get("penalty") in {"l2", "deprecated"}
            and not settings.get("l1_ratio")
            and settings["class_weight"] is None
            and settings["fit_intercept"]
            and settings["solver"] != "liblinear"  # it penalises the intercept
        )
        return float(settings["C"]) if plain else None
    return None


def _code_digest(routine: Any) -> str | None:
    """A name for a function's code and what it closes over; None where that is more than plain values."""
    code = getattr(routine, "__code__", None)
    if code is None:
        return None
    held = [cell.cell_contents for cell in routine.__closure__ or ()] + list(routine.__defaults__ or ())
    held += list((routine.__kwdefaults__ or {}).values())
    # What it reads from its module: other libraries' code goes by its name, values must be plain.
    values = [(name, routine.__globals__[name]) for name in _names_in(code) if name in routine.__globals__]
    values = [(name, value) for name, value in values if not _is_library(value, routine.__module__)]
    if not all(isinstance(value, _SIMPLE) for value in [*held, *(value for _, value in values)]):
        return None
    said = sorted(f"{name}={value!r}" for name, value in values)
    found = hashlib.sha256(f"{routine.__module__}.{routine.__qualname__}{held!r}{said}".encode())
    _fold(found, code)
    return found.hexdigest()


def _is_library(value: Any, own: str) -> bool:
    """A module, or a class or function that another module defines."""
    code = isinstance(value, type | types.FunctionType | types.BuiltinFunctionType)
    return isinstance(value, types.ModuleType) or (code and value.__module__ != own)


def _names_in(code: types.CodeType) -> set[str]:
    """All names that a function and those inside it read."""
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*(_names_in(one) for one in inner))


def _fold(found: Any, code: types.CodeType) -> None:
    found.update(code.co_code + repr(code.co_names).encode())
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _fold(found, constant)
        else:
            found.update(repr(constant).encode())
