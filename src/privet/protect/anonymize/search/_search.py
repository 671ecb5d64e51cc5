"""One door to every way of searching."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privet.disclosure import Codes, Missing
from privet.errors import BadSearch, ModelUnfit
from privet.guarantee import Number, Promise, exact
from privet.protect.anonymize._promise_rules import TableShares, rules_of, sensitive_columns
from privet.protect.anonymize.hierarchies import Ladder
from privet.protect.anonymize.search._anytime_search import anytime
from privet.protect.anonymize.search._distinct_tuples import Tuples
from privet.protect.anonymize.search._global_recoding import of_one_node
from privet.protect.anonymize.search._infeasibility import refuse_impossible, refuse_unfit
from privet.protect.anonymize.search._local_recoding import BY_ROW, by_row
from privet.protect.anonymize.search._loss_metrics import metric_named
from privet.protect.anonymize.search._optimal_search import optimal
from privet.protect.anonymize.search._recoding_solution import Solution


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
    missing: Missing = "own value",
    persons: str | None = None,
    most_nodes: int = 5_000,
) -> Solution:
    """The least loss found for a promise.

    Args:
        codes: distinct combinations of quasi-identifiers and sensitive columns, with counts.
        hierarchies: one for each quasi-identifier, laid against the codes; they say which columns those are.
        models: the promise, joined with `&`.
        max_suppressed: the largest share of rows that may be left out.
        metric: "loss", "loss-geometric", "loss-rank", "precision", "discernibility", "class-size" or "entropy".
        weights: for columns that matter more or less than 1.
        how: "optimal" (global recoding, proven), "anytime" (global recoding, the best of `most_nodes`), "local"
            (each tuple to its own hierarchy nodes) or "mondrian" (sets of values; hierarchies give the order).
        gs_factor: what generalization weighs against suppression in Loss; 0.5 when None.
        sensitive_ladders: hierarchies of sensitive columns, for hierarchical t-closeness.
        population: the population's quasi-identifiers, coded alike, for k-map and delta-presence.
        missing: what a gap in a quasi-identifier means: "own value", "wildcard" or "ignored" (see
            `privet.disclosure._missing_values`). A missing sensitive value is a value of its own.
        persons: the column that says whose row it is, where people have several: classes then need rows of k people.
        most_nodes: where "anytime" stops.
    """
    refuse_unfit(models, how, missing, population=population is not None)
    if not hierarchies:
        raise BadSearch("no column is to be generalized.", "Name the quasi-identifiers.")
    columns = [ladder.column for ladder in hierarchies]
    looked_at = [*sensitive_columns(models), *([persons] if persons is not None else [])]
    rules = rules_of(models, _reference(codes, columns, looked_at, sensitive_ladders or {}), persons)
    limit = _limit(max_suppressed, codes.rows)
    known = population if rules.needs_population else None
    tuples = Tuples(codes, hierarchies, rules.sensitive, known, missing)
    measure = metric_named(metric, tuples, _weights(columns, weights), gs_factor)
    refuse_impossible(tuples, rules, limit)
    if how in BY_ROW:
        if metric != "loss" or gs_factor not in (None, 0.5):
            raise BadSearch("local recoding and Mondrian work with loss only.", "Leave the metric out.")
        return by_row(tuples, rules, measure, limit, how)
    found = (
        optimal(tuples, rules, measure, limit)
        if how == "optimal"
        else anytime(tuples, rules, measure, limit, most_nodes)
    )
    return of_one_node(tuples, measure, found, limit)


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
) -> TableShares:
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
    return TableShares(shares, dict(ladders))
