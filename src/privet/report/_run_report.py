"""What a run made, promised, spent and withstood, as one record that the page is drawn from.

There are two of them, and they are different records. The owner's (`privet.report._run_owner`) holds what was measured
on the original rows. The public one (`privet.report._run_public`) is put together from what was promised, chosen and
booked, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from privet.report._run_owner import owner_report
from privet.report._run_public import public_report

SCHEMA = 1
KIND = "run-report"


def run_report(
    record: Mapping[str, Any],
    *,
    public: bool = False,
    tradeoff: Mapping[str, Any] | None = None,
    coming: Mapping[str, Any] | None = None,
    standing: str = "",
) -> dict[str, Any]:
    """The report of a run, from its record (`RunRecord.to_json()`).

    `tradeoff` is the record of a trade-off to be shown beside it; `coming` is a plan for the state that the run left,
    whose spends are shown as planned. `standing` says whether the record is signed or merely claims what it says. With
    `public`, everything derived from the original rows is left out.
    """
    made = (public_report if public else owner_report)(record, tradeoff=tradeoff, coming=coming)
    return {"schema": SCHEMA, "artifact": KIND, **made, "standing": standing}
