"""Limits and units as people type them on the command line."""

from __future__ import annotations

from privet.errors import BadUsage
from privet.guarantee import ApproxDP, Change, PacPrivacy, Person, PureDP, Row, Unit, ZeroConcentratedDP

Limit = PureDP | ApproxDP | ZeroConcentratedDP | PacPrivacy


def read_limit(
    text: str | None,
    *,
    epsilon: str | None = None,
    delta: str | None = None,
    rho: str | None = None,
    nats: str | None = None,
) -> Limit:
    """The limit that `epsilon=3,delta=1e-7`, or the single options, describe."""
    given = {
        name: value
        for name, value in (("epsilon", epsilon), ("delta", delta), ("rho", rho), ("nats", nats))
        if value is not None
    }
    for part in (text or "").split(",") if text else []:
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name not in ("epsilon", "delta", "rho", "nats") or name in given:
            raise BadUsage(
                "the limit cannot be read: it names a parameter twice, or one that is not known.",
                "Write --limit epsilon=3,delta=1e-7.",
            )
        given[name] = value
    match sorted(given):
        case ["epsilon"]:
            return PureDP(given["epsilon"])
        case ["delta", "epsilon"]:
            return ApproxDP(given["epsilon"], given["delta"])
        case ["rho"]:
            return ZeroConcentratedDP(given["rho"])
        case ["nats"]:
            return PacPrivacy(given["nats"])
    raise BadUsage(
        "a limit is epsilon, epsilon with delta, rho, or nats.",
        "Write --epsilon 3, --limit epsilon=3,delta=1e-7 or --rho 0.5.",
    )


def read_budget(text: str) -> Limit:
    """The limit of a ledger that is opened on the way: `3`, `3,1e-7`, `epsilon=3,delta=1e-7`, `rho=2` or `nats=1`."""
    if "=" in text:
        return read_limit(text)
    epsilon, sign, delta = text.partition(",")
    return ApproxDP(epsilon, delta) if sign else PureDP(epsilon)


def read_unit(text: str | None, change: Change) -> Unit | None:
    """The unit that `person:patient_id` or `row` names."""
    if text is None:
        return None
    kind, _, column = text.partition(":")
    if kind == "row" and not column:
        return Row(change)
    if kind == "person" and column:
        return Person(column, change=change)
    raise BadUsage("the unit cannot be read.", "Write --unit person:patient_id or --unit row.")
