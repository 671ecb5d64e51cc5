"""Language models: what planning one and measuring a scaling law take, and what they do.

Nothing here reads a private text or spends: a plan needs formulas and a law, and a law is measured on public text.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from privet.verbs._verb_options import Flag, Options

if TYPE_CHECKING:
    from privet.protect.train.language import LanguagePlan, LossTable

Say = Callable[[str], None]


class LanguagePlanOptions(Options):
    """What there is to train with."""

    compute: Annotated[
        float,
        Field(gt=0, description="Floating-point operations that training may take."),
        Flag(example="1e17"),
    ]
    examples: Annotated[
        float, Field(ge=2, le=1e15, description="Sequences to train on."), Flag(example="2e6")
    ]
    sequence: Annotated[int, Field(ge=1, description="Tokens of a sequence."), Flag(example="256")]
    epsilon: Annotated[float, Field(gt=0, le=1000, description="Of the promise."), Flag(example="2")]
    delta: Annotated[float, Field(gt=0, lt=1, description="Of the promise."), Flag(example="1e-8")]
    law: Annotated[
        str | None,
        Field(
            description="A loss table of your own, as `privet lm sweep` writes it [default: ours, of small models]."
        ),
        Flag(file="in", example="losses.json"),
    ] = None
    out: Annotated[
        str | None,
        Field(description="Write the plan here (.json)."),
        Flag(names=("-o", "--output"), file="out", example="plan.json"),
    ] = None
    html: Annotated[
        str | None,
        Field(description="Write a page with pictures of what compute, data and epsilon buy."),
        Flag(file="out", example="plan.html"),
    ] = None


class LanguageSweepOptions(Options):
    """Which text small models are trained on, and where their losses go."""

    texts: Annotated[
        list[str],
        Field(min_length=1, description="Text files. They must be public: nothing is booked."),
        Flag(argument=True, example="public.txt"),
    ]
    measured_on: Annotated[
        str,
        Field(min_length=1, description="What the text is, in words."),
        Flag(example="public case reports"),
    ]
    folder: Annotated[
        Path, Field(description="Where runs are kept, so that a sweep can go on."), Flag(example="sweep")
    ] = Path("sweep")
    steps: Annotated[int, Field(ge=8, le=1_000_000, description="Of each run.")] = 400
    batch: Annotated[int, Field(ge=1, le=65_536, description="Sequences of a step.")] = 16
    sequence: Annotated[int, Field(ge=2, le=8_192, description="Bytes of a sequence.")] = 64
    shapes: Annotated[
        list[str],
        Field(min_length=2, description="Layers and width of each model."),
        Flag(commas=True, example="1x16,2x32,2x64"),
    ] = ["1x16", "2x32", "2x64"]  # noqa: RUF012
    workers: Annotated[int, Field(ge=1, le=256, description="Processes, each with one thread.")] = 1
    out: Annotated[
        str,
        Field(description="Write the loss table here (.json)."),
        Flag(names=("-o", "--output"), file="out", example="losses.json"),
    ] = "losses.json"


def planned_model(options: LanguagePlanOptions) -> LanguagePlan:
    """What to train."""
    from privet.errors import BadUsage
    from privet.guarantee import ApproxDP
    from privet.protect.train.language import LossTable, plan_language_model

    if options.examples != int(options.examples):
        raise BadUsage("--examples is a whole number of sequences.", "Write --examples 2e6.")
    law = None if options.law is None else LossTable.load(options.law)
    promise = ApproxDP(options.epsilon, options.delta)
    return plan_language_model(options.compute, int(options.examples), options.sequence, promise, law=law)


def swept(options: LanguageSweepOptions, say: Say = lambda _: None) -> tuple[LossTable, dict[str, Any]]:
    """The losses of small runs, saved, and how well a law fits them."""
    from privet.errors import PrivetError
    from privet.protect.train.language import ScalingSweep, hold_out, measure_losses, public_texts

    design = ScalingSweep(
        shapes=tuple(_shape(one) for one in options.shapes),
        steps=options.steps,
        every=max(1, options.steps // 16),
        batch=options.batch,
        sequence=options.sequence,
    )
    table = measure_losses(
        public_texts(options.texts),
        design,
        options.folder,
        measured_on=options.measured_on,
        workers=options.workers,
        say=say,
    )
    table.save(options.out)
    try:
        said = str(hold_out(table))
    except PrivetError as reason:
        said = reason.fact
    return table, {
        "runs": len(table.runs),
        "sizes": list(table.sizes),
        "steps": table.steps[-1],
        "hold_out": said,
    }


def _shape(text: str) -> tuple[int, int]:
    from privet.errors import BadUsage

    layers, mark, width = text.partition("x")
    if not (mark and layers.isascii() and layers.isdigit() and width.isascii() and width.isdigit()):
        raise BadUsage("a shape is written as layers and width.", "Write --shapes 1x16,2x32,2x64.")
    return int(layers), int(width)
