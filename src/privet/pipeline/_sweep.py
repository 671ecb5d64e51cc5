"""Trying techniques and strengths one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

from privet.engine import ColumnKind
from privet.errors import PrivetError
from privet.guarantee import AllOf, ApproxDP, Event, KAnonymity, LDiversity, Promise
from privet.ledger import Ledger, throwaway
from privet.pipeline._sweep_bench import (
    SweepBench,
    anonymized_table,
    model_without_noise,
    pac_half,
    private_model,
    raw_table,
    synthetic_twin,
    twin_settings,
)
from privet.pipeline._sweep_fitness import unfit
from privet.pipeline._sweep_pac import PacBench, matched, unfit_for_pac
from privet.pipeline._sweep_point import MOST_MEANINGFUL, SweepFinding, SweepPoint
from privet.pipeline._sweep_settings import Sweep, amount
from privet.pipeline._sweep_split import Halves
from privet.source import Role

Say = Callable[[str, int, int], None]


@dataclass(frozen=True)
class _Trial:
    """One point to be made."""

    label: str
    make: Callable[[], SweepPoint]
    charged: bool = False  # to a ledger, where one is named


def events_of(halves: Halves, sweep: Sweep, accounting: str) -> list[Event]:
    """What the private models and twins of a sweep would book, one fit each."""
    found = _model_events(halves, sweep) if "train" in sweep.techniques else []
    if "synthesize" in sweep.techniques:
        from privet.protect.synthesize import planned_twin

        asked: dict[str, Any] = {**twin_settings(halves, sweep), "accounting": accounting}
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
    bench = SweepBench(halves, sweep, book, ledger is not None, why, purpose if ledger else None)
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


def _trials(bench: SweepBench) -> Iterator[_Trial]:
    sweep, target = bench.sweep, bench.halves.target.name
    if "anonymize" in sweep.techniques:
        yield from _table_trials(bench)
    if "train" in sweep.techniques:
        yield _Trial("a model without noise", lambda: model_without_noise(bench))
        for model in sweep.models:
            for promise in promises_of(sweep):
                label = f"epsilon = {float(promise.epsilon):g}" + ("" if model == "linear" else f", {model}")
                made = partial(private_model, bench, promise, model, label)
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
            yield _Trial(label, lambda p=promise, n=label: synthetic_twin(bench, p, n), charged=True)  # type: ignore[misc]


def _table_trials(bench: SweepBench) -> Iterator[_Trial]:
    why = unfit(bench.halves.used, bench.halves.target.name, "anonymize")
    if why:
        bench.unfit.append(str(why))
        return
    yield _Trial("the raw table", lambda: raw_table(bench))
    for promise, strength, label in _tables(bench):
        yield _Trial(label, lambda p=promise, s=strength, n=label: anonymized_table(bench, p, s, n))  # type: ignore[misc]


def _pac_trials(bench: SweepBench) -> Iterator[_Trial]:
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
        yield _Trial(label, lambda p=promise, n=label: pac_half(bench, worlds, p, n))  # type: ignore[misc]


def _tables(bench: SweepBench) -> Iterator[tuple[Promise, dict[str, Any], str]]:
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


def _learnable(bench: SweepBench) -> list[str]:
    return [name for name in bench.halves.shared if name != bench.halves.target.name]


def _diverse(halves: Halves) -> str | None:
    """The sensitive column whose values should differ among people who look alike: words before numbers."""
    table = halves.used
    found = [name for name in table.with_role(Role.SENSITIVE) if name != halves.target.name]
    found.sort(key=lambda name: table.columns[name] not in (ColumnKind.TEXT, ColumnKind.BOOLEAN))
    return found[0] if found else None
