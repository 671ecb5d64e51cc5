"""The card of a released network: what it promises, how it was trained, what it takes and gives, and where it ends."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from privet.guarantee import unit_from_json


def network_card(record: Any) -> str:
    """The card of a `NetworkRecord`, in Markdown."""
    name = record.target or "what it was trained for"
    lines = [f"# A network of {name}", ""]
    for part in (_promise, _making, _use, _limits):
        lines += part(record)
    return "\n".join(lines)


def _promise(record: Any) -> list[str]:
    unit = unit_from_json(record.unit)
    receipt = record.receipt
    return [
        "## What is promised",
        "",
        record.promise.sentence_about(unit),
        f"Hidden is {unit.sentence()}.",
        f"Booked as entry {receipt.entry} of ledger {receipt.ledger[:16]}, {receipt.at}: {receipt.why}.",
        *([record.standing.sentence()] if record.standing else []),
        "",
    ]


def _making(record: Any) -> list[str]:
    plan = record.plan
    trained = [one for one in record.tensors if one.trained]
    numbers = sum(math.prod(one.shape) for one in trained)
    elsewhere = sum(not one.kept for one in record.tensors)
    said = {
        "architecture": record.architecture,
        "trained numbers": f"{numbers:,} in {len(trained)} tensors",
        "other tensors": f"{len(record.tensors) - len(trained)}"
        + (f", {elsewhere} of which come with the architecture" if elsewhere else ""),
        "loss": record.loss,
        "steps": plan["steps"],
        "sampling": f"{plan['sampling']}, about {plan['batch']} of {plan['records']} a step",
        "clipping": f"{plan['clipping']['style']} at {plan['clipping']['bound']:g}",
        "noise": f"{booked_noise(plan['event']):.4g} times the bound",
    }
    return [
        "## How it was made",
        "",
        "By clipped and noised gradients. Everything here was fixed before a record was read:",
        "",
        *(f"- {name}: {value}" for name, value in said.items()),
        "",
    ]


def booked_noise(event: dict[str, Any]) -> float:
    """The noise on a step's sum: that of the first Gaussian in what was booked."""
    if "sigma" in event:
        return float(Fraction(event["sigma"]))
    return booked_noise(event["events"][0] if "events" in event else event["event"])


def _use(record: Any) -> list[str]:
    lines = ["## What it takes and gives", ""]
    for one in record.inputs:
        size = " x ".join(map(str, one.shape)) or "one number"
        lines.append(f"- {one.name or 'input'}: {size}, {one.dtype}")
    if record.columns:
        lines += ["", f"In the columns {', '.join(record.columns)}."]
    if record.classes:
        lines += ["", f"It tells apart {', '.join(record.classes)}."]
    return [*lines, ""]


def _limits(record: Any) -> list[str]:
    lines = [
        "## Where it ends",
        "",
        "The promise is about who was in the training data. It does not say that predictions are fair, that they hold",
        "for other populations, or that what is true of people in general stays hidden. Weights that were not trained",
        "were taken to be public by whoever handed them in. The architecture is code, and is not in this folder.",
        "",
    ]
    return lines + [f"- {note}" for note in record.notes] + ([""] if record.notes else [])
