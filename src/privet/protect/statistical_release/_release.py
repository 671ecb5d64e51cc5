"""The two verbs of this room, and the one table that says how each kind of thing is released and explained."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack, overload

from privet.artifact import ReleasedAnswer, ReleasedHierarchy, ReleasedOutput
from privet.errors import BadUsage, checked
from privet.guarantee import PacPrivacy, Promise
from privet.ledger import Ledger
from privet.protect.pac import (
    PacExplanation,
    PacOptions,
    PacPlanned,
    explain_worlds,
    release_worlds,
)
from privet.protect.query import (
    BatchOptions,
    BatchPlan,
    EveryOption,
    Explanation,
    Mobility,
    QuestionOptions,
    QuestionPlan,
    ReleasedMobility,
    SpineOptions,
    SpinePlanned,
    asking,
    explain_batch,
    explain_mobility,
    explain_question,
    paced,
    release_batch,
    release_mobility,
    release_question,
)
from privet.protect.tabulate import Spine, SpineExplanation, explain_spine, release_spine
from privet.source import AppliedFunction, Asked, PublicTable, Query


class WorldPlanned(PacPlanned, total=False):
    """The keywords of `explain` for a question that is computed on worlds."""

    table: Asked | None
    tables: Mapping[str, Asked | PublicTable] | None


class WorldQuestion(WorldPlanned, PacOptions, total=False):
    """The keywords of `release` for a question that is computed on worlds."""


@dataclass(frozen=True)
class Way:
    """How things of one kind are released and explained.

    Both functions take the thing, the promise and the keywords of `release` or `explain` that they know.
    """

    what: str
    takes: Callable[[object], bool]
    release: Callable[..., Any]
    explain: Callable[..., Any]


@functools.cache
def ways() -> tuple[Way, ...]:
    """How each kind of thing is released; a new kind has its line here."""
    return (
        Way(
            "a query or SQL text",
            lambda thing: isinstance(thing, Query | str),
            release_question,
            explain_question,
        ),
        Way(
            "a list of these",
            lambda thing: isinstance(thing, Sequence) and not isinstance(thing, str | bytes),
            release_batch,
            explain_batch,
        ),
        Way(
            "a spine",
            lambda thing: isinstance(thing, Spine),
            release_spine,
            explain_spine,
        ),
        Way(
            "a mobility report",
            lambda thing: isinstance(thing, Mobility),
            release_mobility,
            explain_mobility,
        ),
        Way(
            "a function of rows",
            lambda thing: isinstance(thing, AppliedFunction),
            release_worlds,
            explain_worlds,
        ),
    )


# Under a promise in nats, questions are computed on worlds too.
_ON_WORLDS = Way(
    "a query or SQL text", lambda thing: isinstance(thing, Query | str), release_worlds, explain_worlds
)


# The first two are meant for text, which is a sequence of texts too, and for a promise in nats, which is a promise too.
@overload
def release(  # type: ignore[overload-overlap]
    thing: Query | str,
    promise: PacPrivacy,
    *,
    ledger: Ledger,
    why: str,
    pace: float | None = None,
    **options: Unpack[WorldQuestion],
) -> ReleasedOutput: ...
@overload
def release(  # type: ignore[overload-overlap]
    thing: Query | str,
    promise: Promise,
    *,
    ledger: Ledger,
    why: str,
    pace: float | None = None,
    **options: Unpack[QuestionOptions],
) -> ReleasedAnswer: ...
@overload
def release(
    thing: Sequence[Query | str],
    promise: Promise,
    *,
    ledger: Ledger,
    why: str,
    pace: float | None = None,
    **options: Unpack[BatchOptions],
) -> tuple[ReleasedAnswer, ...]: ...
@overload
def release(
    thing: Spine,
    promise: Promise,
    *,
    ledger: Ledger,
    why: str,
    pace: float | None = None,
    **options: Unpack[SpineOptions],
) -> ReleasedHierarchy: ...
@overload
def release(
    thing: Mobility, promise: Promise, *, ledger: Ledger, why: str, pace: float | None = None
) -> ReleasedMobility: ...
@overload
def release(
    thing: AppliedFunction,
    promise: Promise,
    *,
    ledger: Ledger,
    why: str,
    pace: float | None = None,
    **options: Unpack[PacOptions],
) -> ReleasedOutput: ...
@checked
def release(
    thing: object,
    promise: Promise,
    *,
    ledger: Ledger,
    why: str,
    pace: float | None = None,
    **options: Unpack[EveryOption],
) -> object:
    """Answer a question privately, or several at once.

    Args:
        thing: A query built with `table.group_by(…).agg(…)`, or SQL about `table`; or a list of these, a batch:
            it is booked as one, whole or not at all, and has one answer for each question; or a `spine`, released
            as a `ReleasedHierarchy` (it takes `purpose`, `analyst`, `confidence`, `again` and `progress`); or any function of
            rows, `table.apply(function, columns=[…])`, released as a `ReleasedOutput` (it takes `purpose`, `analyst`, `again`,
            `progress`, `worlds`, `basis` and `processes`).
        promise: `PureDP`, `ApproxDP` or `ZeroConcentratedDP`, for all answers together; `PacPrivacy` for a
            function, and for a question of counts, sums and means by public keys: it is then a `ReleasedOutput` too.
        ledger: Where it is booked, before anything is computed.
        why: The reason, for the ledger.
        pace: Let the answer, or an error, leave at the next whole multiple of so many seconds, so that the time
            it took says nothing.
        options: For questions: `table`, the table that SQL speaks of, or `tables`, several by name; `purpose` and
            `analyst`, whose budgets are charged as well; `confidence`, of the error bars (0.95); `again`, to spend
            for a fresh answer even where this very release was made before (without it the stored one is returned
            and costs nothing). How the budget is split: `weights`, a number or numbers by the names of the
            answers (for a batch, a list of one for each question), or `error`, the half-width wanted of each
            answer by its name, in proportion to which errors are made equal; `rows`, the size of a group for
            which the errors of means are meant (1,000). `selection`, how unknown keys are selected: by
            persons, "truncated" or "thresholded", or by "rows"; by default whichever errs less and hides no more.

    Guarantee:
        The answer as a whole, keys included, satisfies `promise` for the table's privacy unit: contributions
        are bounded per unit in the engine, every vector is noised by a mechanism whose sensitivity the engine
        derived, and unknown keys are selected by their number of distinct persons or rows. If the engine fails after
        the booking, the answer is that of no rows, noised all the same; `ledger.incidents()` tells the owner.

    Assumes:
        Bounds, public keys and the unit's caps were chosen without looking at the data (their origin is
        stated in the table), the person column identifies persons, and the machine's clock and memory are not
        observed by the attacker (see docs/sharp-edges.md).
    """
    with paced(pace):
        thing = _as_query(thing, promise, options)
        return _way(thing, promise).release(thing, promise, ledger=ledger, why=why, **options)


@overload
def explain(  # type: ignore[overload-overlap]
    thing: Query | str, promise: PacPrivacy, *, ledger: Ledger | None = None, **options: Unpack[WorldPlanned]
) -> PacExplanation: ...
@overload
def explain(
    thing: Query | str, promise: Promise, *, ledger: Ledger | None = None, **options: Unpack[QuestionPlan]
) -> Explanation: ...
@overload
def explain(
    thing: Sequence[Query | str],
    promise: Promise,
    *,
    ledger: Ledger | None = None,
    **options: Unpack[BatchPlan],
) -> Explanation: ...
@overload
def explain(
    thing: Spine, promise: Promise, *, ledger: Ledger | None = None, **options: Unpack[SpinePlanned]
) -> SpineExplanation: ...
@overload
def explain(
    thing: Mobility, promise: Promise, *, ledger: Ledger | None = None
) -> dict[tuple[str, str], Explanation]: ...
@overload
def explain(
    thing: AppliedFunction, promise: Promise, *, ledger: Ledger | None = None, **options: Unpack[PacPlanned]
) -> PacExplanation: ...
@checked
def explain(
    thing: object, promise: Promise, *, ledger: Ledger | None = None, **options: Unpack[EveryOption]
) -> object:
    """What `release` would do with the same arguments. With a ledger, also what would be left in it.

    Takes the options of `release` that change what is done, and `ledger` if there is one. Reads no private row and
    spends nothing.
    """
    thing = _as_query(thing, promise, options)
    return _way(thing, promise).explain(thing, promise, ledger=ledger, **options)


def _as_query(thing: object, promise: Promise, options: EveryOption) -> object:
    """SQL under a promise in nats as the one query that it is; everything else as it is."""
    if not isinstance(promise, PacPrivacy) or not isinstance(thing, str):
        return thing
    asked = asking(thing, options.pop("table", None), options.pop("tables", None))
    if len(asked.queries) != 1 or asked.afterwards:
        raise BadUsage(
            "SQL under PacPrivacy is one SELECT of count, sum and mean by public keys, with nothing computed afterwards.",
            "Leave HAVING, ORDER BY, LIMIT and arithmetic on answers out.",
        )
    return asked.queries[0]


def _way(thing: object, promise: Promise) -> Way:
    if isinstance(promise, PacPrivacy) and _ON_WORLDS.takes(thing):
        return _ON_WORLDS
    for way in ways():
        if way.takes(thing):
            return way
    known = ", ".join(way.what for way in ways())
    raise BadUsage(
        f"what is released is one of: {known}; not {type(thing).__name__}.",
        "Build a question with table.group_by(…).agg(…).",
    )
