"""How a model of the target's kind is trained again: what shadow and reference models are made by."""

from __future__ import annotations

import hashlib
import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from privet.errors import BadAttack

_SIMPLE = (int, float, str, bool, bytes, type(None))


@dataclass(frozen=True)
class Recipe:
    """A training routine: features, labels and a seed in, something that gives probabilities out.

    `digest` names the routine with all its settings: the same digest must mean the same training. Without one,
    nothing trained by it is kept for another time. `ridge` is set where the routine is a logistic regression with
    this inverse strength of its penalty; many of those are trained at once.
    """

    train: Callable[[Any, Any, int], Any]
    digest: str | None = None
    ridge: float | None = None


def recipe_for(thing: Any) -> Recipe | None:
    """The recipe of a scikit-learn estimator, fitted or not, or of a stated one; None if it cannot be known.

    A function of features, labels and a seed is a recipe too. A model that is only a function of features, or a
    PyTorch module, does not say how it was trained.
    """
    if isinstance(thing, Recipe):
        return thing
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
    said = sorted(f"{name}={value!r}" for name, value in settings.items() if name not in seeds)
    kind = f"{type(estimator).__module__}.{type(estimator).__qualname__}"
    from sklearn import __version__

    digest = hashlib.sha256("\x1f".join([__version__, kind, *said]).encode()).hexdigest()
    # A memory address in a setting's text would name nothing.
    return Recipe(
        _Refit(estimator, tuple(seeds)), None if " at 0x" in "".join(said) else digest, _ridge(estimator)
    )


@dataclass(frozen=True)
class _Refit:
    """Train a clone of an estimator. A class of its own, because worker processes must be able to load it."""

    estimator: Any
    seeds: tuple[str, ...]

    def __call__(self, features: Any, labels: Any, seed: int) -> Any:
        from sklearn.base import clone

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the target's training did not converge either, then
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
    if not all(isinstance(value, _SIMPLE) for value in held):
        return None
    found = hashlib.sha256(f"{routine.__module__}.{routine.__qualname__}{held!r}".encode())
    _fold(found, code)
    return found.hexdigest()


def _fold(found: Any, code: types.CodeType) -> None:
    found.update(code.co_code + repr(code.co_names).encode())
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _fold(found, constant)
        else:
            found.update(repr(constant).encode())
