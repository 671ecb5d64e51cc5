"""The result of an audit: everything measured, for the eyes of the table's owner. It prints no value of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privet.artifact import Framed, Pictured
from privet.audits._audit_summary import summary
from privet.audits._columns_table import columns_table
from privet.audits._findings import Findings
from privet.audits._public_audit import PublicAudit
from privet.disclosure import (
    AttackerFacts,
    ColumnSet,
    ColumnSets,
    Diversity,
    Population,
    Risk,
    UniquenessEstimate,
)

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = "privet-audit/1"
_SHOWN_SETS = 40


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Findings, Pictured, Framed):
    """What a table would give away. For its owner only; `publishable()` is what others may be shown.

    Made by `privet.audits.audit`. `print()` gives a summary and `to_json()` everything; neither holds a value of
    the data.
    """

    _drawn_as: ClassVar[str] = "audit"

    def to_arrow(self) -> pa.Table:
        """One row for each column: what it is, how many values it has, and its part in who can be singled out."""
        return columns_table(self)

    def most_exposed(self, most: int = 10) -> list[dict[str, Any]]:
        """The records with the highest scores, **with their values**: for the owner's eyes, never for a report."""
        order = np.argsort(-self.suda.scores, kind="stable")[:most]
        table = self.alike.codes
        found = []
        for at in order:
            if self.suda.scores[at] <= 0:
                break
            labels = {name: self.records.labels[self.records.columns.index(name)] for name in table.columns}
            values = {
                name: labels[name][int(table.codes[at, j])].as_py() for j, name in enumerate(table.columns)
            }
            found.append({"values": values, "score": float(self.suda.scores[at])})
        return found

    def publishable(self) -> PublicAudit:
        """What may be shown to others: rounded figures, nothing about single people."""
        return PublicAudit.of(self)

    def __repr__(self) -> str:
        return summary(self)

    def to_json(self) -> dict[str, Any]:
        """Everything as plain data, for the owner; no value of the data is in it."""
        return {
            "schema": SCHEMA,
            "audience": "owner only: exact figures derived from the data",
            "table": self.table,
            "rows": self.rows,
            "people": self.people,
            "unit": self.unit.to_json(),
            "for_review": self._for_review(),
            "person_keys": self.person_keys.to_json(),
            "several_rows": self.several.to_json() if self.several else None,
            "varying_within_person": list(self.varying),
            "columns": {name: finding.to_json() for name, finding in self.columns.items()},
            "quasi_identifiers": {"columns": list(self.quasi), "origin": self.quasi_origin},
            "sensitive": list(self.sensitive),
            "not_compared": list(self.left_out),
            "missing": {
                "semantics": self.missing,
                "effects": {effect.semantics: effect.to_json() for effect in self.missing_effects},
            },
            "classes": self._classes(),
            "sample_uniques": self.alike.sizes.uniques,
            "risk": self._risk(),
            "k": self.alike.sizes.k,
            "l": {name: _l(found) for name, found in self.diversity.items()},
            "t": {
                name: {"equal": found.t_equal, "ordered": found.t_ordered}
                for name, found in self.diversity.items()
            },
            "disclosure": {name: _disclosure(found) for name, found in self.diversity.items()},
            "population_uniqueness": [_population(found) for found in self.population],
            "suda": self._suda(),
            "quasi_identifier_sets": self._sets(),
            "unicity": [_known(point) for point in self.unicity],
            "linkage": self.linkage.to_json() if self.linkage else None,
            "contributions": self.contributions.to_json() if self.contributions else None,
            "advice": [step.to_json() for step in self.advice],
        }

    def _for_review(self) -> dict[str, Any]:
        """What only a person can say, first of all what nobody knows."""
        return {
            "unknown_columns": list(self.unknown),
            "unconfirmed_columns": [name for name, finding in self.columns.items() if not finding.stated],
            "unit_confirmed": self.unit.origin == "stated",
        }

    def _classes(self) -> dict[str, Any]:
        sizes = self.alike.sizes
        return {
            "number": sizes.classes,
            "overlapping": self.alike.overlapping,
            "smallest": sizes.k,
            "mean": sizes.rows / sizes.classes if sizes.classes else 0.0,
            "people_below": {str(k): sizes.rows_below(k) for k in (2, 3, 5, 10)},
            "sizes": [
                {"from": one.smallest, "to": one.largest, "classes": one.classes, "people": one.rows}
                for one in sizes.histogram()
            ],
        }

    def _risk(self) -> dict[str, Any]:
        known = self.alike.prosecutor
        outside = self.in_population.risk if self.in_population else known
        basis = "population table" if self.in_population else "this table alone, which is the worst case"
        return {
            "prosecutor": _of_risk(known),
            "journalist": {**_of_risk(outside), "basis": basis},
            "marketer": self.marketer,
            "k_map": self.in_population.to_json() if self.in_population else None,
            "survey": _of_risk(self.survey) if self.survey else None,
        }

    def _suda(self) -> dict[str, Any]:
        scores = self.suda.scores
        scored = scores[scores > 0]
        ordered = np.sort(scored)[::-1]
        top = ordered[: max(1, len(ordered) // 100)]
        return {
            "exact": self.suda.exact,
            "searched_up_to": self.suda.searched,
            "minimal_uniques_by_size": list(self.suda.by_size),
            "people_with_a_score": len(scored),
            "highest_score": float(ordered[0]) if len(ordered) else 0.0,
            "top_percent_share_of_score": float(top.sum() / ordered.sum()) if len(ordered) else 0.0,
            "column_contributions": self.suda.contributions(),
            "dis_suda": {
                "sampling_fraction": self.fraction,
                "highest": float(self.suda.dis_scores(self.fraction).max(initial=0.0)),
            },
            "exposed_groups": [
                {"columns": list(one.columns), "people": one.rows} for one in self.suda.sets[:_SHOWN_SETS]
            ],
        }

    def _sets(self) -> dict[str, Any]:
        return {
            "exact_up_to": self.column_sets.exact_size,
            "drawn_up_to": self.column_sets.drawn_size,
            "sets": [_set(one) for one in shown_sets(self.column_sets)],
            "number_of_sets": len(self.column_sets.sets),
            "unique_column_combinations": {
                "exact": self.keys.exact,
                "searched_up_to": self.keys.searched,
                "sets": [list(one) for one in self.keys.sets[:_SHOWN_SETS]],
            },
            "singling_out": [
                {
                    "share": found.share,
                    "exact": found.exact,
                    "searched_up_to": found.searched,
                    "sets": [_set(one) for one in found.sets[:10]],
                }
                for found in self.singling_out
            ],
        }


def shown_sets(found: ColumnSets) -> list[ColumnSet]:
    """All single columns and pairs, and the strongest of the larger sets."""
    small = [one for one in found.sets if len(one.columns) <= 2]
    large = sorted(
        (one for one in found.sets if len(one.columns) > 2), key=lambda one: -(one.unique_share or 0)
    )
    return [*small, *large[:_SHOWN_SETS]]


def _set(one: ColumnSet) -> dict[str, Any]:
    return {
        "columns": list(one.columns),
        "separation": one.separation,
        "distinction": one.distinction,
        "unique_share": one.unique_share,
        "exact": one.exact,
        "margin": one.margin,
    }


def _of_risk(risk: Risk) -> dict[str, Any]:
    return {
        "highest": risk.highest,
        "mean": risk.mean,
        "share_above": {f"{limit:g}": share for limit, share in risk.above.items()},
    }


def _l(found: Diversity) -> dict[str, Any]:
    return {
        "distinct": found.distinct_l,
        "entropy": found.entropy_l,
        "recursive_c": {str(size): _finite(ratio) for size, ratio in found.recursive_ratio.items()},
        "people_in_single_valued_classes": found.single_valued_rows,
    }


def _disclosure(found: Diversity) -> dict[str, Any]:
    return {
        "beta_basic": _finite(found.beta_basic),
        "beta_enhanced": _finite(found.beta_enhanced),
        "delta_disclosure": _finite(found.delta_disclosure),
        "alpha": found.alpha,
    }


def _population(found: Population) -> dict[str, Any]:
    return {
        "sampling_fraction": found.fraction,
        "pitman": _estimate(found.pitman),
        "zayatz": _estimate(found.zayatz),
        "snb": _estimate(found.snb),
        "dankar": {**_estimate(found.dankar), "chosen": found.chosen},
        "dankar_as_arx_computes_it": _estimate(found.dankar_without_snb),
    }


def _estimate(found: UniquenessEstimate) -> dict[str, Any]:
    return {
        "share": found.share,
        "valid": found.valid,
        "reason": found.reason,
        "parameters": dict(found.parameters),
    }


def _known(point: AttackerFacts) -> dict[str, Any]:
    return {
        "attributes": point.attributes,
        "share": point.share,
        "interval": [point.low, point.high],
        "best": point.best,
        "best_columns": list(point.best_columns),
        "sets": point.sets,
        "exact": point.exact,
    }


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
