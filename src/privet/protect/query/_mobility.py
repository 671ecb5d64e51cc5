"""Mobility reports: how many people were where, against an earlier baseline, as Google published them in 2020.

The design and every parameter are those of "Google COVID-19 Community Mobility Reports: Anonymization Process
Description" (Aktay et al. 2020, arXiv 2004.04145): Laplace noise, one person's day as the unit, at most four
(category, place) pairs of it at each level, epsilon 0.11, 0.11 and 0.22 for each pair by country, state and county;
the same three for time at home and for going to work, where a day has one place. Together
4 · 0.44 + 0.44 + 0.44 = 2.64 for everything one person did on one day.
"""

from __future__ import annotations

import datetime
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privet.artifact import Quantity, Ratio, ReleasedAnswer, with_note
from privet.errors import BadQuery, BudgetExceeded, PromiseUnmeetable, checked, checked_as
from privet.guarantee import Opaque, Person, Promise, PureDP, readable
from privet.protect.query._batch import Wishes, explain_question, plan_batch, release_question
from privet.protect.query._explanation import Explanation
from privet.protect.query._release_run import question_of
from privet.source import Bounds, Query, Table, col, mean, persons

if TYPE_CHECKING:
    from privet.ledger import Ledger

PAIRS = 4
EPSILONS = (Fraction("0.11"), Fraction("0.11"), Fraction("0.22"))  # country, state, county; for each pair
LEAST_USERS = 100
LEAST_AREA = 3.0  # square kilometres
MOST_OFF = 0.10  # a change may be off by ten points …
CONFIDENCE = 0.95  # … with a probability of at most one in twenty
_WISHES = Wishes(confidence=CONFIDENCE)


@dataclass(frozen=True)
class Mobility:
    """What is to be reported: made by `mobility`, released by `release`, with nothing computed yet."""

    visits: Table
    levels: tuple[str, ...]
    regions: Mapping[str, tuple[Any, ...]]  # by level, those large enough to be shown
    categories: tuple[str, ...]
    days: tuple[datetime.date, ...]
    baseline: tuple[datetime.date, ...]
    home: str | None
    work: str | None
    columns: Mapping[str, str]
    too_small: tuple[Any, ...] = ()

    @property
    def epsilon(self) -> Fraction:
        """What one person's day costs: 2.64 with three levels, homes and workplaces."""
        return sum((epsilon for _, _, epsilon in self.questions()), Fraction(0))

    def questions(self) -> Iterable[tuple[tuple[str, str], Query, Fraction]]:
        """Every question by (what, level), with the epsilon it is worth."""
        names = self.columns
        for level, epsilon in zip(self.levels, EPSILONS, strict=False):
            keys = {names["day"]: self.days, level: self.regions[level]}
            several = self._bounded(PAIRS)
            others = {**keys, names["category"]: self.categories}
            yield (
                ("visits", level),
                several.group_by(names["day"], level, names["category"], keys=others).agg(users=persons()),
                PAIRS * epsilon,
            )
            one = self._bounded(1)
            if self.home is not None:
                rows = one.where(col(names["category"]) == self.home)
                hours = mean(names["hours"], bounds=Bounds(0, 24))
                yield (
                    ("home", level),
                    rows.group_by(names["day"], level, keys=keys).agg(hours=hours, users=persons()),
                    epsilon,
                )
            if self.work is not None:
                rows = one.where((col(names["category"]) == self.work) & (col(names["hours"]) > 1))
                yield (
                    ("work", level),
                    rows.group_by(names["day"], level, keys=keys).agg(users=persons()),
                    epsilon,
                )

    def _bounded(self, groups: int) -> Table:
        unit = self.visits.unit_or_refuse()
        if not isinstance(unit, Person):
            raise BadQuery(
                "a mobility report hides one person's day: rows must say which they belong to.",
                'Open the table with unit=Person("user_day").',
            )
        return replace(self.visits, unit=replace(unit, max_rows=groups, max_groups=groups))


@dataclass(frozen=True, slots=True)
class MobilityChange:
    """One cell of the report: a day's number against the baseline of its weekday, or why it is withheld."""

    day: datetime.date
    level: str
    region: Any
    category: str
    change: float | None  # 0.2 is a fifth more than the baseline
    low: float | None
    high: float | None
    withheld: str = ""


@dataclass(frozen=True)
class ReleasedMobility:
    """The report, and the noisy answers that everything in it was computed from."""

    changes: tuple[MobilityChange, ...]
    answers: Mapping[tuple[str, str], ReleasedAnswer]
    promise: Promise
    unit: str
    notes: tuple[str, ...] = field(default=())

    def shown(self) -> tuple[MobilityChange, ...]:
        """The cells that are reliable enough to be shown."""
        return tuple(change for change in self.changes if not change.withheld)

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {
            "schema": 1,
            "artifact": "released-mobility",
            "promise": self.promise.to_json(),
            "unit": self.unit,
            "changes": [
                {
                    "day": one.day.isoformat(),
                    "level": one.level,
                    "region": one.region,
                    "category": one.category,
                    "change": one.change,
                    "low": one.low,
                    "high": one.high,
                    "withheld": one.withheld,
                }
                for one in self.changes
            ],
            "answers": {f"{what} by {level}": a.to_json() for (what, level), a in self.answers.items()},
            "notes": list(self.notes),
        }


@checked
def mobility(
    visits: Table,
    *,
    levels: Sequence[str],
    regions: Mapping[str, Mapping[Any, float]],
    categories: Sequence[str],
    days: Sequence[datetime.date],
    baseline: Sequence[datetime.date],
    home: str | None = "residential",
    work: str | None = "workplaces",
    columns: Mapping[str, str] | None = None,
) -> Mobility:
    """A mobility report on visits, by the template of the paper.

    Args:
        visits: One row for each place somebody was at, with unit=Person(column that identifies a person's day).
        levels: Up to three columns of regions, the largest first: country, state, county.
        regions: For each level its public regions with their area in square kilometres; those below 3 are
            never asked about.
        categories: The public categories of places that are counted, without home and work.
        days: The days that are reported and the days of the baseline: all of them, public.
        baseline: The days whose median, weekday by weekday, a day is compared with.
        home: The category whose mean hours are reported; None leaves it out.
        work: The category that counts those who were there for more than an hour; None leaves it out.
        columns: What the columns "day", "category" and "hours" are called, if otherwise.
    """
    faults = []
    if not 1 <= len(levels) <= len(EPSILONS):
        faults.append("a report has one to three levels.")
    faults += [f"the regions of level {level!r} are not stated." for level in levels if level not in regions]
    if not set(baseline) <= set(days):
        faults.append("the days of the baseline must be among the days.")
    if not {one.weekday() for one in days} <= {one.weekday() for one in baseline}:
        faults.append("the baseline lacks a weekday that is to be compared with it.")
    if faults:
        raise BadQuery(" ".join(faults), "Correct the report; nothing was read or spent.", faults=faults)
    large = {
        level: tuple(name for name, area in regions[level].items() if area >= LEAST_AREA) for level in levels
    }
    small = tuple(name for level in levels for name, area in regions[level].items() if area < LEAST_AREA)
    named = {"day": "day", "category": "category", "hours": "hours", **(columns or {})}
    return Mobility(
        visits, tuple(levels), large, tuple(categories), tuple(sorted(days)), tuple(sorted(baseline)),
        home, work, named, small,
    )  # fmt: skip


@checked_as("release")
def release_mobility(report: Mobility, promise: Promise, *, ledger: Ledger, why: str) -> ReleasedMobility:
    """Release a report; see `release`.

    Guarantee:
        All answers together satisfy pure epsilon-differential privacy for one person's day, by basic composition.
        Everything else is computed from them.

    Assumes:
        Regions, areas, categories and days are public. A person who is in the data on many days is protected
        for each of them, not for all together.
    """
    _check(report, promise)
    _refuse_too_dear(report, ledger)
    answers = {
        name: release_question(
            query, PureDP(epsilon), ledger=ledger, why=f"{why}: {' by '.join(name)}", confidence=CONFIDENCE
        )
        for name, query, epsilon in report.questions()
    }
    changes = tuple(change for name, answer in answers.items() for change in _changes(report, name, answer))
    return ReleasedMobility(
        changes, answers, PureDP(report.epsilon), "one person's day", _with_ledger(_notes(report), answers)
    )


def _refuse_too_dear(report: Mobility, ledger: Ledger) -> None:
    """Refuse a report that the budget does not cover whole; what is booked or stored of it already costs nothing more."""
    plans = [
        (plan_batch([query], PureDP(epsilon), _WISHES, accounting=ledger.accounting).plans, epsilon)
        for _, query, epsilon in report.questions()
    ]
    open_ = sum((epsilon for plan, epsilon in plans if not ledger.settled(question_of(plan))), Fraction(0))
    quote = ledger.quote(Opaque(open_)) if open_ else None
    if quote is not None and not quote.admitted:
        raise BudgetExceeded(quote.reason, "Nothing was spent.")


@checked_as("explain")
def explain_mobility(
    report: Mobility, promise: Promise, *, ledger: Ledger | None = None
) -> dict[tuple[str, str], Explanation]:
    """What each of the report's questions would cost and how far off its answers would be; spends nothing."""
    _check(report, promise)
    return {
        name: explain_question(query, PureDP(epsilon), ledger=ledger, confidence=CONFIDENCE)
        for name, query, epsilon in report.questions()
    }


def _check(report: Mobility, promise: Promise) -> None:
    if not isinstance(promise, PureDP) or promise.epsilon < report.epsilon:
        raise PromiseUnmeetable(
            f"this report costs epsilon {readable(report.epsilon)} for each person's day, under pure privacy.",
            f'Promise PureDP("{readable(report.epsilon)}").',
        )


def _notes(report: Mobility) -> tuple[str, ...]:
    said = [
        "The unit is one person's day: over a week of days the losses of one person add up sevenfold.",
        "Changes compare with the median of the noisy baseline of the same weekday; their error bars count the "
        "noise of one baseline day, which is more than the median has.",
        f"Withheld: fewer than {LEAST_USERS} noisy users, or one chance in twenty of being off by more than "
        f"{MOST_OFF * 100:.0f} points.",
    ]
    if report.too_small:
        said.append(
            f"{len(report.too_small)} regions are smaller than {LEAST_AREA:g} km² and were not asked about."
        )
    return tuple(said)


def _with_ledger(notes: tuple[str, ...], answers: Mapping[Any, ReleasedAnswer]) -> tuple[str, ...]:
    for answer in answers.values():
        notes = with_note(notes, answer.receipt)
    return notes


def _changes(report: Mobility, name: tuple[str, str], answer: ReleasedAnswer) -> Iterable[MobilityChange]:
    what, level = name
    measured = "hours" if what == "home" else "users"
    titles = {"home": report.home, "work": report.work}
    cells: dict[tuple[Any, str], dict[datetime.date, int]] = {}
    for row, day in enumerate(answer[report.columns["day"]]):
        region = answer[level][row]
        title = titles.get(what) or answer[report.columns["category"]][row]
        cells.setdefault((region, str(title)), {})[day] = row
    for (region, title), rows in cells.items():
        bases = _baselines(report, answer, measured, rows)
        for day, row in rows.items():
            if day not in report.baseline:
                yield _change(
                    answer, measured, MobilityChange(day, level, region, title, None, None, None), row, bases
                )


def _baselines(
    report: Mobility, answer: ReleasedAnswer, measured: str, rows: Mapping[datetime.date, int]
) -> dict[int, int]:
    """For each weekday the row whose value is the median of the baseline's; none where a value is missing."""
    found = {}
    values = answer[measured]
    for weekday in range(7):
        days = [rows[day] for day in report.baseline if day.weekday() == weekday and day in rows]
        if days and all(values[row] is not None for row in days):
            middle = statistics.median_low([values[row] for row in days])
            found[weekday] = next(row for row in days if values[row] == middle)
    return found


def _change(
    answer: ReleasedAnswer, measured: str, cell: MobilityChange, row: int, bases: Mapping[int, int]
) -> MobilityChange:
    base = bases.get(cell.day.weekday())
    if base is None or answer[measured][row] is None:
        return replace(cell, withheld="too few to tell")
    if min(answer["users"][row], answer["users"][base]) < LEAST_USERS:
        return replace(cell, withheld=f"fewer than {LEAST_USERS} noisy users")
    now, before = answer.at(measured, row), answer.at(measured, base)
    ratio = _ratio(now, before) - 1
    if ratio.value is None or ratio.low is None or ratio.high is None:
        return replace(cell, withheld="the baseline is too noisy")
    if max(ratio.high - ratio.value, ratio.value - ratio.low) > MOST_OFF:
        return replace(cell, withheld=f"may be off by more than {MOST_OFF * 100:.0f} points")
    return replace(cell, change=ratio.value, low=ratio.low, high=ratio.high)


def _ratio(above: Quantity, below: Quantity) -> Ratio:
    found = above / below
    assert isinstance(found, Ratio)
    return found
