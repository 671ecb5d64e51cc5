"""Opening a seal: the only place that reads an exact answer, and only against a permit that covers it.

The order matters. First everything that can be refused is refused, on public grounds; then the permit is used
up; only then is the answer read. So a refusal costs nothing, and nothing is read twice for one booking.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import PermitMismatch
from privet.guarantee import Composed, Event, PacRelease, Repeated, SealedPlan
from privet.guarantee.mechanisms import CandidateSelection, Mechanism
from privet.ledger import Permit
from privet.mechanism._noise_scales import check_drawable
from privet.mechanism._proofs import proven
from privet.mechanism._saturation import clamp_exact
from privet.sealed import Sealed, SealedKeys, SealedWorlds, Sensitivity

_Kind = TypeVar("_Kind", bound=Event)


@proven("sealed_access.proof.md", digest="b62110e8ac193d4a")
def covers(event: Event, sensitivity: Sensitivity) -> bool:
    """Whether the event, as booked, pays for noise on an answer of this sensitivity."""
    if isinstance(event, Repeated):
        # One choice in each block: as many are paid for as one unit can change.
        return isinstance(event.event, CandidateSelection) and sensitivity.blocks <= event.count
    return isinstance(event, Mechanism) and event.covers(sensitivity)


@proven("sealed_access.proof.md", digest="f76051105ed188b4")
def open_sealed(answer: Sealed, permit: Permit, *kinds: type[_Kind]) -> tuple[_Kind, NDArray[np.int64]]:
    """Use the permit up and return its event with the exact answer, clamped to what noise can be added to.

    Raises:
        PermitMismatch: the permit is not one, is for another mechanism, or does not cover the sensitivity.
        OutOfRange: the event's parameters cannot be drawn.
        PermitSpent: the permit was used before.
    """
    if type(answer) is not Sealed:
        raise PermitMismatch(
            f"a mechanism noises sealed answers, not {type(answer).__name__}.",
            "Get the answer from an engine verb: it carries the sensitivity that the noise must cover.",
        )
    if type(permit) is not Permit:
        raise PermitMismatch(
            f"a mechanism needs a permit, not {type(permit).__name__}.",
            "Get one from ledger.charge(event, why=…).",
        )
    event = permit.event
    if not isinstance(event, kinds):
        raise PermitMismatch(*_wrong_kind(event, kinds))
    if not covers(event, answer.sensitivity):
        raise PermitMismatch(*_too_sensitive(event, answer.sensitivity))
    check_drawable(event, answer.sensitivity)
    permit.use()
    return event, clamp_exact(answer._exact)  # noqa: SLF001


@proven("sealed_access.proof.md", digest="5cbd76562a0555a0")
def open_keys(keys: SealedKeys, shown: NDArray[np.bool_]) -> dict[str, tuple[Any, ...]]:
    """The keys that a mechanism has paid to show, column by column, in the order of the answer they belong to."""
    import pyarrow as pa

    table = keys._exact.filter(pa.array(shown, type=pa.bool_()))  # noqa: SLF001
    return {name: tuple(table.column(name).to_pylist()) for name in keys.columns}


@proven("sealed_access.proof.md", digest="5175055d37361799")
def open_worlds(outputs: SealedWorlds, permit: Permit) -> tuple[PacRelease, NDArray[np.int64]]:
    """Use the permit up and return its event with the outputs of all worlds.

    Raises:
        PermitMismatch: the outputs are not sealed, or the permit is not one or is for another mechanism.
        PermitSpent: the permit was used before.
    """
    if type(outputs) is not SealedWorlds:
        raise PermitMismatch(
            f"this mechanism noises the sealed outputs of worlds, not {type(outputs).__name__}.",
            "Compute them with privet.protect.pac.",
        )
    if type(permit) is not Permit or not isinstance(permit.event, PacRelease):
        raise PermitMismatch(
            "this mechanism needs a permit for a pac-release event.",
            "Charge PacRelease(mutual_information) to an account of nats.",
        )
    event = permit.event
    permit.use()
    return event, outputs._exact  # noqa: SLF001


def _wrong_kind(event: Event, kinds: tuple[type[Event], ...]) -> tuple[str, str]:
    wanted = " or ".join(kind.kind for kind in kinds)
    hint = (
        "Take the permit apart with permit.parts()."
        if isinstance(event, Composed | Repeated | SealedPlan)
        else "Charge the ledger for the event that this mechanism draws."
    )
    return f"the permit is for a {event.kind} event; this mechanism draws {wanted}.", hint


def _too_sensitive(event: Event, sensitivity: Sensitivity) -> tuple[str, str]:
    fact = (
        f"one privacy unit can change {sensitivity.coordinates} entries of this answer, each by up to "
        f"{sensitivity.largest} and by {sensitivity.total} in all; the permit's {event.kind} event pays for less."
    )
    return fact, "Charge an event built from the answer's own sensitivity."
