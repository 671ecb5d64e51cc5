"""Exposure does not fall as a published table comes nearer to the people it was made from.

A copy is at least as exposed as a copy that was changed a little, that at least as one that was changed a lot, and that
at least as rows of others. In whatever order rows are published, and be each published once or twice.
"""

import itertools

import numpy as np
import pyarrow as pa
import pytest
from tests.attacks.tables.worlds import world

from privet.artifact._risk_estimate import IntervalEstimate, RiskEstimate
from privet.attacks._attack_registry import Case, attacks
from privet.errors import NoPower

ROWS = 240
CHANGES = (0.0, 0.05, 0.4)
# Beyond a copy the figures are shares of a few hundred people: chance moves them by so much.
CHANCE = 0.1


def letters(rows: int, seed: int) -> pa.Table:
    """Few values, so that people are alike by chance."""
    draw = np.random.default_rng(seed)
    return pa.table({f"letter {j}": draw.choice(list("abcd"), rows) for j in range(6)})


def changed(table: pa.Table, share: float, seed: int) -> pa.Table:
    """Numbers moved by a share of their spread, on their own grid; others drawn anew as often; and shuffled."""
    draw = np.random.default_rng(seed)
    columns = {}
    for name in table.column_names:
        values = table[name].to_numpy(zero_copy_only=False)
        if values.dtype.kind == "f":
            digits = 2 if "gaps" in name else 1
            moved = np.round(values + share * np.nanstd(values) * draw.normal(size=len(values)), digits)
            columns[name] = pa.array(np.nan_to_num(moved), mask=np.isnan(values))
        else:
            columns[name] = pa.array(
                np.where(draw.random(len(values)) < share / 2, draw.permutation(values), values)
            )
    return pa.table(columns).take(draw.permutation(len(table)))


def exposure(found: RiskEstimate) -> IntervalEstimate:
    """Success; for attacks that are scored by it, the excess over control."""
    risk = found.details.get("risk")
    return found.success if risk is None else IntervalEstimate(**risk)


# Shadow twins are told apart by how they were made, which a changed table does not say.
COMPARED = [
    (one.name, {})
    for one in attacks("table")
    if "control" in one.needs and one.name != "membership-shadow-twins"
]
COMPARED += [("membership-density", how) for how in ({"density": "classifier"}, {"neighbours": 3})]


@pytest.mark.parametrize("make", [world, letters])
@pytest.mark.parametrize(("name", "how"), COMPARED, ids=str)
def test_nearer_is_no_safer(name, how, make) -> None:
    members, control = make(ROWS, 1), make(ROWS, 2)
    case = Case(members=members, control=control, settings={"repeats": 1, "guesses": 500, **how})
    (attack,) = (one for one in attacks("table") if one.name == name)
    nearer = [changed(members, share, 5) for share in CHANGES]
    published = [nearer[0], pa.concat_tables([nearer[0], nearer[0]]), *nearer[1:], make(ROWS, 3)]
    try:
        found = [exposure(attack.run(table, case)) for table in published]
    except NoPower:
        assert (name, make) == ("singling-out-univariate", letters)  # no letter occurs once
        return
    copy, twice, *others = found
    assert copy.value > 0.9
    assert twice.value == pytest.approx(copy.value, abs=0.03)
    assert copy.value >= max(one.value for one in others) - 1e-9
    for near, far in itertools.pairwise(others):
        assert far.value <= near.value + CHANCE
    assert copy.low > others[-1].value
