"""Attacks on released tables and synthetic data: linkage, singling out, inference, membership, classes, searches."""

from privet.attack.tables import (
    classes,
    closeness,
    density,
    downcoding,
    inference,
    intersection,
    linkability,
    linkage,
    minimality,
    singling_out,
)

__all__ = [
    "classes",
    "closeness",
    "density",
    "downcoding",
    "inference",
    "intersection",
    "linkability",
    "linkage",
    "minimality",
    "singling_out",
]
