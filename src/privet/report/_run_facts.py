"""What checklists need to know of a run, read off its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from privet.audits import percent
from privet.guarantee import promise_from_json, unit_in
from privet.report._pac_promise import without_nats
from privet.report._run_budgets import WHOLE

Record = Mapping[str, Any]

# What a step makes, as people call it.
OUTPUTS = {
    "audit": "audit",
    "answer": "noisy answer",
    "table": "generalized table",
    "model": "model",
    "twin": "synthetic twin",
    "records": "records with some values replaced, which promise nothing by themselves",
    "report": "attack report",
    "hierarchy": "hierarchy",
}


def data_set(record: Record) -> str:
    """What the data set is called; a source's place is not said."""
    return str(record["policy"]["dataset"].get("name") or "the data set")


def private(step: Record) -> bool:
    """Whether a step made something under differential privacy."""
    return bool(step["receipt"] and without_nats(step["receipt"]["cost"]))


def columns_read(record: Record) -> list[str]:
    """Every column that some step read, in the policy's order."""
    read = {name for step in record["steps"] for name in step["read"]}
    return [name for name in record["policy"]["columns"] if name in read]


def columns_left(record: Record) -> list[str]:
    """Declared columns that no step read."""
    read = set(columns_read(record))
    return [name for name in record["policy"]["columns"] if name not in read]


def purposes(record: Record) -> dict[str, dict[str, Any]]:
    """The purposes that a step of the run was made for."""
    used = {step["purpose"] for step in record["steps"]}
    return {name: one for name, one in record["policy"]["purposes"].items() if name in used}


def measures(record: Record) -> list[str]:
    """What was done to protect people, from what the steps promise and the policy enforces."""
    found = [
        f"{step['name']} ({OUTPUTS.get(step['made']['kind'], step['made']['kind'])}): "
        f"{promise_from_json(step['made']['promise']).sentence_about(unit_in((step['receipt'] or {}).get('unit')))}"
        for step in record["steps"]
        if step["made"] and step["made"]["promise"]
    ]
    left = columns_left(record)
    if left:
        found.append(f"{len(left)} of the declared columns were not loaded")
    if record["ledger"] is not None:
        found.append("Every release was booked in a hash-chained ledger before any noise was drawn")
    return found


def loss(record: Record) -> tuple[float | None, float]:
    """Epsilon and delta over everything in the ledger; epsilon is None where none was spent in it."""
    ledger = record["ledger"]
    if ledger is None:
        return None, 0.0
    spent = next(one["spent"] for one in ledger["balances"] if one["scope"] == WHOLE)
    if not without_nats(spent):
        return None, 0.0
    if "rho" in spent:
        from privet.guarantee import epsilon_of_rho

        delta = Fraction(ledger["limit"].get("delta") or 0)
        rho = Fraction(spent["rho"])
        return (epsilon_of_rho(rho, delta) if delta and rho else None), float(delta)
    return float(Fraction(spent.get("epsilon", 0))), float(Fraction(spent.get("delta", 0)))


def sweep(record: Record, tradeoff: Record | None) -> str | None:
    """How a sweep for settings stands to the rows, where one was made: a step of a run sweeps over the rows themselves."""
    if any(step["kind"] == "tradeoff" for step in record["steps"]):
        return "owner-only"
    return (tradeoff or {}).get("standing")


def hazard_facts(record: Record, *, people: int | None, sweep: str | None) -> dict[str, Any]:
    """For `_regulator_checklists.hazards`; `sweep` is how a trade-off stands to the data, where there is one."""
    steps = [step for step in record["steps"] if private(step)]
    epsilon, delta = loss(record)
    unit = (record["ledger"] or {}).get("unit") or {}
    stated = record["policy"]["dataset"]["unit"]
    return {
        "private": bool(steps),
        "unit": unit.get("unit") or ("row" if stated["column"] == "row" else "person"),
        "unit_column": stated["column"],
        "max_rows": stated.get("max_rows"),
        "epsilon": epsilon,
        "delta": delta,
        "people": people,
        "bounds_public": None,
        "keys_public": None,
        "tuned": sweep in ("owner-only", "booked"),
        "tuning_booked": sweep == "booked",
        "outside": [
            step["name"]
            for step in record["steps"]
            if step["made"] and step["made"]["promise"] and not private(step)
        ],
        "float_noise": any(step["kind"] != "release" for step in steps),
    }


def people(record: Record) -> int | None:
    """How many people an audit of the run counted. For the owner."""
    counts = [step["facts"].get("people") for step in record["steps"] if step["kind"] == "audit"]
    return next((int(count) for count in counts if isinstance(count, int)), None)


def dpia_facts(record: Record, risks: Sequence[Record]) -> dict[str, Any]:
    """For `_regulator_checklists.dpia`."""
    used = purposes(record)
    return {
        "columns": columns_read(record),
        "dropped": columns_left(record),
        "artifacts": [
            f"{step['name']}: {OUTPUTS.get(step['made']['kind'], step['made']['kind'])} for "
            f"{step['made']['recipient']}"
            for step in record["steps"]
            if step["made"]
        ],
        "purposes": used,
        "special": special(record),
        "risks": risks,
        "measures": measures(record),
        "reviews": [f"{name}: {one['review']}" for name, one in used.items() if one.get("review")],
    }


def given_away(record: Record) -> list[str]:
    """Of which records of a table a sensitive value can be told, since all who look alike share it. For the owner."""
    found = []
    for step in record["steps"]:
        after = step["facts"].get("after")
        if not isinstance(after, dict) or not after.get("rows"):
            continue
        for column, figures in after.get("sensitive", {}).items():
            share = figures.get("rows_of_one_value", 0) / after["rows"]
            if share:
                found.append(
                    f"{step['name']}: all who look alike share their {column} in {percent(share)} of records"
                )
    return found


def special(record: Record) -> list[str]:
    """Declared columns of special categories (GDPR Art. 9), by the declaration or by their category."""
    from privet.audits.columns import CATEGORIES

    return [
        name
        for name, one in record["policy"]["columns"].items()
        if one.get("special") or (one.get("category") in CATEGORIES and CATEGORIES[one["category"]].special)
    ]


def article_30_facts(record: Record) -> dict[str, Any]:
    """For `_regulator_checklists.article_30`."""
    from privet.audits.columns import CATEGORIES

    declared = record["policy"]["columns"]
    read = columns_read(record)
    named = [declared[name].get("category") for name in read]
    labels = [CATEGORIES[one].label if one in CATEGORIES else one for one in named if one and one != "other"]
    return {
        "purposes": purposes(record),
        "categories": list(dict.fromkeys(labels)),
        "special": [name for name in special(record) if name in read],
        "measures": measures(record),
    }


def published(record: Record, columns: Sequence[Mapping[str, Any]]) -> list[dict[str, str | None]]:
    """For `_regulator_checklists.safe_harbor`: what was done to each column that is still there, with its identifier's letter."""
    from privet.audits.columns import CATEGORIES

    declared = record["policy"]["columns"]
    found: list[dict[str, str | None]] = []
    for column in columns:
        if column["done"] == "removed":
            continue
        one: dict[str, str | None] = {"column": column["column"], "done": column["done"]}
        category = declared.get(column["column"], {}).get("category")
        if category in CATEGORIES:
            one["letter"] = CATEGORIES[category].hipaa
        found.append(one)
    return found
