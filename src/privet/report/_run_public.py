"""The report of a run for others than the owner: built from a list of what may be told, not by striking things out.

Told are promises and their parameters, what was booked, the policy's own words, and versions. Whatever was measured on
the original rows or follows from them is not looked at: audits, attacks and what became of limits, rows and times,
files and their digests, questions (they may hold values), reasons in the ledger, fingerprints of the data. A digest is
as good as what it covers to somebody who can guess the rest, so that of the policy, whose questions are not told, is not
told either.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from privet.report import _regulator_checklists as checklists
from privet.report import _run_facts as run_facts
from privet.report import _wp29_criteria as criteria
from privet.report._regulator_checklists import Item, ItemStanding
from privet.report._run_artifacts import promise_of
from privet.report._run_budgets import burns
from privet.report._run_checklists import listed, open_points, sections

Record = Mapping[str, Any]

# Outputs that are for the owner alone are not mentioned.
_OWN = ("audit", "report")
# How a trade-off may have been made so that others may see it: not on the rows. What was booked is only what models cost;
# the figures of a sweep over the rows are the owner's all the same.
_SHOWN = ("public", "surrogate")
_TRADEOFF = ("schema", "artifact", "target", "standing", "standing_words", "notes", "knee")
_POINT = (
    "technique", "strength", "label", "utility", "utility_name", "risk", "risk_name", "baseline", "attack",
    "allowed", "allowed_in_risk", "meaningless", "standing", "on_frontier", "words",
)  # fmt: skip
# What a step was told that a promise is made of. Numbers, words from a closed list, and names of declared columns.
_PARAMETERS = {
    "anonymize": ("k", "l", "t", "max_suppressed", "search"),
    "pac": ("nats", "worlds"),
    "release": ("epsilon", "delta", "confidence"),
    "synthesize": ("target", "epsilon", "delta", "method"),
    "train": ("target", "epsilon", "delta", "model"),
}
_NUMBER = re.compile(r"\d{1,12}(\.\d{1,40})?([eE][-+]?\d{1,3})?")
_WORDS = (
    "optimal",
    "anytime",
    "local",
    "mondrian",
    "auto",
    "linear",
    "centroids",
    "boosted_trees",
    "mlp",
    "objective",
    "ebm",
    "aim",
    "mst",
    "evolve",
)
_WITHHELD = "what attacks measured is in the owner's report"


def public_report(
    record: Record, *, tradeoff: Record | None = None, coming: Record | None = None
) -> dict[str, Any]:
    """The report for others, from what was promised, chosen and booked alone."""
    unit = (record["ledger"] or {}).get("unit")
    shown = [step for step in record["steps"] if step["made"] and step["made"]["kind"] not in _OWN]
    told = {**record, "steps": shown}
    swept = tradeoff if tradeoff and tradeoff.get("standing") in _SHOWN else None
    report: dict[str, Any] = {
        "audience": "public",
        "data_set": run_facts.data_set(record),
        "started": record["started"][:10],
        "artifacts": [_artifact(step, unit, record) for step in shown],
        "budgets": [one.to_json() for one in burns(record, coming)],
        "tradeoff": _tradeoff(swept) if swept else None,
        "checklists": _checklists(told, run_facts.sweep(record, tradeoff)),
        "purposes": {name: _purpose(one) for name, one in run_facts.purposes(told).items()},
        "steps": [_step(step, record) for step in shown],
        "ledger": _ledger(record["ledger"]),
        "versions": dict(record["versions"]),
        "bound_to": {},
    }
    return {**report, "summary": _summary(told, report)}


def _tradeoff(swept: Record) -> dict[str, Any]:
    return {
        **{name: swept[name] for name in _TRADEOFF},
        "points": [{name: point[name] for name in _POINT if name in point} for point in swept["points"]],
    }


def _artifact(step: Record, unit: Mapping[str, Any] | None, record: Record) -> dict[str, Any]:
    return {**promise_of(step, unit), "parameters": _parameters(step, record)}


def _parameters(step: Record, record: Record) -> dict[str, Any]:
    declared = record["policy"]["columns"]
    found = {}
    for name in _PARAMETERS.get(step["kind"], ()):
        value = step["options"].get(name)
        if isinstance(value, Mapping):
            value = {
                column: one for column, one in value.items() if column in declared and _plain(one, ())
            } or None
        elif not _plain(value, declared):
            value = None
        if value is not None:
            found[name] = value
    return found


def _plain(value: Any, names: Any) -> bool:
    if isinstance(value, str):
        return _NUMBER.fullmatch(value) is not None or value in _WORDS or value in names
    return isinstance(value, int | float)


def _purpose(purpose: Record) -> dict[str, Any]:
    return {
        name: purpose.get(name)
        for name in ("use", "basis", "special_basis", "columns", "outputs", "recipients", "expires", "review")
    }


def _step(step: Record, record: Record) -> dict[str, Any]:
    declared = record["policy"]["columns"]
    return {
        "name": step["name"],
        "kind": step["kind"],
        "purpose": step["purpose"],
        "read": [name for name in step["read"] if name in declared],
        "dropped": [name for name in step["dropped"] if name in declared],
        "planned": dict(step["planned"]),
        "spent": dict(step["spent"]),
    }


def _ledger(book: Record | None) -> dict[str, Any] | None:
    if book is None:
        return None
    entries = [
        {
            "number": entry["number"],
            "kind": entry["kind"],
            "at": str(entry.get("at", ""))[:10],
            "purpose": entry.get("purpose"),
            "cost": dict(entry.get("cost") or {}),
            "hash": entry["hash"],
        }
        for entry in book["entries"]
    ]
    return {
        "id": book["id"],
        "head": book["head"],
        "accounting": book["accounting"],
        "limit": dict(book["limit"]),
        "entries": entries,
    }


def _checklists(told: Record, sweep: str | None) -> dict[str, Any]:
    hazards = checklists.hazards(run_facts.hazard_facts(told, people=None, sweep=sweep))
    withheld = [Item(item.asks, ItemStanding.WITHHELD, _WITHHELD) for item in criteria.wp29(())]
    draft = [
        (title, (Item("What attacks found", ItemStanding.WITHHELD, _WITHHELD),))
        if title.startswith("Risks")
        else (title, items)
        for title, items in checklists.dpia(run_facts.dpia_facts(told, ()))
    ]
    return {
        "wp29": listed(withheld),
        "hazards": listed(hazards),
        "dpia": sections(draft),
        "article_30": listed(checklists.article_30(run_facts.article_30_facts(told))),
        "safe_harbor": [
            {"of": step["name"], "items": _withheld(checklists.safe_harbor(_columns(step, told)))}
            for step in told["steps"]
            if step["made"]["kind"] == "table"
        ],
        "ccpa": listed(checklists.deidentified_in_california(_WITHHELD)),
    }


def _withheld(items: Sequence[Item]) -> list[dict[str, str]]:
    """What was looked for in a file is said to its owner."""
    return listed(
        Item(item.asks, ItemStanding.WITHHELD, "what was recognised in the file is in the owner's report")
        if item.standing is ItemStanding.NOT_TESTED
        else item
        for item in items
    )


def _columns(step: Record, told: Record) -> list[dict[str, str | None]]:
    """The columns that a table may hold by their roles; how far each was coarsened was found on the data."""
    declared = told["policy"]["columns"]
    held = [
        {"column": name, "done": "see the published table"}
        for name in step["read"]
        if name in declared and declared[name]["role"] != "direct"
    ]
    return run_facts.published(told, held)


def _summary(told: Record, report: Record) -> dict[str, Any]:
    number = open_points(report["checklists"])
    things = ", ".join(f"{one['step']} ({one['what']})" for one in report["artifacts"])
    return {
        "verdict": f"What was made of {run_facts.data_set(told)}, and what is promised of it.",
        "calm": True,
        "findings": [],
        "said": [
            f"Made: {things}." if things else "Nothing was made that leaves the owner.",
            "Nothing on this page was measured on the original rows: it states promises, their parameters and what was "
            "booked. What attacks found stands in the owner's report.",
            f"{number} items for human review, marked open below.",
            "Some risk is left, and what others may know changes: an assessment holds until it is looked at again.",
        ],
    }
