"""The source of a policy, opened for one step: only the columns that its purpose allows ever leave the file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from privet.engine.holding_out import held_out, wording
from privet.engine.naming import did_you_mean
from privet.engine.tables import project
from privet.errors import BadPolicy
from privet.pipeline.kinds import Bound, Seen
from privet.pipeline.policy import Policy
from privet.source import open_table
from privet.source.table import Table


def opened(policy: Policy, folder: Path) -> Table:
    """The source with everything the policy says of it; no row is read. All columns it lacks are named at once."""
    dataset = policy.dataset
    where = dataset.source if "://" in dataset.source else str(folder / dataset.source)
    bare = open_table(where, name=dataset.name, delimiter=dataset.delimiter)
    lacking = [name for name in policy.columns if name not in bare.columns]
    if lacking:
        raise BadPolicy(
            "\n".join(
                f"columns.{name}: the source has no such column. {did_you_mean(name, bare.columns)}"
                for name in lacking
            ),
            "Correct the policy; nothing was read or spent.",
            faults=lacking,
        )
    declared = policy.columns
    bounds: dict[str, Any] = {
        name: column.bounds for name, column in declared.items() if column.bounds is not None
    }
    return open_table(
        where,
        name=dataset.name,
        delimiter=dataset.delimiter,
        unit=dataset.unit.value(),
        roles={name: column.role for name, column in declared.items()},
        bounds=bounds,
        keys={name: column.values for name, column in declared.items() if column.values is not None},
    )


def seen_by(step: Bound, whole: Table, policy: Policy) -> Seen:
    """The table as the step may see it: other columns are dropped in the query, before anything is loaded."""
    unit = policy.dataset.unit.column
    wanted = {*step.columns, *([] if unit == "row" else [unit])}
    read = tuple(name for name in whole.columns if name in wanted)
    table = replace(
        whole,
        relation=project(whole.relation, read),
        roles={name: role for name, role in whole.roles.items() if name in wanted},
        bounds={name: bounds for name, bounds in whole.bounds.items() if name in wanted},
        keys={names: keys for names, keys in whole.keys.items() if set(names) <= wanted},
        spans={name: span for name, span in whole.spans.items() if name in wanted},
    )
    dropped = tuple(name for name in whole.columns if name not in wanted)
    query = wording(table.relation, whole.name)
    if not step.holdout:
        return Seen(table, None, read, dropped, query)
    stay, apart = held_out(table.relation, whole.unit_or_refuse(), step.holdout)
    kept = replace(table, relation=stay)
    return Seen(kept, replace(table, relation=apart), read, dropped, wording(stay, whole.name))
