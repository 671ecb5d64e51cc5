"""One door to every way of searching, and what cannot work whatever is searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privet.disclosure import Codes
from privet.errors import BadSearch, ModelUnfit, Unreachable
from privet.guarantee.amounts import Number, exact
from privet.guarantee.promises import LDiversity, Promise, parts
from privet.protect.anonymize import loss
from privet.protect.anonymize.hierarchies import Ladder
from privet.protect.anonymize.models import Reference, Rules, rules_of, sensitive_columns
from privet.protect.anonymize.search.anytime import anytime
from privet.protect.anonymize.search.check import judge
from privet.protect.anonymize.search.lattice import Levels
from privet.protect.anonymize.search.local import BY_ROW, local
from privet.protect.anonymize.search.metrics import Metric, metric_named
from privet.protect.anonymize.search.mondrian import mondrian
from privet.protect.anonymize.search.optimal import LARGEST_LATTICE, Found, optimal
from privet.protect.anonymize.search.solution import Solution
from privet.protect.anonymize.search.tuples import Tuples

# Lattices with so few nodes are searched for the best one beside local recoding.
_SMALL_LATTICE = 1_000
HOW = ("optimal", "anytime", "local", "mondrian")


def search(  # noqa: PLR0913  each setting is one that people ask for by name
    codes: Codes,
    hierarchies: Sequence[Ladder],
    models: Promise,
    *,
    max_suppressed: Number = 0,
    metric: str = "loss",
    weights: Mapping[str, float] | None = None,
    how: str = "optimal",
    gs_factor: float | None = None,
    sensitive_ladders: Mapping[str, Ladder] | None = None,
    population: Codes | None = None,
    most_nodes: int = 5_000,
) -> Solution:
    """The least loss found for a promise.

    Args:
        codes: distinct combinations of quasi-identifiers and sensitive columns, with counts.
        hierarchies: one for each quasi-identifier, laid against the codes; they say which columns those are.
        models: the promise, joined with `&`. A missing value is a value of its own everywhere.
        max_suppressed: the largest share of rows that may be left out.
        metric: "loss", "loss-geometric", "loss-rank", "precision", "discernibility", "class-size" or "entropy".
        weights: for columns that matter more or less than 1.
        how: "optimal" (global recoding, proven), "anytime" (global recoding, the best of `most_nodes`), "local"
            (each tuple to its own hierarchy nodes) or "mondrian" (sets of values; hierarchies give the order).
        gs_factor: what generalization weighs against suppression in Loss; 0.5 when None.
        sensitive_ladders: hierarchies of sensitive columns, for hierarchical t-closeness.
        population: the population's quasi-identifiers, coded alike, for k-map and delta-presence.
        most_nodes: where "anytime" stops.
    """
    if how not in HOW:
        raise BadSearch("there is no such way of searching.", f"Use one of {', '.join(HOW)}.")
    if not hierarchies:
        raise BadSearch("no column is to be generalized.", "Name the quasi-identifiers.")
    columns = [ladder.column for ladder in hierarchies]
    sensitive = sensitive_columns(models)
    reference = _reference(codes, columns, sensitive, sensitive_ladders or {})
    rules = rules_of(models, reference)
    if rules.needs_population and population is None:
        raise ModelUnfit(
            "the promise compares with a population, and none is given.", "Give the population's table."
        )
    limit = _limit(max_suppressed, codes.rows)
    tuples = Tuples(codes, hierarchies, sensitive, population if rules.needs_population else None)
    measure = metric_named(metric, tuples, _weights(columns, weights), gs_factor)
    _refuse_impossible(tuples, rules, limit)
    if how in ("local", "mondrian"):
        if metric != "loss" or gs_factor not in (None, 0.5):
            raise BadSearch("local recoding and Mondrian work with loss only.", "Leave the metric out.")
        if how == "mondrian":
            return mondrian(tuples, rules, measure.weights, limit)
        return _local_or_global(tuples, rules, measure, limit)
    found = (
        optimal(tuples, rules, measure, limit)
        if how == "optimal"
        else anytime(tuples, rules, measure, limit, most_nodes)
    )
    return _solution(tuples, measure, found, limit)


def _local_or_global(tuples: Tuples, rules: Rules, metric: Metric, limit: int) -> Solution:
    """Local recoding; where the lattice is small or the sweep fails, the best single node is a candidate too."""
    found: Solution | None = None
    try:
        found = local(tuples, rules, metric.weights, limit)
    except Unreachable:
        if len(tuples.lattice) > LARGEST_LATTICE:
            raise
    if found is not None and len(tuples.lattice) > _SMALL_LATTICE:
        return found
    try:
        best = _solution(tuples, metric, optimal(tuples, rules, metric, limit), limit)
    except Unreachable:
        if found is None:
            raise
        return found
    if found is not None and found.loss <= best.loss:
        return found
    looked = best.nodes_evaluated + (found.nodes_evaluated if found else 0)
    return replace(best, levels=None, optimal=False, output_type=BY_ROW, nodes_evaluated=looked)


def _limit(share: Number, rows: int) -> int:
    limit = exact(share, "max_suppressed")
    if not 0 <= limit <= 1:
        raise BadSearch("the share of suppressed rows must lie between 0 and 1.", "Write 0.05 for 5 %.")
    return int(limit * Fraction(rows))


def _weights(columns: Sequence[str], weights: Mapping[str, float] | None) -> NDArray[np.float64] | None:
    if weights is None:
        return None
    if set(weights) - set(columns):
        raise BadSearch("a weight is given for a column that is not a quasi-identifier.")
    return np.array([float(weights.get(name, 1.0)) for name in columns])


def _reference(
    codes: Codes, quasi: Sequence[str], sensitive: Sequence[str], ladders: Mapping[str, Ladder]
) -> Reference:
    shares = {}
    for name in sensitive:
        if name in quasi or name not in codes.columns:
            raise ModelUnfit(
                f"the model speaks of {name!r}, which is a quasi-identifier or not in the table.",
                "Name a sensitive column that is not generalized.",
            )
        (at,) = codes.positions([name])
        totals = np.bincount(codes.codes[:, at], weights=codes.counts, minlength=codes.cardinalities[at])
        shares[name] = totals / max(1, codes.rows)
    return Reference(shares, dict(ladders))


def _refuse_impossible(tuples: Tuples, rules: Rules, limit: int) -> None:
    """What no generalization can reach is refused before any is looked at."""
    if tuples.rows == 0:
        raise Unreachable("the table has no rows.", "Give a table with rows.")
    if limit >= tuples.rows:
        return
    if rules.least_rows > tuples.rows:
        raise Unreachable(
            f"classes of {rules.least_rows} rows cannot be made from {tuples.rows} rows.",
            "Ask for a smaller k.",
        )
    for part in parts(rules.promise):
        if isinstance(part, LDiversity):
            cells = tuples.bottom.cells[tuples.sensitive.index(part.column)]
            values = int((cells.shares > 0).sum())
            if part.l > values:
                raise Unreachable(
                    f"{part.column!r} has {values} different values, and {part.l} are asked for in every class.",
                    "Ask for a smaller l.",
                )
    top = tuples.classes(tuples.lattice.heights)
    verdict = judge(tuples, top, rules)
    if verdict is not None and int(verdict.least.sum()) > limit:
        raise Unreachable(
            f"even the most general table would have to leave out {int(verdict.least.sum())} rows, "
            f"and {limit} may be.",
            "Allow more suppressed rows, ask for less, or let hierarchies end in one common value.",
        )


def _solution(tuples: Tuples, metric: Metric, found: Found, limit: int) -> Solution:
    if found.classes is None or found.verdict is None or found.value is None:
        tried = "no combination of levels" if found.proven else "none of the combinations looked at"
        raise Unreachable(
            f"{tried} keeps the promise with at most {limit} suppressed rows.",
            "Allow more suppressed rows, or ask for less.",
            nodes_evaluated=len(found.visited),
        )
    levels: Levels = found.classes.levels
    there = tuples.counts > 0
    keys, _ = tuples.keys(None, levels)
    class_keys, _ = tuples.keys(found.classes.tuples, levels)
    order = np.argsort(class_keys)
    labels = order[np.searchsorted(class_keys, keys, sorter=order)]
    suppressed = found.verdict.suppressed[labels]
    nodes = np.broadcast_to(np.asarray(levels, np.int32), tuples.codes.shape)
    shares = np.stack([tuples.shares(j, h, np.arange(len(tuples))) for j, h in enumerate(levels)], axis=1)
    leaves = [len(ladder.hierarchy.values) for ladder in tuples.ladders]
    by_column = loss.column_losses(shares[there], tuples.counts[there], suppressed[there], leaves)
    plain = metric.weights / metric.weights.sum()
    return Solution(
        columns=tuples.columns,
        codes=tuples.codes[there],
        counts=tuples.counts[there],
        nodes=nodes[there],
        levels=levels,
        suppressed=suppressed[there],
        labels=np.where(suppressed, -1, labels)[there],
        shares=shares[there],
        loss=float(loss.arithmetic(by_column, plain)),
        value=found.value,
        metric=metric.name,
        nodes_evaluated=len(found.visited),
        optimal=found.proven,
        output_type="hierarchy nodes, the same level for every row",
        visited=tuple(found.visited),
    )
