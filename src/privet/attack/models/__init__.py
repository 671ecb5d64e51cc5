"""Attacks on models: membership, attributes, inversion."""

from privet.attack.models import (
    attributes,
    inversion,
    learned,
    likelihood,
    quantiles,
    relative,
    thresholds,
)
from privet.attack.models.vulnerability import PerRecord, per_record

__all__ = [
    "PerRecord",
    "attributes",
    "inversion",
    "learned",
    "likelihood",
    "per_record",
    "quantiles",
    "relative",
    "thresholds",
]
