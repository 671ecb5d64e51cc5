"""Trying techniques and strengths one by one: what each keeps, and what attacks make of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, Literal, NamedTuple

from privet.artifact import IntervalEstimate
from privet.engine import ColumnKind, with_columns
from privet.errors import PrivetError
from privet.guarantee import (
    AllOf,
    ApproxDP,
    Event,
    KAnonymity,
    LDiversity,
    Person,
    Promise,
    most_accuracy,
    most_linked,
)
from privet.ledger import Ledger, throwaway
from privet.pipeline import _attack_advantage as advantages
from privet.pipeline import _nonprivate_model as nonprivate_model
from privet.pipeline._holdout_utility import estimated
from privet.pipeline._sweep_pac import PacBench, matched, unfit_for_pac
from privet.pipeline._sweep_settings import Sweep, amount
from privet.pipeline._sweep_split import Halves
from privet.source import Role, Table
from privet.verbs import listed

REFERENCE = "reference"
# Beyond an epsilon of ten the promise is called weak to non-existent (Ponomareva et al., "How to DP-fy ML", 2023, section 5.2).
MOST_MEANINGFUL = 10
_PROVEN = 5  # quasi-identifiers up to which the least loss is proven

Say = Callable[[str, int, int], None]


@dataclass(frozen=True)
class SweepPoint:
    """One technique at one strength, measured."""

    technique: str
    strength: dict[str, Any]
    label: str
    utility: IntervalEstimate
    risk: IntervalEstimate
    attack: str  # the one that got farthest
    attacks: dict[str, IntervalEstimate]
    promise: Promise | None = None
    allowed: float | None = None  # the most that the promise allows, in its own family
    meaningless: bool = False
    booked: bool = False
    notes: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """Promises are compared with those of the same technique, about the same columns."""
        return f"{self.technique}, all columns" if "also_quasi" in self.strength else self.technique


@dataclass(frozen=True)
class SweepFinding:
    """All points, and what could not be tried and why."""

    points: tuple[SweepPoint, ...]
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class _Trial:
    """One point to be made."""

    label: str
    make: Callable[[], SweepPoint]
    charged: bool = False  # to a ledger, where one is named


@dataclass(eq=False)
class _Bench:
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


def quasi_of(table: Table) -> list[str]:
    """The quasi-identifiers, without the column that says whose rows they are."""
    unit = table.unit.column if isinstance(table.unit, Person) else None
    return [name for name in table.with_role(Role.QUASI) if name != unit]


class Unfit(NamedTuple):
    """Why a technique does not fit, and what somebody who knows the columns would say."""

    fact: str
    hint: str

    def __str__(self) -> str:
        return f"{self.fact} {self.hint}"


def unfit(table: Table, target: str, technique: str) -> Unfit | None:
    """Why a technique does not fit a table and target; None if it does. Reads no row."""
    unspoken = table.roles.get(target) is None
    said = (
        f"If outsiders must not learn it, add --sensitive {listed([target])} (in Python roles={{{target!r}: 'sensitive'}}, in "
        "a policy its role under columns)."
    )
    if technique == "synthesize" and unspoken:
        return Unfit(_unpublished(technique, target), said)
    if technique != "anonymize":
        return None
    quasi = quasi_of(table)
    if not quasi:
        return Unfit(
            "anonymize: no column is called a quasi-identifier, so that there is nothing to make alike.",
            f"Name those that outsiders may know of a person: add --quasi {listed(_candidates(table, target))} "
            "or some of these (in Python roles={'age': 'quasi'}, in a policy their role under columns).",
        )
    if unspoken:
        return Unfit(_unpublished(technique, target), said)
    if target in quasi:
        return Unfit(
            f"anonymize: the target {target!r} is a quasi-identifier and would be made coarse itself, so that no model can "
            "learn to tell it.",
            said,
        )
    return None


def _unpublished(technique: str, target: str) -> str:
    return f"{technique}: nothing says what the target {target!r} can do to a person, so that it would not be published."


def _candidates(table: Table, target: str) -> list[str]:
    """Columns that could be quasi-identifiers, for somebody to choose from."""
    unit = table.unit.column if isinstance(table.unit, Person) else None
    hidden = (Role.DIRECT, Role.FREE_TEXT)
    free = [
        name for name in table.columns if name not in (target, unit) and table.roles.get(name) not in hidden
    ]
    return free or ["COLUMN"]


def events_of(halves: Halves, sweep: Sweep, accounting: str) -> list[Event]:
    """What the private models and twins of a sweep would book, one fit each."""
    found = _model_events(halves, sweep) if "train" in sweep.techniques else []
    if "synthesize" in sweep.techniques:
        from privet.protect.synthesize import planned_twin

        asked: dict[str, Any] = {**_twin_of(halves, sweep), "accounting": accounting}
        found += [planned_twin(halves.used, promise, **asked).event for promise in promises_of(sweep)]
    return found


def _model_events(halves: Halves, sweep: Sweep) -> list[Event]:
    from privet.protect.train.tabular import event_of

    return [
        event_of(halves.used, promise, target=halves.target.name, model=model, schema=halves.schema)
        for model in sweep.models
        for promise in promises_of(sweep)
    ]


def promises_of(sweep: Sweep) -> list[ApproxDP]:
    """The promises that private models are trained under."""
    return [ApproxDP(epsilon, sweep.delta) for epsilon in sweep.epsilon]


def swept(
    halves: Halves,
    sweep: Sweep,
    *,
    ledger: Ledger | None = None,
    why: str = "a trade-off is measured",
    purpose: str | None = None,
    say: Say | None = None,
) -> SweepFinding:
    """Measure every point. With a ledger each private model is charged to it once; without, models are thrown away.

    A setting that cannot be had (a k that no table of these rows reaches) is left out, with its reason.
    """
    book = ledger or _throw_away(sweep)
    bench = _Bench(halves, sweep, book, ledger is not None, why, purpose if ledger else None)
    trials = list(_trials(bench))
    points: list[SweepPoint] = []
    for at, trial in enumerate(trials):
        if say:
            say(trial.label, at, len(trials))
        try:
            points.append(trial.make())
        except PrivetError as problem:
            if bench.booked and trial.charged:
                raise
            bench.unfit.append(f"{trial.label}: {problem.fact}")
    return SweepFinding(tuple(points), tuple(bench.unfit))


def _throw_away(sweep: Sweep) -> Ledger:
    """A book for models that nobody will see: it ends with them."""
    many = sweep.repeats * (max(1, len(sweep.models)) + ("synthesize" in sweep.techniques))
    total = sum(map(amount, sweep.epsilon), Decimal(1)) * many
    delta = min(Fraction(1, 2), Fraction(amount(sweep.delta)) * many * max(1, len(sweep.epsilon)))
    return throwaway(ApproxDP(total, delta))


def _trials(bench: _Bench) -> Iterator[_Trial]:
    sweep, target = bench.sweep, bench.halves.target.name
    if "anonymize" in sweep.techniques:
        yield from _table_trials(bench)
    if "train" in sweep.techniques:
        yield _Trial("a model without noise", lambda: _plain(bench))
        for model in sweep.models:
            for promise in promises_of(sweep):
                label = f"epsilon = {float(promise.epsilon):g}" + ("" if model == "linear" else f", {model}")
                made = partial(_private, bench, promise, model, label)
                yield _Trial(label, made, charged=True)
    if "pac" in sweep.techniques:
        yield from _pac_trials(bench)
    if "synthesize" in sweep.techniques:
        why = unfit(bench.halves.used, target, "synthesize")
        if why:
            bench.unfit.append(str(why))
            return
        for promise in promises_of(sweep):
            label = f"twin, epsilon = {float(promise.epsilon):g}"
            yield _Trial(label, lambda p=promise, n=label: _twin(bench, p, n), charged=True)  # type: ignore[misc]


def _table_trials(bench: _Bench) -> Iterator[_Trial]:
    why = unfit(bench.halves.used, bench.halves.target.name, "anonymize")
    if why:
        bench.unfit.append(str(why))
        return
    yield _Trial("the raw table", lambda: _raw_table(bench))
    for promise, strength, label in _tables(bench):
        yield _Trial(label, lambda p=promise, s=strength, n=label: _table(bench, p, s, n))  # type: ignore[misc]


def _pac_trials(bench: _Bench) -> Iterator[_Trial]:
    """One point for each epsilon that means anything, at the nats that bound membership alike."""
    found = [one for one in promises_of(bench.sweep) if one.epsilon <= MOST_MEANINGFUL]
    why = unfit_for_pac(bench.halves)
    if why is None and not found:
        why = f"pac: no epsilon of at most {MOST_MEANINGFUL} is named, to which nats could be matched."
    if why is not None:
        bench.unfit.append(why)
        return
    worlds = PacBench(bench.halves, bench.sweep.confidence)
    for promise in found:
        label = (
            f"{float(matched(promise).mutual_information):.3g} nats (as epsilon {float(promise.epsilon):g})"
        )
        yield _Trial(label, lambda p=promise, n=label: _half(bench, worlds, p, n))  # type: ignore[misc]


def _twin_of(halves: Halves, sweep: Sweep) -> dict[str, Any]:
    """How a twin is made: of the columns that may be published, with the target in view."""
    return {
        "method": sweep.twin,
        "columns": [name for name in halves.shared if name in halves.schema.columns],
        "schema": halves.schema,
        "workload": halves.target.name,
    }


def _tables(bench: _Bench) -> Iterator[tuple[Promise, dict[str, Any], str]]:
    sweep = bench.sweep
    for k in sweep.k:
        yield KAnonymity(k), {"k": k}, f"k = {k}"
    column = _diverse(bench.halves)
    if sweep.l is not None and sweep.k and column is not None:
        k = max(sweep.l, sweep.k[(len(sweep.k) - 1) // 2])
        promise = AllOf.of([KAnonymity(k), LDiversity(column, sweep.l)])
        yield promise, {"k": k, "l": {column: sweep.l}}, f"k = {k}, l = {sweep.l} ({column})"
    others = [name for name in _learnable(bench) if name not in bench.quasi]
    for k in sweep.every_column if others else ():
        yield KAnonymity(k), {"k": k, "also_quasi": others}, f"k = {k}, all columns"


def _learnable(bench: _Bench) -> list[str]:
    return [name for name in bench.halves.shared if name != bench.halves.target.name]


def _diverse(halves: Halves) -> str | None:
    """The sensitive column whose values should differ among people who look alike: words before numbers."""
    table = halves.used
    found = [name for name in table.with_role(Role.SENSITIVE) if name != halves.target.name]
    found.sort(key=lambda name: table.columns[name] not in (ColumnKind.TEXT, ColumnKind.BOOLEAN))
    return found[0] if found else None


# --- one point ------------------------------------------------------------------------------------


def _raw_table(bench: _Bench) -> SweepPoint:
    rows = bench.published
    return _of_table(bench, rows, rows, {}, label="raw table", promise=None)


def _table(bench: _Bench, promise: Promise, strength: dict[str, Any], label: str) -> SweepPoint:
    from privet.protect.anonymize import anonymize

    table = bench.halves.used
    coarse = dict.fromkeys(strength.get("also_quasi", ()), Role.QUASI)
    table = replace(table, roles={**table.roles, **coarse})
    made = anonymize(
        table, promise, max_suppressed=bench.sweep.max_suppressed, search=search_for(quasi_of(table))
    )
    return _of_table(bench, made, made.to_arrow(), strength, label=label, promise=promise)


def search_for(quasi: Sequence[str]) -> Literal["optimal", "anytime"]:
    """How to look for the least loss."""
    return "optimal" if len(quasi) <= _PROVEN else "anytime"


def _of_table(
    bench: _Bench, made: Any, rows: Any, strength: dict[str, Any], *, label: str, promise: Promise | None
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


def _useful(bench: _Bench, reached: Sequence[Any]) -> IntervalEstimate:
    return estimated(reached, bench.sweep.confidence, least=bench.halves.held.least)


def _plain(bench: _Bench) -> SweepPoint:
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


def _private(bench: _Bench, promise: ApproxDP, model: str, label: str) -> SweepPoint:
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
    bench: _Bench,
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


def _twin(bench: _Bench, promise: ApproxDP, label: str) -> SweepPoint:
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
            **_twin_of(halves, sweep),
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


def _half(bench: _Bench, worlds: PacBench, like: ApproxDP, label: str) -> SweepPoint:
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
