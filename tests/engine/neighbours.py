"""The neighbour check: with the noise off, one unit moves an answer no further than its sensitivity says."""

from __future__ import annotations


def entries(groups):
    """{name: {(key, part of its block): exact value}}, and the sensitivities."""
    keys = getattr(groups.keys, "_exact", groups.keys)
    names = [()] if keys is None else [repr(tuple(row.values())) for row in keys.to_pylist()]
    exact = {
        name: {
            (key, part): number
            for key, block in zip(
                names, sealed._exact.reshape(len(names), sealed.sensitivity.block).tolist(), strict=True
            )
            for part, number in enumerate(block)
        }
        for name, sealed in groups.answers.items()
    }
    return exact, {name: sealed.sensitivity for name, sealed in groups.answers.items()}


def violations(one, other):
    """What breaks the stated sensitivity between two neighbouring data sets, as sentences."""
    (before, stated), (after, again) = entries(one), entries(other)
    assert stated == again, "the sensitivity itself depends on the data"
    found = []
    for name, sensitivity in stated.items():
        keys = before[name].keys() | after[name].keys()
        moved = {key: abs(before[name].get(key, 0) - after[name].get(key, 0)) for key in keys}
        changes = [change for change in moved.values() if change]
        blocks = {key for (key, _), change in moved.items() if change}
        if len(blocks) > sensitivity.blocks:
            found.append(f"{name}: {len(blocks)} keys changed, {sensitivity.blocks} allowed")
        if len(changes) > sensitivity.coordinates:
            found.append(f"{name}: {len(changes)} entries changed, {sensitivity.coordinates} allowed")
        if max(changes, default=0) > sensitivity.largest:
            found.append(f"{name}: an entry moved by {max(changes)}, {sensitivity.largest} allowed")
        if sum(changes) > sensitivity.total:
            found.append(f"{name}: moved by {sum(changes)} altogether, {sensitivity.total} allowed")
    return found
