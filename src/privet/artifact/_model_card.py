"""The card of a released model: what it promises, how it was made, what it looks at and where it ends."""

from __future__ import annotations

from typing import Any

from privet.artifact._feature_encoding import CategoryColumn, Column
from privet.guarantee import unit_in


def card_text(model: Any) -> str:
    """The card of a `ReleasedModel`, in Markdown."""
    return "\n".join(
        [
            f"# A model of {model.target.name}",
            "",
            *_promise(model),
            *_making(model),
            *_columns(model),
            *_quality(model),
            *_limits(model),
        ]
    )


def _promise(model: Any) -> list[str]:
    booked = "It was not booked in a ledger."
    if model.receipt is not None:
        booked = (
            f"Booked as entry {model.receipt.entry} of ledger {model.receipt.ledger[:16]}, {model.receipt.at}: "
            f"{model.receipt.why}."
        )
    unit = unit_in(model.unit)
    return [
        "## What is promised",
        "",
        model.promise.sentence_about(unit),
        f"Hidden is {'nobody: no unit was stated' if unit is None else unit.sentence()}.",
        booked,
        *([model.standing.sentence()] if model.standing else []),
        "",
    ]


def _making(model: Any) -> list[str]:
    settings = {
        name: value for name, value in model.fitted.settings.items() if not isinstance(value, dict | list)
    }
    said = [f"- {name.replace('_', ' ')}: {value}" for name, value in settings.items()]
    return [
        "## How it was made",
        "",
        f"Kind: {model.fitted.kind}. Data: {model.provenance.data}. Settings follow from public or noisy figures alone:",
        "",
        *said,
        "",
    ]


def _columns(model: Any) -> list[str]:
    lines = ["## What it looks at", ""]
    lines += [f"- {column.name}: {_facts(column)}" for column in model.features.columns]
    what = (
        ", ".join(model.target.classes)
        if model.target.classes
        else f"{model.target.lower:g} to {model.target.upper:g}"
    )
    return [*lines, "", f"It predicts {model.target.name}: {what}.", ""]


def _facts(column: Column) -> str:
    if isinstance(column, CategoryColumn):
        return f"one of {len(column.values)} values; all others are one more"
    ends = column.words()[0].split(" to ")[0], column.words()[-2].split(" to ")[1]
    return f"{ends[0]} to {ends[1]} in {column.bins} bins ({column.scale}); values outside count as the nearest end"


def _quality(model: Any) -> list[str]:
    if not model.metrics:
        return [
            "## How good it is",
            "",
            "Not measured: no test table was given, and the training data are not scored for free.",
            "",
        ]
    lines = [f"- {name}: {value:.4g}" for name, value in model.metrics.items()]
    return ["## How good it is", "", "On the test table that was given:", "", *lines, ""]


def _limits(model: Any) -> list[str]:
    lines = [
        "## Where it ends",
        "",
        "The promise is about who was in the training data. It does not say that predictions are fair, that they hold",
        "for other populations, or that what is true of people in general stays hidden.",
        "",
    ]
    return lines + [f"- {note}" for note in model.notes] + ([""] if model.notes else [])
