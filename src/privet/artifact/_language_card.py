"""The card of a released language model: what it promises for which unit, how it was trained, and where it ends."""

from __future__ import annotations

from typing import Any

from privet.artifact._network_card import booked_noise
from privet.guarantee import unit_from_json


def language_card(record: Any) -> str:
    """The card of a `LanguageRecord`, in Markdown."""
    lines = ["# A language model", ""]
    for part in (_promise, _making, _use, _limits):
        lines += part(record)
    return "\n".join(lines)


def _promise(record: Any) -> list[str]:
    receipt = record.receipt
    lines = [
        "## What is promised",
        "",
        record.promise.sentence_about(unit_from_json(record.unit)),
        "",
        record.terms.sentence(),
        "",
        f"Booked as entry {receipt.entry} of ledger {receipt.ledger[:16]}, {receipt.at}: {receipt.why}.",
    ]
    lines += [
        f"Part of it paid for {one.what}: entry {one.receipt.entry} of ledger {one.receipt.ledger[:16]}."
        for one in record.parts
    ]
    return [*lines, *([record.standing.sentence()] if record.standing else []), ""]


def _making(record: Any) -> list[str]:
    plan = record.plan
    said = {
        "architecture": record.architecture,
        "numbers": f"{record.weights:,}",
        "trained": f"{sum(_size(shape) for _, shape in plan['trained']):,} of them, {record.origin}",
        "tokenizer": record.tokenizer,
        "steps": plan["steps"],
        "sampling": f"{plan['sampling']}, about {plan['batch']} of {plan['records']} units a step",
        "clipping": f"{plan['clipping']['style']} at {plan['clipping']['bound']:g}",
        "noise": f"{booked_noise(plan['event']):.4g} times the bound",
    }
    lines = [
        "## How it was made",
        "",
        "By clipped and noised gradients of next-token losses. Everything here was fixed before a text was read:",
        "",
        *(f"- {name}: {value}" for name, value in said.items()),
        "",
    ]
    if record.curve:
        lines += [
            "Loss on public text that was kept apart, in nats a token:",
            "",
            "| step | loss |",
            "| --- | --- |",
        ]
        lines += [f"| {step} | {loss:.4f} |" for step, loss in record.curve]
        lines += [""]
    return lines


def _size(shape: list[int]) -> int:
    found = 1
    for one in shape:
        found *= one
    return found


def _use(record: Any) -> list[str]:
    return [
        "## What it takes and gives",
        "",
        f"Text, of which it was trained on {record.terms.tokens} tokens at once. It goes on with what it is given.",
        "transformers loads this folder: AutoModelForCausalLM and AutoTokenizer, without code of the folder's own.",
        "",
    ]


def _limits(record: Any) -> list[str]:
    lines = [
        "## Where it ends",
        "",
        "What stands in the texts of several units, word for word or nearly, is hidden only as far as the promise for",
        "that many units goes. Weights and tokenizers that were given, and texts that were given as public, were taken",
        "to be public by whoever gave them. The promise does not say that what the model writes is true or harmless,",
        "or that what holds for people in general stays hidden.",
        "",
    ]
    return lines + [f"- {note}" for note in record.notes] + ([""] if record.notes else [])
