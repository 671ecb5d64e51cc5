"""What a table still gives away, by the measures that audits use, as the artifact states it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from privet.artifact.table import Risks
from privet.disclosure.cells import Cells, cells
from privet.disclosure.classes import class_sizes, prosecutor
from privet.disclosure.codes import Codes
from privet.disclosure.diversity import diversity


def risks(codes: Codes, quasi: Sequence[str], sensitive: Sequence[str]) -> Risks:
    """The risks of a table whose rows are these codes; an empty table has none."""
    groups = codes.groups(quasi)
    sizes = class_sizes(groups.sizes)
    risk = prosecutor(groups.of_each, codes.counts)
    return Risks(
        rows=sizes.rows,
        classes=sizes.classes,
        smallest_class=sizes.k,
        unique_rows=sizes.uniques,
        highest_risk=risk.highest,
        mean_risk=risk.mean,
        rows_above={f"{threshold:g}": share for threshold, share in risk.above.items()},
        sensitive=worst_classes({name: cells(codes, quasi, name) for name in sensitive if len(codes)}),
    )


def worst_classes(found: Mapping[str, Cells]) -> dict[str, dict[str, float]]:
    """The diversity of each sensitive column in its worst class."""
    every = {}
    for name, column in found.items():
        worst = diversity(column)
        every[name] = {
            "distinct_l": float(worst.distinct_l),
            "entropy_l": worst.entropy_l,
            "t_equal": worst.t_equal,
            "t_ordered": worst.t_ordered,
            "beta": worst.beta_basic,
            "alpha": worst.alpha,
            "rows_of_one_value": float(worst.single_valued_rows),
        }
    return every
