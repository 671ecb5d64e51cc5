"""The trade-off between use and risk: techniques and strengths measured on the same people, and one of them proposed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from privet.artifact import (
    Framed,
    IntervalEstimate,
    OwnerOnly,
    Pictured,
    written_whole,
)
from privet.errors import BadSweep, checked
from privet.guarantee import Person
from privet.ledger import Ledger
from privet.pipeline import _attack_advantage as advantages
from privet.pipeline import _tradeoff_summary as tradeoff_summary
from privet.pipeline._pareto_frontier import Knee, Spot, frontier, knee
from privet.pipeline._sweep import Say, events_of, swept
from privet.pipeline._sweep_disclosure import SweepStanding, amounts, refuse_unpaid
from privet.pipeline._sweep_fitness import quasi_of, unfit
from privet.pipeline._sweep_point import REFERENCE, SweepPoint
from privet.pipeline._sweep_settings import Sweep, amount
from privet.pipeline._sweep_split import halves
from privet.protect import admitted
from privet.protect.train.tabular import Schema
from privet.source import Table

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = 1
KIND = "tradeoff"
_HIGH = 0.5
PURPOSE = "first-use"  # as `privet init` calls it


@dataclass(frozen=True)
class Tradeoff(Pictured, Framed):
    """What was measured, which points are worth having, and the one to take first.

    `standing` says on whose data it was measured and therefore to whom it may be shown. `knee` is None where nothing
    may be proposed.
    """

    target: str
    standing: SweepStanding
    points: tuple[SweepPoint, ...]
    on_frontier: tuple[int, ...]
    knee: Knee | None
    reason: str
    policy_lines: str
    utility_name: str
    guess: float  # what is reached without any data
    unit: str
    people: tuple[int, int]  # used, and in the holdout
    spent: dict[str, Fraction]
    confidence: float
    notes: tuple[str, ...] = ()
    _drawn_as: ClassVar[str] = "tradeoff"

    def to_arrow(self) -> pa.Table:
        """One row for each point: what it keeps and what it gives away."""
        import pyarrow as pa

        points = [self._point(at, point) for at, point in enumerate(self.points)]
        columns: dict[str, Any] = {
            name: [one[name] for one in points] for name in ("technique", "label", "attack")
        }
        for name in ("utility", "risk"):
            columns[name] = [float(one[name]["value"]) for one in points]
            columns[f"{name}_low"] = [float(one[name]["low"]) for one in points]
            columns[f"{name}_high"] = [float(one[name]["high"]) for one in points]
        columns["allowed"] = pa.array([one["allowed"] for one in points], pa.float64())
        columns["on_frontier"] = [one["on_frontier"] for one in points]
        columns["proposed"] = [self.knee is not None and at == self.knee.index for at in range(len(points))]
        return pa.table(columns)

    @property
    def standing_words(self) -> str:
        """Whose data it was measured on, and what that means, in full."""
        return self.standing.words(f"{amounts(self.spent)} in all" if self.spent else "")

    @property
    def proposed(self) -> SweepPoint | None:
        """The point to take first."""
        return None if self.knee is None else self.points[self.knee.index]

    def to_json(self) -> dict[str, Any]:
        """A stable record with its schema version."""
        return {
            "schema": SCHEMA,
            "artifact": KIND,
            "target": self.target,
            "standing": self.standing.value,
            "standing_words": self.standing_words,
            "unit": self.unit,
            "people": {"used": self.people[0], "kept_apart": self.people[1]},
            "confidence": self.confidence,
            "guess": self.guess,
            "spent": {name: float(value) for name, value in self.spent.items()},
            "points": [self._point(at, point) for at, point in enumerate(self.points)],
            "knee": None
            if self.knee is None
            else {
                "index": self.knee.index,
                "by_promise": self.knee.by_promise,
                "alike": list(self.knee.alike),
                "reason": self.reason,
                "policy_lines": self.policy_lines,
            },
            "notes": list(self.notes),
        }

    def _point(self, at: int, point: SweepPoint) -> dict[str, Any]:
        return {
            "technique": point.technique,
            "strength": point.strength,
            "label": point.label,
            "utility": _three(point.utility),
            "utility_name": self.utility_name,
            "risk": _three(point.risk),
            "risk_name": advantages.NAME,
            "baseline": 0.0,
            "attack": point.attack,
            "attacks": {name: _three(found) for name, found in point.attacks.items()},
            "allowed": point.allowed,
            "allowed_in_risk": point.technique
            in ("train", "pac"),  # it bounds the very risk that is measured
            "meaningless": point.meaningless,
            "standing": SweepStanding.BOOKED.value if point.booked else _own(self.standing).value,
            "on_frontier": at in self.on_frontier,
            "words": tradeoff_summary.words(point),
            "notes": list(point.notes),
        }

    @checked
    def save(self, path: str | Path) -> Path:
        """Write it as JSON, whole or not at all."""
        text = json.dumps(self.to_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        return written_whole(Path(path), OwnerOnly(text))

    def __str__(self) -> str:
        """A table of the points, the proposal and the standing."""
        wide = max((len(point.label) for point in self.points), default=5)
        head = f"{'':2}{'technique':10} {'strength':{wide}}  {'utility':24}  {'risk':24}  worst attack"
        lines = [f"{self.utility_name}, and {advantages.NAME} ({self.confidence:.0%} intervals)", head]
        for at, point in enumerate(self.points):
            mark = "→" if self.knee and at == self.knee.index else "*" if at in self.on_frontier else " "
            over = "  (epsilon too high to mean anything)" if point.meaningless else ""
            lines.append(
                f"{mark} {point.technique:10} {point.label:{wide}}  {_short(point.utility):24}  "
                f"{_short(point.risk):24}  {point.attack}{over}"
            )
        lines += ["→ proposed   * on the frontier", ""]
        if self.knee is not None:
            lines += [self.reason, "", "In privet.yaml, under steps:", self.policy_lines]
        return "\n".join([*lines, *self.notes, self.standing_words])


@checked
def tradeoff(  # noqa: PLR0913  one door with everything that can be asked
    table: Table,
    *,
    target: str,
    techniques: Iterable[str] | None = None,
    sweep: Sweep | None = None,
    standing: SweepStanding | str = SweepStanding.OWNER_ONLY,
    ledger: Ledger | None = None,
    schema: Schema | Mapping[str, Any] | str | Path | None = None,
    records: int | None = None,
    purpose: str | None = None,
    why: str = "a trade-off is measured",
    progress: Say | None = None,
) -> Tradeoff:
    """Measure what techniques and strengths keep and give away, and propose one.

    Args:
        table: Opened with its unit and roles. People are split by the unit: some are used, the others are the holdout to
            measure utility on and to compare attacks with.
        target: The column whose prediction is the use: two classes (AUROC), more (accuracy) or a number (R²).
        techniques: "anonymize", "train", "synthesize", "pac" [default: the first two, where they fit the table]. "pac" is a
            linear model of a secret half, at the nats that bound a guess of membership as each epsilon does.
        sweep: The strengths, and how the measuring is done.
        standing: "owner-only", or "public" or "surrogate" for rows that are declared to be so. With a ledger: booked.
        ledger: Charge every private model to it, one fit each, after the price of all of them was found to fit.
        schema: Public bounds and values of columns; left out, what the table states, and what it does not state is
            read off the rows and used in the sweep alone (never with a ledger).
        records: About how many units there are, if that is public.
        purpose: The purpose that a ledger charges as well, and that the proposed lines name.
        why: The reason, for the ledger.
        progress: Called with what begins, how many points are done, and how many there are.

    Guarantee:
        With a ledger, each private model keeps its promise and is booked before it reads a row; where the budget does not
        hold all of them, nothing is booked. The figures themselves promise nothing: see `Tradeoff.standing_words`.
    Assumes:
        "public" and "surrogate" are what the caller says they are.
    """
    asked, stands = _checked(techniques, sweep, standing, ledger)
    # A sweep makes a report; the tables and models on the way to it leave with nobody.
    purpose = admitted([table], "report", ledger=ledger, purpose=purpose)
    table = replace(table, terms=())
    _refuse_unfit(table, target, asked, stated=techniques is not None)
    split = halves(
        table, target, holdout=asked.holdout, schema=schema, records=records, may_read_off=ledger is None
    )
    spent: dict[str, Fraction] = {}
    if ledger is not None:
        spent = refuse_unpaid(ledger, events_of(split, asked, ledger.accounting), purpose)
    found = swept(split, asked, ledger=ledger, why=why, purpose=purpose, say=progress)
    if all(point.technique == REFERENCE for point in found.points):
        raise BadSweep(
            f"nothing could be measured. {' '.join(found.left_out)}",
            "Choose other strengths; nothing was written.",
            faults=list(found.left_out),
        )
    spots = [spot_of(point, split.held.guess) for point in found.points]
    best = knee(spots, split.held.guess)
    chosen = None if best is None else found.points[best.index]
    return Tradeoff(
        target=target,
        standing=stands,
        points=found.points,
        on_frontier=frontier(spots),
        knee=best,
        reason="" if best is None else tradeoff_summary.reason(found.points, best, split.held.guess),
        policy_lines=""
        if chosen is None
        else tradeoff_summary.policy_lines(
            chosen,
            target=target,
            columns=split.features.names,
            purpose=purpose or PURPOSE,
            quasi=quasi_of(table),
            max_suppressed=format(amount(asked.max_suppressed), "f"),
        ),
        utility_name=split.held.name,
        guess=split.held.guess,
        unit=table.unit.column if isinstance(table.unit, Person) else "row",
        people=split.people,
        spent=spent,
        confidence=asked.confidence,
        notes=_notes(split.read_off, found.points, (*split.notes, *found.left_out)),
    )


def spot_of(point: SweepPoint, guess: float) -> Spot:
    """A point as the frontier sees it. What promises nothing, or nothing that means anything, is not proposed."""
    proposable = point.technique != REFERENCE and not point.meaningless
    return Spot(
        point.utility, point.risk, point.family, point.allowed, proposable, useful=point.utility.low > guess
    )


def _checked(
    techniques: Iterable[str] | None,
    sweep: Sweep | None,
    standing: SweepStanding | str,
    ledger: Ledger | None,
) -> tuple[Sweep, SweepStanding]:
    base = sweep or Sweep()
    named = base.techniques if techniques is None else tuple(dict.fromkeys(techniques))
    asked = Sweep(**{**vars(base), "techniques": named}).checked()
    try:
        stands = SweepStanding(standing)
    except ValueError:
        known = ", ".join(one.value for one in SweepStanding)
        raise BadSweep("there is no such standing.", f"Choose one of {known}.") from None
    if ledger is not None and stands not in (SweepStanding.OWNER_ONLY, SweepStanding.BOOKED):
        raise BadSweep("public and made-up data need no ledger.", "Leave one of them out.")
    if ledger is None and stands is SweepStanding.BOOKED:
        raise BadSweep("a booked sweep needs a ledger.", "Name it; nothing was read or spent.")
    if ledger is not None and not {"train", "synthesize"} & set(asked.techniques):
        raise BadSweep(
            "only private models and twins can be booked.",
            "Add train or synthesize, or leave the ledger out.",
        )
    return asked, SweepStanding.BOOKED if ledger is not None else stands


def _refuse_unfit(table: Table, target: str, sweep: Sweep, *, stated: bool) -> None:
    """A technique that was asked for by name and does not fit is refused; one that was not is left out later."""
    found = [
        (name, why)
        for name in sweep.techniques
        if target in table.columns and (why := unfit(table, target, name))
    ]
    if not found or not (stated or len(found) == len(sweep.techniques)):
        return
    others = [name for name in sweep.techniques if name not in dict(found)]
    # What is missing first: a column that was named stays what it was named.
    hints = dict.fromkeys(why.hint for _, why in found)
    if others:
        named = " and ".join(name for name, _ in found)
        hints[f"Or leave {named} out: --techniques {','.join(others)}."] = None
    said = " ".join(hints).removesuffix(".")
    raise BadSweep(
        " ".join(why.fact for _, why in found),
        f"{said}; nothing was read.",
        faults=[why.fact for _, why in found],
    )


def _own(standing: SweepStanding) -> SweepStanding:
    """The standing of a point that cannot be booked."""
    return SweepStanding.OWNER_ONLY if standing is SweepStanding.BOOKED else standing


def _notes(
    read_off: tuple[str, ...], points: tuple[SweepPoint, ...], more: tuple[str, ...]
) -> tuple[str, ...]:
    notes = [
        "Attacks show what these adversaries reached and prove no safety against others: read the promise beside them.",
    ]
    if any(point.meaningless for point in points):
        notes.append(tradeoff_summary.MEANINGLESS)
    if any(point.technique == "pac" for point in points):
        notes.append(tradeoff_summary.TWO_CURRENCIES)
    bare = [
        point for point in points if point.technique == "anonymize" and "also_quasi" not in point.strength
    ]
    if bare and all(point.risk.low > _HIGH for point in bare):
        notes.append(
            "Columns that a table publishes as they are give people away whatever k is: make them coarse too (all columns), "
            "or leave them out."
        )
    if read_off:
        notes.append(
            f"Bounds or values of {', '.join(read_off)} were read off the rows for this sweep alone. State public ones "
            "before you train: `privet schema` drafts them."
        )
    return (*notes, *(f"Left out: {one}" if not one.startswith("Measured") else one for one in more))


def _three(found: IntervalEstimate) -> dict[str, float]:
    return {"value": found.value, "low": found.low, "high": found.high}


def _short(found: IntervalEstimate) -> str:
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"
