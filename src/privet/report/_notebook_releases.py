"""What may leave, as notebooks show it: answers, hierarchies, tables and models, each with its promise beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from privet.artifact import priced
from privet.guarantee import unit_from_json
from privet.report._notebook_html import (
    OWNER,
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

if TYPE_CHECKING:
    from privet.artifact import (
        Receipt,
        ReleasedAnswer,
        ReleasedHierarchy,
        ReleasedModel,
        ReleasedTable,
        ReleasedTwin,
    )
    from privet.evidence import Standing
    from privet.protect.train.gradients import ReleasedNetwork
    from privet.protect.train.language import ReleasedLanguageModel


def answer_view(answer: ReleasedAnswer) -> str:
    """Keys and noisy values with their errors, the promise and what it cost."""
    rows = (
        [
            *(_shown(values[row]) for values in answer.keys.values()),
            *(one.text(row) for one in answer.answers),
        ]
        for row in range(len(answer))
    )
    headings = [*answer.keys, *(one.name for one in answer.answers)]
    return view(
        heading("Private answer"),
        stamp(RELEASED),
        _forgets(answer.receipt),
        table(headings, rows, numbers=len(answer.answers), more="to_pandas() has them all."),
        paragraph(f"± at {answer.confidence:.0%} confidence, for the noise alone.", "soft"),
        paragraph(answer.promise.sentence(), "promise"),
        _standing(answer),
        _paid(answer.receipt),
        folded("What was done", listed(answer.provenance.stages, numbered=True)),
        folded("Notes", listed(answer.notes)),
    )


def hierarchy_view(released: ReleasedHierarchy) -> str:
    """The levels with what is known of each, the promise and what it cost."""
    rows = [
        [
            level.name,
            f"{len(level):,}",
            f"{int(level.counts.sum()):,}",
            f"± {float(np.mean(level.widths[()])):.3g}",
            f"± {float(np.mean(level.widths[tuple(released.cells)])):.3g}",
        ]
        for level in released.levels
    ]
    return view(
        heading(f"Released hierarchy by {', '.join(released.cells)}"),
        stamp(RELEASED),
        _forgets(released.receipt),
        table(["level", "places", "counted", "totals", "cells"], rows, numbers=4),
        paragraph(
            f"± at {released.confidence:.0%} confidence around the unbiased estimates; counts add up at every level.",
            "soft",
        ),
        paragraph(released.sentence(), "promise"),
        _standing(released),
        _paid(released.receipt),
        folded("Notes", listed(released.notes)),
    )


def table_view(released: ReleasedTable) -> str:
    """What was done to each column and the risk that is left. Figures about the original are the owner's."""
    rows = [
        [one.column, one.role, one.done, "" if one.loss is None else f"{one.loss:.3f}"]
        for one in released.columns
    ]
    found = released.found
    owner = f"{OWNER}: figures about the original table stand beside those of the published one"
    return view(
        heading("Anonymized table"),
        stamp(RELEASED if released.before is None else owner),
        _forgets(released.receipt),
        paragraph(f"{released.after.rows:,} rows published, {found.suppressed_rows:,} suppressed."),
        table(["column", "role", "what was done", "loss"], rows, numbers=1),
        _risks(released),
        paragraph(released.promise.sentence(), "promise"),
        _standing(released),
        folded("Notes", listed(released.notes)),
    )


def twin_view(twin: ReleasedTwin) -> str:
    """What the columns hold and what was measured; nothing in it was read off private rows without noise."""
    columns = [[one.name, one.kind, one.origin, f"{one.codes:,}"] for one in twin.columns]
    noisy = [one for one in twin.measured if one.sigma is not None]
    measured = [
        [" × ".join(one.columns), f"{one.sigma:.4g}", f"{one.cells:,}", f"{one.rho:.3g}"] for one in noisy
    ]
    return view(
        heading("Synthetic twin"),
        stamp(RELEASED),
        _forgets(twin.receipt),
        paragraph(f"{twin.rows:,} synthetic rows by {twin.method}; rho {twin.rho:.4g} in all."),
        table(["column", "kind", "domain", "codes"], columns, numbers=1),
        folded("What was measured", table(["columns", "sigma", "cells", "rho"], measured, numbers=3)),
        paragraph(twin.sentence(), "promise"),
        standing_words(twin.standing),
        folded("Notes", listed(twin.notes)),
    )


def _risks(released: ReleasedTable) -> str:
    names = {
        "highest_risk": ("highest risk", ".3g"),
        "mean_risk": ("mean risk", ".3g"),
        "unique_rows": ("unique rows", ","),
        "smallest_class": ("smallest class", ","),
    }
    before, after = released.before, released.after
    rows = [
        [
            words,
            *([] if before is None else [f"{getattr(before, name):{form}}"]),
            f"{getattr(after, name):{form}}",
        ]
        for name, (words, form) in names.items()
    ]
    times = ["published"] if before is None else ["original", "published"]
    return table(["risk", *times], rows, numbers=len(times))


def model_view(model: ReleasedModel) -> str:
    """What the model is, how good it is where that was measured, and its promise."""
    what = f"one of {len(model.classes)} classes" if model.classes else "a number"
    return view(
        heading(f"Model of {model.target.name}"),
        stamp(RELEASED),
        _forgets(model.receipt),
        facts(
            [
                ("predicts", what),
                ("from", ", ".join(model.features.names)),
                ("kind", model.fitted.kind),
                ("hides", _hides(model.unit)),
                *((f"{name} on the test table", f"{value:.4g}") for name, value in model.metrics.items()),
            ]
        ),
        paragraph(model.promise.sentence(), "promise"),
        _standing(model),
        _paid(model.receipt),
        folded("Notes", listed(model.notes)),
    )


def network_view(network: ReleasedNetwork) -> str:
    """What a network is, and its promise; no weight is shown."""
    record = network.record
    return view(
        heading(f"Network of {record.target}" if record.target else f"Network {record.architecture}"),
        stamp(RELEASED),
        _forgets(record.receipt),
        facts(
            [
                ("architecture", record.architecture),
                ("trained tensors", f"{sum(one.trained for one in record.tensors):,}"),
                ("loss", record.loss),
                ("hides", _hides(record.unit)),
            ]
        ),
        paragraph(record.promise.sentence(), "promise"),
        _standing(network),
        _paid(record.receipt),
        folded("Notes", listed(record.notes)),
    )


def language_view(model: ReleasedLanguageModel) -> str:
    """What a language model is, and its promise; neither a weight nor a text is shown."""
    record = model.record
    return view(
        heading(f"Language model {record.architecture}"),
        stamp(RELEASED),
        _forgets(record.receipt),
        facts(
            [
                ("numbers", f"{record.weights:,}"),
                ("origin", record.origin),
                ("tokenizer", record.tokenizer),
                ("hides", _hides(record.unit)),
            ]
        ),
        paragraph(record.sentence, "promise"),
        _standing(model),
        _paid(record.receipt),
        folded("Notes", listed(record.notes)),
    )


def _hides(unit: Mapping[str, object]) -> str:
    return unit_from_json(dict(unit)).sentence()


def _paid(receipt: Receipt | None) -> str:
    if receipt is None:
        return ""
    pairs = [
        ("cost", priced(receipt.cost)),
        ("left in the budget", priced(receipt.remaining)),
        ("why", receipt.why),
    ]
    return facts([(name, text) for name, text in pairs if text])


def _standing(
    released: ReleasedAnswer
    | ReleasedHierarchy
    | ReleasedLanguageModel
    | ReleasedModel
    | ReleasedNetwork
    | ReleasedTable,
) -> str:
    return standing_words(released.standing)


def standing_words(found: Standing | None) -> str:
    """Whether a promise that was read from a file is the data set's word; nothing of what was read from none."""
    return "" if found is None else paragraph(found.sentence(), "soft" if found.believed else "warn")


def _forgets(receipt: Receipt | None) -> str:
    return "" if receipt is None else paragraph(receipt.note, "warn")


def _shown(value: object) -> str:
    return "(missing)" if value is None else str(value)
