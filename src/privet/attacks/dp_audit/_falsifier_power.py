"""The power of the falsifier, measured: mechanisms with the same outputs and a known epsilon are put to the same test.

A planted mechanism draws from the outputs that were recorded, on its two inputs with different probabilities. Its
epsilon is then known exactly: the largest log ratio of the two probabilities of an output. The kinds say where it
leaks. A leak of another kind, or one that recorded outputs cannot carry, is not measured.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from privet.artifact import Planted, Power
from privet.attacks._seeded_generator import Draw, repeatable_generator
from privet.attacks.dp_audit._floating_point_noise import uses_last_bit
from privet.attacks.dp_audit._output_scores import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STEPS = (0.25, 0.5, 1.0, 2.0, 4.0)  # planted above the claim
_FIRST = 2  # the step that is tried first
_RARE = 0.02  # how often rare outputs are drawn where they are more likely
_LOOKED_AT = 64  # outputs that something is planted into
_HOPELESS = 3  # missed in a row before the next step
_AGAINST = "planted mechanisms that draw from the recorded outputs with a known epsilon"

Probabilities: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.float64]]"
Kind: TypeAlias = "Callable[[_Recorded, float, Draw], Probabilities | None]"


@dataclass(frozen=True)
class PlantedTrial:
    """The test whose power is measured: whether draws on two inputs contradict the claim."""

    contradicts: Callable[[Rows, Rows, int], bool]  # draws on both inputs, and a seed
    claimed: float
    draws: int  # on each input
    trials: int  # of each kind and size


@dataclass(frozen=True)
class _Recorded:
    """Outputs, and for each that takes several values which of them lie above its median or use their last bit."""

    outputs: Rows
    above: list[NDArray[np.bool_]]
    places: list[int]
    last: list[NDArray[np.bool_]]

    @classmethod
    def of(cls, outputs: Rows) -> _Recorded:
        columns = list(outputs.T[:_LOOKED_AT])
        above = [_above(column) for column in columns]
        places = [at for at, one in enumerate(above) if 0 < int(one.sum()) < len(one)]
        last = [bit for column in columns if 0.01 < float((bit := uses_last_bit(column)).mean()) < 0.99]
        return cls(outputs, [above[at] for at in places], places, last)


def measured(outputs: Rows, trial: PlantedTrial, seed: int = 0) -> Power | None:
    """How often the test finds what is planted into these outputs; None where nothing can be planted."""
    recorded, found = _Recorded.of(outputs), []
    for name, kind in _KINDS.items():
        draw = repeatable_generator(seed, f"planted {name}")
        if kind(recorded, trial.claimed + _STEPS[_FIRST], draw) is not None:
            found += _searched(name, kind, recorded, trial, draw)
    return Power(_AGAINST, "epsilon", tuple(found)) if found else None


def _searched(name: str, kind: Kind, recorded: _Recorded, trial: PlantedTrial, draw: Draw) -> list[Planted]:
    """Smaller leaks while all are found, larger ones until they are."""

    def tried(step: float) -> Planted:
        epsilon = trial.claimed + step
        return Planted(name, epsilon, *_found(partial(kind, recorded, epsilon, draw), recorded, trial, draw))

    found = [tried(_STEPS[_FIRST])]
    down = found[0].reliably
    for step in _STEPS[:_FIRST][::-1] if down else _STEPS[_FIRST + 1 :]:
        found.append(tried(step))
        if found[-1].reliably != down:
            break
    return [one for one in found if one.trials]


def _found(
    plant: Callable[[], Probabilities | None], recorded: _Recorded, trial: PlantedTrial, draw: Draw
) -> tuple[int, int]:
    """How many of the trials found what was planted, and how many trials there were."""
    hits = at = 0
    while at < trial.trials and not (hits == 0 and at >= _HOPELESS):
        probabilities = plant()
        if probabilities is None:
            break
        here, there = (
            recorded.outputs[draw.choice(len(recorded.outputs), trial.draws, p=each)]
            for each in probabilities
        )
        hits += trial.contradicts(here, there, at)
        at += 1
    return hits, at


def planted_epsilon(probabilities: Probabilities) -> float:
    """The epsilon of a mechanism that draws outputs with these probabilities on its two inputs."""
    here, there = probabilities
    return float(np.abs(np.log(here) - np.log(there)).max())


def _above(column: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether an output lies above its median; nothing released does not."""
    known = column[~np.isnan(column)]
    if not len(known):
        return np.zeros(len(column), bool)
    cut = np.median(known)
    return column > cut if (column > cut).any() else column >= cut


def _tilted(height: NDArray[np.int64], epsilon: float) -> Probabilities | None:
    """Probabilities that rise with the height here and fall there, as steeply as makes the epsilon."""
    levels, at, times = np.unique(height, return_inverse=True, return_counts=True)
    if len(levels) < 2:
        return None

    def each(steep: float) -> Probabilities:
        here, there = (np.exp(sign * steep * (levels - levels.mean())) for sign in (0.5, -0.5))
        return here / (here @ times), there / (there @ times)

    low, high = 0.0, 1.0
    while planted_epsilon(each(high)) < epsilon:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if planted_epsilon(each(middle)) < epsilon else (low, middle)
    here, there = each(low)
    return _whole(here[at]), _whole(there[at])


def _whole(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(probabilities / probabilities.sum())


def _half(recorded: _Recorded, epsilon: float, draw: Draw) -> Probabilities | None:
    if not recorded.above:
        return None
    return _tilted(recorded.above[int(draw.integers(len(recorded.above)))].astype(np.int64), epsilon)


def _rare(recorded: _Recorded, epsilon: float, draw: Draw) -> Probabilities | None:
    """Neighbouring values of one output that are drawn in one of fifty cases here, and more seldom there."""
    if not recorded.places:
        return None
    column = recorded.outputs[:, recorded.places[int(draw.integers(len(recorded.places)))]]
    order = np.argsort(column, kind="stable")
    many = max(1, round(_RARE * float(np.exp(-epsilon)) * len(order)))
    start = int(draw.integers(0, len(order) - many + 1))
    inside = np.isin(column, column[order[start : start + many]])
    if (
        not inside.any() or inside.mean() > _RARE
    ):  # nothing was released, or a common value: none of it is rare
        return None
    seldom = float(np.exp(-epsilon)) * _RARE
    here, there = (
        np.where(inside, part / inside.sum(), (1 - part) / (~inside).sum()) for part in (_RARE, seldom)
    )
    return _whole(here), _whole(there)


def _pair(recorded: _Recorded, epsilon: float, draw: Draw) -> Probabilities | None:
    if len(recorded.above) < 2:
        return None
    one, other = draw.choice(len(recorded.above), 2, replace=False).tolist()
    return _tilted((recorded.above[one] ^ recorded.above[other]).astype(np.int64), epsilon)


def _spread(recorded: _Recorded, epsilon: float, draw: Draw) -> Probabilities | None:
    if len(recorded.above) < 2:
        return None
    total = np.zeros(len(recorded.outputs), np.int64)
    for above in recorded.above:
        total += int(draw.choice([-1, 1])) * above
    return _tilted(total, epsilon)


def _last_bit(recorded: _Recorded, epsilon: float, draw: Draw) -> Probabilities | None:
    if not recorded.last:
        return None
    return _tilted(recorded.last[int(draw.integers(len(recorded.last)))].astype(np.int64), epsilon)


_KINDS: dict[str, Kind] = {
    "A leak through half of the values of one output": _half,
    "through rare values of one output (one draw in fifty)": _rare,
    "through two outputs that only tell together": _pair,
    "through a little in every output": _spread,
    "through the last bit of one output": _last_bit,
}
