"""The two verbs of this room, and the one table that says how each kind of thing is released and explained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from privet.errors import BadUsage
from privet.guarantee.promises import Promise
from privet.ledger import Ledger
from privet.protect.release.explaining import Explanation, explain_question
from privet.protect.release.running import release_question
from privet.protect.release.spine import Spine, explain_spine, release_spine
from privet.protect.release.sql.releasing import explain_sql, release_sql
from privet.source.query import Query

if TYPE_CHECKING:
    from privet.artifact.answer import ReleasedAnswer


@dataclass(frozen=True)
class Way:
    """How things of one kind are released and explained.

    Both functions take the thing, the promise and the keywords of `release` or `explain` that they know.
    """

    what: str
    takes: Callable[[object], bool]
    release: Callable[..., Any]
    explain: Callable[..., Any]


WAYS: tuple[Way, ...] = (
    Way(
        "a query",
        lambda thing: isinstance(thing, Query),
        release_question,
        explain_question,
    ),
    Way(
        "SQL text",
        lambda thing: isinstance(thing, str),
        release_sql,
        explain_sql,
    ),
    Way(
        "a spine",
        lambda thing: isinstance(thing, Spine),
        release_spine,
        explain_spine,
    ),
)


@overload
def release(
    thing: Query | str, promise: Promise, *, ledger: Ledger, why: str, **options: Any
) -> ReleasedAnswer: ...
@overload
def release(thing: object, promise: Promise, *, ledger: Ledger, why: str, **options: Any) -> Any: ...
def release(thing: object, promise: Promise, *, ledger: Ledger, why: str, **options: Any) -> Any:
    """Answer a question privately.

    Args:
        thing: A query built with `table.group_by(…).agg(…)`, or SQL about `table`.
        promise: `PureDP`, `ApproxDP` or `ZeroConcentratedDP`, for the whole answer.
        ledger: Where it is booked, before anything is computed.
        why: The reason, for the ledger.
        options: For questions: `table`, the table that SQL speaks of, or `tables`, several by name; `purpose` and
            `analyst`, whose budgets are charged as well; `confidence`, of the error bars (0.95); `again`, to spend for a fresh answer even
            where this very question was answered before (without it the stored answer is returned and costs
            nothing).

    Guarantee:
        The answer as a whole, keys included, satisfies `promise` for the table's privacy unit: contributions
        are bounded per unit in the engine, every vector is noised by a mechanism whose sensitivity the engine
        derived, and unknown keys pass a threshold on distinct persons.

    Assumes:
        Bounds, public keys and the unit's caps were chosen without looking at the data (their origin is
        stated in the table), the person column identifies persons, and the machine's clock and memory are not
        observed by the attacker (see docs/sharp-edges.md).
    """
    if not isinstance(ledger, Ledger):
        raise BadUsage(
            "an answer is booked in a ledger.",
            'Open one: Ledger("patients.ledger", limit=ApproxDP(3, 1e-6)).',
        )
    return _way(thing).release(thing, promise, ledger=ledger, why=why, **options)


@overload
def explain(thing: Query | str, promise: Promise, **options: Any) -> Explanation: ...
@overload
def explain(thing: object, promise: Promise, **options: Any) -> Any: ...
def explain(thing: object, promise: Promise, **options: Any) -> Any:
    """What `release` would do with the same arguments. With a ledger, also what would be left in it.

    Takes `table`, `ledger` and `confidence`. Reads no private row and spends nothing.
    """
    return _way(thing).explain(thing, promise, **options)


def _way(thing: object) -> Way:
    for way in WAYS:
        if way.takes(thing):
            return way
    known = ", ".join(way.what for way in WAYS)
    raise BadUsage(
        f"what is released is one of: {known}; not {type(thing).__name__}.",
        "Build a question with table.group_by(…).agg(…).",
    )
