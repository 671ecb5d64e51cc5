"""Making one thing of a sweep, and measuring it: what it keeps, and what attacks make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from privet.artifact import IntervalEstimate
from privet.engine import with_columns
from privet.guarantee import ApproxDP, Person, Promise, most_accuracy, most_linked
from privet.ledger import Ledger
from privet.pipeline import _attack_advantage as advantages
from privet.pipeline import _nonprivate_model as nonprivate_model
from privet.pipeline._holdout_utility import estimated
from privet.pipeline._sweep_fitness import quasi_of
from privet.pipeline._sweep_pac import PacBench, matched
from privet.pipeline._sweep_point import MOST_MEANINGFUL, REFERENCE, SweepPoint
from privet.pipeline._sweep_settings import Sweep
from privet.pipeline._sweep_split import Halves
from privet.source import Role, Table

_PROVEN = 5  # quasi-identifiers up to which the least loss is proven


@dataclass(eq=False)
class SweepBench:
    """What all trials share."""

    halves: Halves
    sweep: Sweep
    ledger: Ledger
    booked: bool
    why: str
    purpose: str | None
    unfit: list[str] = field(default_factory=list)

    @property
    def published(self) -> Any:
        """The used rows as they could be published."""
        return self.halves.used_rows.select(self.halves.shared)

    @property
    def members(self) -> Table:
        """The same rows with whose they are, so that attacks take people for people."""
        return self._whose(self.halves.used_rows)

    @property
    def control(self) -> Table:
        return self._whose(self.halves.held_rows)

    def _whose(self, rows: Any) -> Table:
        used = self.halves.used
        own = [used.unit.column] if isinstance(used.unit, Person) else []
        return replace(used, relation=with_columns(rows.select([*own, *self.halves.shared]), {}))

    @property
    def quasi(self) -> list[str]:
        return quasi_of(self.halves.used)


def twin_settings(halves: Halves, sweep: Sweep) -> dict[str, Any]:
    """How a twin is made: of the columns that may be published, with the target in view."""
    return {
        "method": sweep.twin,
        "columns": [name for name in halves.shared if name in halves.schema.columns],
        "schema": halves.schema,
        "workload": halves.target.name,
    }


def search_for(quasi: Sequence[str]) -> Literal["optimal", "anytime"]:
    """How to look for the least loss."""
    return "optimal" if len(quasi) <= _PROVEN else "anytime"


def raw_table(bench: SweepBench) -> SweepPoint:
    rows = bench.published
    return _of_table(bench, rows, rows, {}, label="raw table", promise=None)


def anonymized_table(bench: SweepBench, promise: Promise, strength: dict[str, Any], label: str) -> SweepPoint:
    from privet.protect.anonymize import anonymize

    table = bench.halves.used
    coarse = dict.fromkeys(strength.get("also_quasi", ()), Role.QUASI)
    table = replace(table, roles={**table.roles, **coarse})
    made = anonymize(
        table, promise, max_suppressed=bench.sweep.max_suppressed, search=search_for(quasi_of(table))
    )
    return _of_table(bench, made, made.to_arrow(), strength, label=label, promise=promise)


def _of_table(
    bench: SweepBench, made: Any, rows: Any, strength: dict[str, Any], *, label: str, promise: Promise | None
) -> SweepPoint:
    halves, sure = bench.halves, bench.sweep.confidence
    model = nonprivate_model.learned(rows, halves.used_rows, halves.features, halves.target)
    by_attack, untried = advantages.attacked_table(
        made,
        bench.members,
        bench.control,
        quasi=[*bench.quasi, *strength.get("also_quasi", ())],
        confidence=sure,
    )
    judged = advantages.judged(by_attack, untried)
    return SweepPoint(
        technique=REFERENCE if promise is None else "anonymize",
        strength=strength,
        label=label,
        utility=_useful(bench, [halves.held.reached(model)]),
        risk=judged.risk,
        attack=judged.attack,
        attacks=judged.attacks,
        promise=promise,
        allowed=None if promise is None else most_linked(promise),
        notes=_skipped(judged),
    )


def _skipped(judged: advantages.Judged) -> tuple[str, ...]:
    return tuple(f"skipped: {said}" for said in judged.left_out)


def _useful(bench: SweepBench, reached: Sequence[Any]) -> IntervalEstimate:
    return estimated(reached, bench.sweep.confidence, least=bench.halves.held.least)


def model_without_noise(bench: SweepBench) -> SweepPoint:
    halves, sure = bench.halves, bench.sweep.confidence
    model = nonprivate_model.learned(halves.used_rows, halves.used_rows, halves.features, halves.target)
    found = advantages.attacked_model(model, halves.used_rows, halves.held_rows, confidence=sure)
    judged = advantages.judged(found)
    return SweepPoint(
        REFERENCE,
        {},
        "no noise",
        _useful(bench, [halves.held.reached(model)]),
        judged.risk,
        judged.attack,
        judged.attacks,
        notes=_skipped(judged),
    )


def private_model(bench: SweepBench, promise: ApproxDP, model: str, label: str) -> SweepPoint:
    from privet.protect.train import train

    halves, sweep = bench.halves, bench.sweep
    empty = promise.epsilon > MOST_MEANINGFUL
    reached, attacked = [], []
    for _ in range(1 if bench.booked or empty else sweep.repeats):
        made = train(
            halves.used,
            promise,
            target=halves.target.name,
            ledger=bench.ledger,
            why=bench.why,
            model=model,
            schema=halves.schema,
            purpose=bench.purpose,
        )
        reached.append(halves.held.reached(made))
        attacked.append(
            advantages.attacked_model(made, halves.used_rows, halves.held_rows, confidence=sweep.confidence)
        )
    found = {name: advantages.averaged([one[name] for one in attacked]) for name in attacked[0]}
    return _promised(
        bench,
        "train",
        promise,
        label,
        what={"model": model},
        reached=reached,
        judged=advantages.judged(found),
        alone="one fit: the interval is about people, not about the noise of training",
    )


def _promised(
    bench: SweepBench,
    technique: str,
    promise: ApproxDP,
    label: str,
    *,
    what: dict[str, str],
    reached: Sequence[Any],
    judged: advantages.Judged,
    alone: str,
) -> SweepPoint:
    """The point of something that keeps a promise: use and risk over all repetitions, beside what the promise allows."""
    accuracy = most_accuracy(promise)
    return SweepPoint(
        technique=technique,
        strength={"epsilon": float(promise.epsilon), "delta": float(promise.delta), **what},
        label=label,
        utility=_useful(bench, reached),
        risk=judged.risk,
        attack=judged.attack,
        attacks=judged.attacks,
        promise=promise,
        allowed=None if accuracy is None else 2 * accuracy - 1,
        meaningless=promise.epsilon > MOST_MEANINGFUL,
        booked=bench.booked,
        notes=(*_skipped(judged), *([alone] if len(reached) == 1 else [])),
    )


def synthetic_twin(bench: SweepBench, promise: ApproxDP, label: str) -> SweepPoint:
    """A synthetic twin: what a model learns from it, and what attacks on its rows reach."""
    from privet.protect.synthesize import synthesize

    halves, sweep = bench.halves, bench.sweep
    empty = promise.epsilon > MOST_MEANINGFUL
    reached, attacked = [], []
    untried: tuple[str, ...] = ()
    for _ in range(1 if bench.booked or empty else sweep.repeats):
        made = synthesize(
            halves.used,
            promise,
            ledger=bench.ledger,
            why=bench.why,
            purpose=bench.purpose,
            again=not bench.booked,
            **twin_settings(halves, sweep),
        )
        model = nonprivate_model.learned(made.to_arrow(), halves.used_rows, halves.features, halves.target)
        reached.append(halves.held.reached(model))
        found, untried = advantages.attacked_table(
            made,
            bench.members,
            bench.control,
            quasi=bench.quasi,
            confidence=sweep.confidence,
            names=advantages.ON_TWINS,
        )
        attacked.append(found)
    by_attack = {
        name: advantages.averaged([one[name] for one in attacked])
        for name in attacked[0]
        if all(name in one for one in attacked)
    }
    return _promised(
        bench,
        "synthesize",
        promise,
        label,
        what={"method": sweep.twin},
        reached=reached,
        judged=advantages.judged(by_attack, untried),
        alone="one twin: the interval is about people, not about the noise of making it",
    )


def pac_half(bench: SweepBench, worlds: PacBench, like: ApproxDP, label: str) -> SweepPoint:
    """A linear model of a secret half, under the nats that bound membership as an epsilon does."""
    promise = matched(like)
    fits = worlds.fits(promise, bench.sweep.repeats)
    judged = advantages.judged(worlds.attacked(promise, fits))
    missing = [name for name in bench.halves.features.names if name not in worlds.features.names]
    notes = [f"dates are left out: {', '.join(missing)}"] if missing else []
    return SweepPoint(
        technique="pac",
        strength={
            "nats": float(promise.mutual_information),
            "posterior": promise.posterior(),
            "as_epsilon": float(like.epsilon),
            "function": worlds.function,
        },
        label=label,
        utility=_useful(bench, [bench.halves.held.reached(one) for one in fits]),
        risk=judged.risk,
        attack=judged.attack,
        attacks=judged.attacks,
        promise=promise,
        allowed=2 * promise.posterior() - 1,
        notes=(*_skipped(judged), *notes),
    )
