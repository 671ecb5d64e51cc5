"""Pool inference: which group of values somebody prefers, from many reports about many values."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._seeded_generator import Draw, repeatable_generator
from privet.attacks.local._local_client import asked, client_of
from privet.attacks.local._local_guesses import PEOPLE, best_columns, guessed, known_oracle
from privet.attacks.local._report_likelihoods import likelihoods
from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAME = "pool-inference"
_MOST_VALUES = 256


@register(name=NAME, on="client")
def pool_inference(target: Any, case: Case) -> RiskEstimate:
    """Guess which pool of values a person prefers (a skin tone, a party) from many reports about single values.

    Gadotti, Houssiau, Annamalai and de Montjoye 2022, on Apple's count mean sketch; here on any oracle. `groups` are the
    pools, lists of values [default: the values dealt into three]. Made-up people (`draws`, 2000) prefer one pool each; each
    of their `reports` (100) is about a new value, of that pool with the chance `share` (0.9), else of another one. A kept answer
    for each value does not help here: values change. The bound is what so many fresh reports are promised together.
    """
    started = time.process_time()
    client = client_of(target, case.seed)
    oracle = known_oracle(client)
    pools = _pools(client.values, case.setting("groups", None))
    people, times = case.whole("draws", PEOPLE), case.whole("reports", 100)
    inside = _share(case)
    draw = repeatable_generator(case.seed, NAME)
    truth = draw.integers(0, len(pools), people)
    values = np.concatenate(pools)
    belongs = np.repeat(np.arange(len(pools)), [len(one) for one in pools])
    chances = np.log(_chances(pools, belongs, inside))  # of each value, for people of each pool
    scores = np.zeros((people, len(pools)))
    for _ in range(times):
        held = _held(pools, truth, inside, draw)
        said = likelihoods(oracle, client.report(asked(client.values, held)), values, client.seed)
        scores += _log_sums(said[:, None, :] + chances[None])
    right = best_columns(scores, draw.random(scores.shape)) == truth
    return guessed(
        NAME,
        right,
        1 / len(pools),
        case,
        measure="share of preferred pools guessed",
        epsilon=client.for_values(times, case.promise),
        reports=times,
        started=started,
        details={"pools": len(pools), "chance of the preferred pool": inside},
    )


def _share(case: Case) -> float:
    inside = case.number("share", 0.9)
    if not 0 < inside < 1:
        raise BadAttack("share lies between 0 and 1.", "Set share=0.9.")
    return inside


def _pools(values: Sequence[Any], groups: Any) -> list[NDArray[np.int64]]:
    if groups is None:
        some = np.arange(min(len(values), _MOST_VALUES))
        return [part for part in np.array_split(some, min(3, len(values))) if len(part)]
    places = {value: place for place, value in enumerate(values)}
    try:
        found = [np.array([places[value] for value in group], np.int64) for group in groups]
    except (KeyError, TypeError):
        raise BadAttack(
            "a pool names a value that the client does not have.", "Give groups=[[…], […]]."
        ) from None
    if (
        len(found) < 2
        or any(not len(one) for one in found)
        or len(set(np.concatenate(found))) < sum(map(len, found))
    ):
        raise BadAttack("pools are two or more, and share no value.", "Give groups=[[…], […]].")
    return found


def _held(
    pools: list[NDArray[np.int64]], truth: NDArray[np.int64], inside: float, draw: Draw
) -> NDArray[np.int64]:
    """What each person has this time."""
    apart = draw.random(len(truth)) >= inside
    chosen = np.where(apart, (truth + draw.integers(1, len(pools), len(truth))) % len(pools), truth)
    places = draw.random(len(truth))
    sizes = np.array([len(one) for one in pools])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return np.asarray(np.concatenate(pools)[starts[chosen] + (places * sizes[chosen]).astype(np.int64)])


def _chances(
    pools: list[NDArray[np.int64]], belongs: NDArray[np.int64], inside: float
) -> NDArray[np.float64]:
    sizes = np.array([len(one) for one in pools])[belongs]
    own = np.arange(len(pools))[:, None] == belongs[None]
    return np.asarray(np.where(own, inside, (1 - inside) / (len(pools) - 1)) / sizes)


def _log_sums(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    most = terms.max(axis=2, keepdims=True)
    return np.asarray(np.log(np.exp(terms - most).sum(axis=2)) + most[:, :, 0])
