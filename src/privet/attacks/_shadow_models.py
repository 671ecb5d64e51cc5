"""Shadow and reference models: trained like the target on subsets of the adversary's records, kept only as scores.

Training runs in processes (joblib; on a Ray cluster with backend "ray"), each finished model is written to the cache at
once under a name made of the data, the recipe, the seed and its subset, and one that is there is not trained again: a
run that was killed goes on where it stopped. No model is kept, in memory or on disk, and nothing is pickled to disk.
The scores were made from the people in the data: the cache is for its owner.
"""

from __future__ import annotations

import hashlib
import os
import platform
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet import __version__
from privet.artifact import OwnerOnly, own_folder, written_whole
from privet.attacks._attack_records import AttackRecords, matrix
from privet.attacks._attack_target import target_of
from privet.attacks._batched_logistic import logistic_scores
from privet.attacks._membership_signals import highest, log_odds, right_answers
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks._training_recipe import Recipe
from privet.errors import BadAttack, PrivetError
from privet.evidence import record_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Scores = dict[str, "NDArray[Any]"]
_KEPT_BYTES = 256_000_000  # of recent scores, so that attacks of one round share their shadows
_RECENT: OrderedDict[str, _Scores] = OrderedDict()
_AS_THEY_COME = ("loky", "threading")  # backends that hand over each result at once
_DENSE = 50_000_000  # indicators that are laid out in full; beyond that, models are trained one by one
_TIGHT = 1e-5  # gradients of models trained at once; scikit-learn stops at 1e-4


@dataclass(frozen=True)
class Shadows:
    """The scores of all records by all shadow models; a row for each model."""

    inside: NDArray[np.bool_]  # which records each was trained on
    log_odds: NDArray[np.float32]  # of the record's label
    right: NDArray[np.bool_]  # whether the label was the likeliest class
    highest: NDArray[np.float32]  # the three largest probabilities
    elsewhere: float = 0.0  # CPU seconds that other processes took

    def __len__(self) -> int:
        return len(self.inside)


@dataclass(frozen=True)
class ShadowWork:
    """How shadows are trained; nothing here changes what they are."""

    workers: int = 1
    backend: str = "loky"  # loky, threading, multiprocessing, or ray
    address: str | None = None  # of the Ray cluster
    cache: Path | None = None
    progress: Callable[[str, int, int], None] | None = None


def complementary(models: int, records: int, seed: int = 0) -> NDArray[np.bool_]:
    """Subsets of half the records in complementary pairs: every record is in exactly half of them.

    The first pairs are the same however many follow.
    """
    if models < 2 or models % 2:
        raise BadAttack("shadow models come in complementary pairs.", "Ask for an even number of them.")
    found = np.zeros((models, records), bool)
    for pair in range(models // 2):
        order = repeatable_generator(seed, f"shadow pair {pair}").permutation(records)
        found[2 * pair, order[: records // 2]] = True
        found[2 * pair + 1] = ~found[2 * pair]
    return found


def train_shadows(
    recipe: Recipe,
    records: AttackRecords,
    inside: NDArray[np.bool_],
    seed: int = 0,
    work: ShadowWork | None = None,
) -> Shadows:
    """Train one model on each subset and score all records by each."""
    work = work or ShadowWork()
    if records.labels is None:
        raise BadAttack("shadow models need labels to be trained with.", "Give records with labels.")
    if len(set(np.asarray(records.labels).tolist())) < 2:
        raise BadAttack(
            "all records have the same label: shadow models have nothing to learn.",
            "Give records of two classes.",
        )
    names = _names(recipe, records, inside, seed)
    found = [None if name is None else _known(name, work.cache) for name in names]
    missing = [k for k, one in enumerate(found) if one is None]
    done, elsewhere = len(found) - len(missing), 0.0
    for k, scores, seconds in _trained(recipe, records, inside, seed, missing=missing, work=work):
        found[k] = scores
        done, elsewhere = done + 1, elsewhere + seconds
        _keep(names[k], scores, work.cache)
        if work.progress is not None:
            work.progress("shadow models", done, len(found))
    complete = [one for one in found if one is not None]
    return Shadows(
        inside,
        np.stack([one["log_odds"] for one in complete]),
        np.stack([one["right"] for one in complete]),
        np.stack([one["highest"] for one in complete]),
        elsewhere,
    )


def _trained(
    recipe: Recipe,
    records: AttackRecords,
    inside: NDArray[np.bool_],
    seed: int,
    *,
    missing: list[int],
    work: ShadowWork,
) -> Iterator[tuple[int, _Scores, float]]:
    if missing and (numbers := _at_once(recipe, records)) is not None:
        yield from _linear(recipe, records, numbers, inside, missing)
        return
    from joblib import Parallel, delayed

    def jobs(those: list[int]) -> Iterator[Any]:
        for k in those:
            yield delayed(_one)(recipe.train, records, inside[k], _seed(seed, k), k=k, parent=os.getpid())

    with _on(work):
        if work.backend in _AS_THEY_COME:
            yield from Parallel(n_jobs=work.workers, return_as="generator_unordered")(jobs(missing))
            return
        # Pools of multiprocessing, which Ray's bridge is one of, give back lists: a round of workers at a time.
        for start in range(0, len(missing), work.workers):
            yield from Parallel(n_jobs=work.workers)(jobs(missing[start : start + work.workers]))


@contextmanager
def _on(work: ShadowWork) -> Iterator[None]:
    """The joblib backend that was asked for."""
    from joblib import parallel_config

    if work.backend == "ray":
        try:
            ray, bridge = import_module("ray"), import_module("ray.util.joblib")
        except ImportError:
            raise BadAttack("Ray is not installed.", "Install ray, or leave the backend at loky.") from None
        if not ray.is_initialized():
            ray.init(address=work.address)
        bridge.register_ray()
    elif work.backend not in {*_AS_THEY_COME, "multiprocessing"}:
        raise BadAttack("there is no such backend.", "Choose loky, threading, multiprocessing or ray.")
    # Workers on other machines cannot read a file of this one: arrays are sent to them.
    far = {"max_nbytes": None} if work.backend == "ray" else {}
    with parallel_config(backend=work.backend, n_jobs=work.workers, **far):
        yield


def _one(
    train: Callable[[Any, Any, int], Any],
    records: AttackRecords,
    inside: NDArray[np.bool_],
    seed: int,
    *,
    k: int,
    parent: int,
) -> tuple[int, _Scores, float]:
    """Train one model, ask it about all records, and forget it."""
    started = time.process_time()
    labels = np.asarray(records.labels)
    own = records.take(inside)
    try:
        target = target_of(train(own.native, own.labels, seed))
    except ValueError:
        raise BadAttack(
            "a shadow model could not be trained on a half of the records.",
            "Is a class too rare, or are there gaps that the model cannot take? Give more records, or fill them.",
        ) from None
    probabilities, codes = target.probabilities(records), target.codes(labels)
    scores: _Scores = {
        "log_odds": log_odds(probabilities, codes).astype(np.float32),
        "right": right_answers(probabilities, codes),
        "highest": highest(probabilities),
    }
    return k, scores, 0.0 if os.getpid() == parent else time.process_time() - started


def _at_once(recipe: Recipe, records: AttackRecords) -> NDArray[np.float64] | None:
    """The features as numbers, where the recipe's models are trained all at once: two labels, and not too large."""
    if recipe.ridge is None or len(set(np.asarray(records.labels).tolist())) != 2:
        return None
    if recipe.numbers is None:
        return matrix(records)
    found = recipe.numbers(records.native)
    return None if found.shape[0] * found.shape[1] > _DENSE else np.asarray(found.toarray())


def _linear(
    recipe: Recipe,
    records: AttackRecords,
    numbers: NDArray[np.float64],
    inside: NDArray[np.bool_],
    missing: list[int],
) -> Iterator[tuple[int, _Scores, float]]:
    """Logistic regressions, all at once."""
    yes = np.unique(np.asarray(records.labels), return_inverse=True)[1].astype(bool)
    scores = logistic_scores(numbers, yes, inside[missing], recipe.ridge or 1.0, _TIGHT)
    for k, row in zip(missing, scores, strict=True):
        own = np.where(yes, row, -row)
        sure = 1 / (1 + np.exp(-np.abs(row)))
        found: _Scores = {
            "log_odds": own.astype(np.float32),
            "right": own > 0,
            "highest": np.column_stack([sure, 1 - sure, np.zeros_like(sure)]).astype(np.float32),
        }
        yield k, found, 0.0


def _seed(seed: int, k: int) -> int:
    return int(repeatable_generator(seed, f"shadow model {k}").integers(2**31 - 1))


def _names(recipe: Recipe, records: AttackRecords, inside: NDArray[np.bool_], seed: int) -> list[str | None]:
    """A name for each model that means exactly its data, recipe, seed and subset, and the libraries that train it."""
    if recipe.digest is None:
        return [None] * len(inside)
    what = f"2 {records.digest()} {recipe.digest} {_versions()}"
    return [
        hashlib.sha256(
            f"{what} {_seed(seed, k)} {len(row)} ".encode() + np.packbits(row).tobytes()
        ).hexdigest()
        for k, row in enumerate(inside)
    ]


@cache
def _versions() -> str:
    """This package, Python, and the libraries that models are trained with."""
    found = [__version__, platform.python_version()]
    for name in ("numpy", "scipy", "scikit-learn", "torch"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return " ".join(found)


def _known(name: str, cache: Path | None) -> _Scores | None:
    """Scores from this round or from the cache; a damaged file counts as none."""
    if name in _RECENT:
        return _RECENT[name]
    path = None if cache is None else cache / f"shadow-{name}.safetensors"
    if path is None or not path.exists():
        return None
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        found: _Scores = load(record_bytes(path))
    except (SafetensorError, OSError, PrivetError):
        return None
    return found if {"log_odds", "right", "highest"} <= found.keys() else None


def _keep(name: str | None, scores: _Scores, cache: Path | None) -> None:
    if name is None:
        return
    _RECENT[name] = scores
    while sum(value.nbytes for one in _RECENT.values() for value in one.values()) > _KEPT_BYTES:
        _RECENT.popitem(last=False)
    if cache is None:
        return
    from safetensors.numpy import save

    content = save({key: np.ascontiguousarray(value) for key, value in scores.items()})
    own_folder(cache, parents=True)
    written_whole(cache / f"shadow-{name}.safetensors", OwnerOnly(content))
