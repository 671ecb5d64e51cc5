"""The card of a shield: what it is and what it is not, for people who decide about its use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from privet.errors import BadModel

IS_NOT = (
    "It is no differential privacy, and no epsilon can be stated for it.",
    "What attacks found holds for those attacks, on texts like those they were tried on. Somebody else may build a better one.",
    "How long a text is, when it was sent and what the model answers stay visible to whoever runs the model.",
    "Sending one text several times tells more than sending it once.",
)
PATENTS = (
    "Learned noise for the inputs of models is the subject of patents of others (among them Protopia AI). This software grants no "
    "licence to them: ask counsel before commercial use."
)


def shield_card(record: Mapping[str, Any]) -> str:
    """Markdown."""
    try:
        fitted, settings = record["fitted"], record["settings"]
        lines = [
            "# Input shield",
            "",
            "A small network that replaces the embeddings of an input by noisy ones before they are sent to a model. A text "
            "never leaves; an embedding with fresh noise does.",
            "",
            "## How it was fitted",
            "",
            f"- Public texts: {int(fitted['texts']):,}",
            f"- What the model was to keep: {fitted['utility']}",
            f"- Strength of the information term: {float(fitted['strength']):g}",
            f"- Steps: {int(settings['steps']):,}",
            f"- Information in the last steps: {float(fitted['information']):.3g} nats between two places, estimated",
            f"- Model: weights with digest {str(record['model'])[:16]}…",
            "",
            "## What it is not",
            "",
            *(f"- {said}" for said in IS_NOT),
            "",
            "No claim of protection is made here. Attack it (`pv.attack`) on texts like yours and read the strongest "
            "result.",
            "",
            "## Patents",
            "",
            PATENTS,
            "",
        ]
    except (KeyError, TypeError, ValueError):
        raise BadModel(
            "the record of this shield lacks a field.", "Was it written by a newer version?"
        ) from None
    return "\n".join(lines)
