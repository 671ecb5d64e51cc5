"""The attacks there are: each registers what it fits and what the adversary must hold, and is found by that.

    @register(name="membership-threshold", on="model", needs=("members", "control"))
    def loss_threshold(target: Model, case: Case) -> RiskEstimate: ...

New attacks join by registering; nothing else is edited for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from privet.artifact import RiskEstimate
from privet.errors import BadAttack
from privet.guarantee import Promise

KINDS = (
    "model", "language", "shield", "table", "statistics", "worlds", "update", "mechanism", "run", "canaries", "client",
)  # fmt: skip

_MAY_BE_NONE = frozenset({"excluded", "plants"})

# Rooms of attacks; importing one registers what is in it.
ROOMS = (
    "privet.attacks.dp_audit",
    "privet.attacks.inversion",
    "privet.attacks.memorization",
    "privet.attacks.local",
    "privet.attacks.models",
    "privet.attacks.statistics",
    "privet.attacks.tables",
    "privet.attacks.updates",
    "privet.attacks.worlds",
)


@dataclass(frozen=True)
class Case:
    """What the adversary holds and the owner knows, for one round of attacks.

    `members` are records that were used; `control` are like them and were not. Only the scoring sees which is
    which. `auxiliary` is what the adversary has from elsewhere.
    """

    members: Any = None
    control: Any = None
    auxiliary: Any = None
    promise: Promise | None = None
    seed: int = 0
    confidence: float = 0.95
    workers: int = 1
    cache: Path | None = None
    progress: Callable[[str, int, int], None] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def setting(self, name: str, default: Any) -> Any:
        """One of the attack's own settings."""
        return self.settings.get(name, default)

    def whole(self, name: str, default: int) -> int:
        """A setting that is a whole number, at least 1; `excluded` and `plants` may be 0."""
        given = self.settings.get(name, default)
        if isinstance(given, bool) or not isinstance(given, Integral) or given < (name not in _MAY_BE_NONE):
            least = int(name not in _MAY_BE_NONE)
            raise BadAttack(f"{name} is a whole number, at least {least}.", f"Set {name}={default}.")
        return int(given)

    def number(self, name: str, default: float) -> float:
        """A setting that is a number, not below 0."""
        given = self.settings.get(name, default)
        if isinstance(given, bool) or not isinstance(given, Real) or not 0 <= float(given) < float("inf"):
            raise BadAttack(f"{name} is a number, and not below 0.", f"Set {name}={default:g}.")
        return float(given)

    def lacks(self, needs: Iterable[str]) -> list[str]:
        """What is needed and was not given."""
        return [need for need in needs if getattr(self, need, None) is None and need not in self.settings]


# What attacks need, as the literature calls it; the name of the argument or setting stands in brackets.
NEEDS = {
    "members": "the original rows (members)",
    "control": "a holdout (control)",
    "oracle": "query access (oracle)",
    "other": "another release of the same people (other)",
    "hierarchies": "the generalization hierarchies (hierarchies)",
    "recipe": "a training recipe for shadow models (recipe)",
    "differentiable": "a model with gradients (differentiable)",
    "model": "the model (model)",
    "promise": "the promise (promise)",
    "canaries": "the record of planted canaries (canaries)",
    "corpus": "texts that are sent (corpus)",
    "attribute": "what is to be told of each person (attribute)",
    "reference": "a model that was not trained on the texts (reference)",
    "again": "a way to run the mechanism again (again)",
}


def in_words(needs: Iterable[str]) -> str:
    """What is needed, in the field's words."""
    return " and ".join(NEEDS.get(need, need) for need in needs)


@dataclass(frozen=True)
class Attack:
    """A registered attack."""

    name: str
    on: str
    needs: tuple[str, ...]
    says: str  # one line: what the adversary tries
    run: Callable[[Any, Case], RiskEstimate]


_KNOWN: dict[str, Attack] = {}


def register(
    *, name: str, on: str, needs: tuple[str, ...] = ()
) -> Callable[[Callable[[Any, Case], RiskEstimate]], Callable[[Any, Case], RiskEstimate]]:
    """Make an attack known by name; its docstring's first line says what the adversary tries."""
    if on not in KINDS:
        raise ValueError(f"an attack is on one of {', '.join(KINDS)}")

    def keep(run: Callable[[Any, Case], RiskEstimate]) -> Callable[[Any, Case], RiskEstimate]:
        if name in _KNOWN and _KNOWN[name].run.__qualname__ != run.__qualname__:
            raise ValueError(f"there is an attack {name!r} already")
        says = (run.__doc__ or "").strip().split("\n")[0]
        _KNOWN[name] = Attack(name, on, needs, says, run)
        return run

    return keep


def attacks(on: str | None = None) -> tuple[Attack, ...]:
    """All attacks, or those on one kind of thing, by name."""
    for room in ROOMS:
        import_module(room)
    return tuple(_KNOWN[name] for name in sorted(_KNOWN) if on is None or _KNOWN[name].on == on)


def fitting(on: str, case: Case, names: Iterable[str] | None = None) -> tuple[Attack, ...]:
    """The attacks on this kind of thing that the case has enough for; named ones must fit, or it is an error."""
    known = {attack.name: attack for attack in attacks()}
    if names is None:
        return tuple(attack for attack in known.values() if attack.on == on and not case.lacks(attack.needs))
    faults, chosen = [], []
    for name in names:
        attack = known.get(name)
        if attack is None:
            faults.append(f"there is no attack {name!r}.")
        elif attack.on != on:
            faults.append(f"{name} attacks a {attack.on}, and this is a {on}.")
        elif missing := case.lacks(attack.needs):
            faults.append(f"{name} needs {in_words(missing)}.")
        else:
            chosen.append(attack)
    if faults:
        raise BadAttack(
            " ".join(faults), "`privet attack --list` says what there is and what each needs.", faults=faults
        )
    return tuple(chosen)
