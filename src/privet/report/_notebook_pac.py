"""PAC releases as notebooks show them: the output beside its promise in full, and what a release would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from privet.artifact import priced
from privet.report._notebook_html import (
    RELEASED,
    facts,
    folded,
    heading,
    listed,
    paragraph,
    stamp,
    table,
    view,
)
from privet.report._notebook_releases import standing_words
from privet.report._pac_promise import NOT_PROTECTED, best_success

if TYPE_CHECKING:
    from privet.artifact import ReleasedOutput
    from privet.protect.pac import PacExplanation


def output_view(released: ReleasedOutput) -> str:
    """Every number, what is promised and what is not, and what it cost in nats."""
    rows = ([label, f"{number:.6g}"] for label, number in zip(released.labels, released.numbers, strict=True))
    receipt = released.receipt
    most = f"at most {released.noise_relative_to_signal:.3g} times the function's own between halves"
    paid = [] if receipt is None else [("cost", priced(receipt.cost)), ("left", priced(receipt.remaining))]
    return view(
        heading(f"PAC release: {released.name}"),
        stamp(RELEASED),
        "" if receipt is None else paragraph(receipt.note, "warn"),
        table(["number", "value"], rows, numbers=1, more="to_pandas() has them all."),
        paragraph(released.sentence(), "promise"),
        standing_words(released.standing),
        paragraph(best_success(released.promise.to_json()), "soft"),
        folded("Not promised", listed(NOT_PROTECTED)),
        facts([("worlds", str(released.worlds)), ("standard deviation of the noise", most), *paid]),
        folded("What was done", listed(released.provenance.stages, numbered=True)),
        folded("Notes", listed(released.notes)),
    )


def pac_explanation_view(explanation: PacExplanation) -> str:
    """Stages, the promise in full, how much noise at most, and the cost."""
    pairs = [("noise", explanation.noise), ("cost", explanation.cost), ("budget", explanation.budget)]
    return view(
        heading("What a PAC release would do"),
        paragraph("Nothing private was read and nothing was spent.", "soft"),
        listed(explanation.stages, numbered=True),
        paragraph(explanation.plan.promise.sentence(), "promise"),
        folded("The promise in full", listed(explanation.promise)),
        facts([(name, text) for name, text in pairs if text]),
        folded("Notes", listed(explanation.notes)),
    )
