"""Classes of rows some of which have gaps, where a gap is no value of its own.

Ignored, a row with a gap belongs to no class and cannot be published. As a wildcard, a gap matches every value: who
looks like whom then overlaps, and a row that is suppressed is missing from everybody it looked like. The rows that can
be published together are found by taking away those that too few look like, until nobody is left who has to go. This
is the largest such set, whatever the order; and since rows that look alike at one node do so at every node above it, what
has to go at a node has to go at every node below.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.disclosure import Codes, sizes_of_each
from privet.protect.anonymize.search._distinct_tuples import Classes, Tuples

Mask = NDArray[np.bool_]


def left_out(tuples: Tuples, classes: Classes) -> Mask | None:
    """Classes that cannot be published because of a gap; None where there are none."""
    if tuples.gaps is None or tuples.missing != "ignored":
        return None
    return np.asarray(tuples.gaps.any(axis=1), np.bool_)[classes.tuples]


def lonely(tuples: Tuples, classes: Classes, rows: int) -> Mask:
    """Classes that fewer than so many published rows look like, where gaps match everything."""
    if tuples.gaps is None:
        return np.asarray(classes.sizes < rows)
    codes = _codes(tuples, classes)
    alone = np.zeros(len(classes), bool)
    while not alone.all():
        here = np.flatnonzero(~alone)
        few = sizes_of_each(codes.where(~alone), missing="wildcard") < rows
        if not few.any():
            break
        alone[here[few]] = True
    return alone


def _codes(tuples: Tuples, classes: Classes) -> Codes:
    """The classes by the nodes that they show, with gaps marked."""
    assert tuples.gaps is not None
    nodes = np.zeros((len(classes), len(tuples.ladders)), np.int32)
    sizes: list[int] = []
    missing: list[int | None] = []
    for j, (ladder, level) in enumerate(zip(tuples.ladders, classes.levels, strict=True)):
        nodes[:, j] = ladder.nodes[tuples.codes[classes.tuples, j], level]
        gaps = tuples.gaps[classes.tuples, j]
        missing.append(int(nodes[gaps, j][0]) if gaps.any() else None)
        sizes.append(len(ladder.hierarchy.labels[level]))
    return Codes(tuples.columns, nodes, classes.sizes, tuple(sizes), tuple(missing))
