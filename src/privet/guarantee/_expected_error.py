"""How far noise moves an answer: known before anything is spent.

Figures are exact for the distribution that is drawn, in the unit of the noise (fixed-point steps for integer
noise), or rounded up where the mechanism's own docstring says so.
"""

from __future__ import annotations

from privet.guarantee._events import Event
from privet.guarantee.mechanisms import Mechanism, NoiseSpread, no_noise

__all__ = ["NoiseSpread", "half_width", "spread"]


def spread(event: Event) -> NoiseSpread:
    """The spread of the noise that an additive event draws."""
    if not isinstance(event, Mechanism):
        raise no_noise(event)
    return event.spread()


def half_width(event: Event, confidence: float) -> float:
    """The half-width of an event's noise, without the rest of its spread."""
    if not isinstance(event, Mechanism):
        raise no_noise(event)
    return event.half_width(confidence)
