"""Published rows and people in the same codes, weighed by Fellegi and Sunter's model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.attacks._attack_registry import Case
from privet.attacks.tables._generalized_cells import cover, is_generalized, tree_of
from privet.attacks.tables._row_owners import Owners
from privet.attacks.tables._table_codes import as_text
from privet.disclosure.linkage import (
    MOST_PAIRS,
    THRESHOLD,
    Claims,
    Pairs,
    Sides,
    aligned,
    blocks,
    mutual,
    probable_claims,
)
from privet.errors import BadAttack, NoPower


@dataclass(frozen=True, eq=False)
class Claimed:
    """Published rows that the attacker takes for people, each once."""

    rows: NDArray[np.int64] = field(repr=False)
    people: NDArray[np.int64] = field(repr=False)
    linker: str
    pairs: int
    notes: tuple[str, ...] = ()


def claimed(owners: Owners, case: Case) -> Claimed:
    """The pairs above the threshold that are each other's best."""
    sides, left_out = _sides(owners, case)
    linker = case.setting("linker", "own")
    if linker not in ("own", "splink"):
        raise BadAttack("there is no such linker.", 'Use "own" or "splink".')
    threshold = case.number("threshold", THRESHOLD)
    found = _splink(sides, threshold) if linker == "splink" else probable_claims(sides, threshold)
    notes = (
        (f"Cells of {', '.join(map(repr, left_out))} overlap: these columns were not weighed.",)
        if left_out
        else ()
    )
    return Claimed(found.left, found.right, linker, found.with_candidates, notes)


def _splink(sides: Sides, threshold: float) -> Claims:
    import pyarrow as pa

    from privet.engine import splink_linkage as record_linkage
    from privet.source import open_table

    chosen = [block for block in blocks(sides, MOST_PAIRS) if len(block) < len(sides.columns)]
    if len(chosen) < 2:
        raise BadAttack("splink needs three columns to link by, or more.", 'Use linker="own".')
    relation = open_table(pa.table({"row": np.arange(1)})).relation
    left, right, chances = record_linkage.linked(relation, sides.left, sides.right, chosen, least=threshold)
    return mutual(Pairs(left, right), chances, threshold)


def _sides(owners: Owners, case: Case) -> tuple[Sides, list[str]]:
    """Both tables in the same codes; values stand for the cell that covers them, where only one does."""
    ours, theirs, labels, kept, left_out = [], [], [], [], []
    for published, known in owners.columns:
        found = _column(
            owners.published.column(published),
            owners.known.column(known),
            (case.setting("hierarchies", None) or {}).get(published),
        )
        if found is None:
            left_out.append(published)
            continue
        ours.append(found[0])
        theirs.append(found[1])
        labels.append(found[2])
        kept.append((published, known))
    if len(kept) < 2:
        raise NoPower(
            "fewer than two columns can be weighed: cells of the others overlap.", "Use linkage-exact."
        )
    sides = Sides(
        tuple(kept),
        np.stack(ours, axis=1),
        np.stack(theirs, axis=1),
        tuple(labels),
        np.arange(owners.published.num_rows),
        np.arange(owners.known.num_rows),
    )
    return sides, left_out


def _column(
    published: Any, known: Any, hierarchy: Any
) -> tuple[NDArray[np.int32], NDArray[np.int32], Any] | None:
    published, known = published.combine_chunks(), known.combine_chunks()
    if hierarchy is None and not is_generalized(published, known):
        return _aligned(published, known)
    texts = as_text(published).combine_chunks().unique().drop_null()
    distinct = known.unique().drop_null()
    tree = None if hierarchy is None else tree_of(hierarchy)
    found = cover(texts.to_pylist(), distinct, tree)
    if not found.is_partition:
        return None
    values = as_text(distinct).combine_chunks()
    label = np.append(found.narrowest(), -1)
    return (
        _codes(as_text(published), texts),
        label[_codes(as_text(known), values)].astype(np.int32),
        texts,
    )


def _aligned(published: Any, known: Any) -> tuple[NDArray[np.int32], NDArray[np.int32], Any]:
    ours, theirs = published.dictionary_encode(), known.dictionary_encode()
    left, right, both = aligned(ours.dictionary, theirs.dictionary)
    return _through(left, ours.indices), _through(right, theirs.indices), both


def _through(codes: NDArray[np.int32], indices: Any) -> NDArray[np.int32]:
    import pyarrow.compute as pc

    places = np.asarray(pc.fill_null(indices, -1).to_numpy(zero_copy_only=False), np.int64)
    return np.append(codes, np.int32(-1))[places]


def _codes(values: Any, among: Any) -> NDArray[np.int32]:
    import pyarrow.compute as pc

    found = pc.fill_null(pc.index_in(values, value_set=among, skip_nulls=True), -1)
    return np.asarray(found.to_numpy(zero_copy_only=False), np.int32)
