"""The card of a released answer: one HTML page that states the promise, the price and the error beside the numbers.

It is meant for whoever receives the answer, so it is built from the released artifact alone.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from privet.artifact import Answer, Publishable, ReleasedAnswer
from privet.guarantee import readable, unit_from_json
from privet.report._answer_figure import bars_figure, key_text, labels_of
from privet.report._page import rendered, saved_page

# What no noise can do; printed on every card so that nobody reads more into the promise than it says.
NOT_PROTECTED = (
    "Facts about whole groups: if a ward's patients mostly have one diagnosis, an honest answer says so.",
    "People whose data is also released elsewhere without protection, or under another ledger.",
    "Wrong assumptions: a person under several identifiers, or bounds and keys picked by looking at the data.",
    "Attackers who can see inside the machine, or time its work.",
)


def card(answer: ReleasedAnswer) -> str:
    """The card as one self-contained page: no script, no network."""
    labels = labels_of(answer)
    charts = [{"title": a.name, "meaning": a.meaning, "svg": bars_figure(labels, a)} for a in answer.answers]
    receipt, unit = answer.receipt, unit_from_json(answer.receipt.unit)
    return rendered(
        "answer.html",
        title="Private answer",
        audience="public",
        question=answer.provenance.question,
        sentence=answer.promise.sentence_about(unit),
        unit=unit.sentence(),
        change=unit.change.value,
        cost=[
            (name, readable(Fraction(amount))) for name, amount in sorted(receipt.cost.items(), reverse=True)
        ],
        remaining=[
            (name, readable(Fraction(amount)))
            for name, amount in sorted(receipt.remaining.items(), reverse=True)
        ],
        accounting=f"{receipt.accounting}, {receipt.composition}",
        why=receipt.why,
        charts=charts,
        confidence=f"{answer.confidence:.0%}",
        keys=list(answer.keys),
        names=[a.name for a in answer.answers],
        rows=[_row(answer, row) for row in range(len(answer))],
        stages=answer.provenance.stages,
        notes=answer.notes,
        not_protected=NOT_PROTECTED,
        receipt=receipt,
        data=answer.provenance.data,
        versions=sorted(answer.provenance.versions.items()),
    )


def save_card(answer: ReleasedAnswer, path: str | Path) -> Path:
    """Write the card, whole or not at all."""
    return saved_page(Publishable(card(answer), "released under a promise"), path)


def _row(answer: ReleasedAnswer, row: int) -> dict[str, Any]:
    return {
        "labels": [key_text(values[row]) for values in answer.keys.values()],
        "cells": [_cell(column, row) for column in answer.answers],
    }


def _cell(column: Answer, row: int) -> dict[str, str]:
    value, _, error = column.text(row).partition(" ± ")
    return {"value": value, "error": error}
