"""A training as one HTML page for its owner: how the loss fell, how much was clipped, what was noise, what was spent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from privet.artifact import OwnerOnly
from privet.errors import checked
from privet.protect.train import TrainingLog
from privet.report._page import rendered, saved_page
from privet.report._training_figures import Points, smoothed, step_figure

_ROWS = 12  # of each table under a figure


def training_page(log: TrainingLog) -> str:
    """The page as text: no script, no network. For the owner alone."""
    measured, twin = log.measured, log.twin
    rows = [
        (name.replace("_", " "), _number(value), *([_number(twin.get(name))] if twin else []))
        for name, value in measured.items()
    ]
    return rendered(
        "training.html",
        audience="owner",
        title=log.title,
        promised=log.promised,
        tiles=_tiles(log),
        figures=_figures(log),
        measured=rows,
        twin=bool(twin),
    )


@checked
def save_training_page(log: TrainingLog, path: str | Path) -> Path:
    """Write the page, whole or not at all. It is for the owner alone: keep it out of the model's folder."""
    return saved_page(OwnerOnly(training_page(log)), path)


def _tiles(log: TrainingLog) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if log.public:
        last = log.public[-1]
        found += [
            (f"{last.step:,}", "steps taken, all of them paid for before the first"),
            (f"{log.before + last.epsilon:.4g}", "epsilon in all, at the promise's delta"),
        ]
    if log.before:
        found.append((f"{log.before:.4g}", "of it for bounds, values or a count, before the first step"))
    if log.views:
        last_view = log.views[-1]
        found.append((f"{last_view.clipped_share:.0%}", "of the last batch was clipped (owner only)"))
        left_out = sum(view.left_out for view in log.views)
        if left_out:
            found.append((f"{left_out:,}", "gradients were not numbers and were left out (owner only)"))
    return found


def _figures(log: TrainingLog) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if log.views:
        losses = [(view.step, view.loss) for view in log.views]
        clipped = [(view.step, view.clipped_share) for view in log.views]
        found += [
            _part(
                "Learning curve",
                "loss",
                losses,
                "The mean loss of each batch before its step, and its running mean. A curve that stays flat has met noise that is too large, or a rate that is too small.",
                public=False,
                smooth=True,
            ),
            _part(
                "Clipped share",
                "share of units",
                clipped,
                "The share of units in each batch whose gradient was longer than the clipping bound. Near one, the bound decides the direction; near zero, the noise is larger than it need be.",
                public=False,
                smooth=True,
                limit=1.0,
            ),
        ]
    if log.public:
        signal = [(seen.step, seen.signal_to_noise) for seen in log.public]
        spent = [(seen.step, log.before + seen.epsilon) for seen in log.public]
        found += [
            _part(
                "Signal to noise",
                "signal / noise",
                signal,
                "The squared length of the signal over that of the noise, estimated from each noisy sum. Below one, a single step is mostly noise; steps add up.",
                public=True,
                smooth=True,
            ),
            _part(
                "Epsilon over time",
                "epsilon",
                spent,
                "What all steps so far tell together, at the promise's delta, as a bound that is computed at twenty points. The whole was booked before the first step.",
                public=True,
            ),
        ]
    return found


def _part(
    title: str,
    unit: str,
    points: Points,
    about: str,
    *,
    public: bool,
    smooth: bool = False,
    limit: float | None = None,
) -> dict[str, Any]:
    figure = step_figure(title, unit, points, smooth=smoothed(points) if smooth else (), limit=limit)
    return {
        "title": title,
        "unit": unit,
        "about": about,
        "public": public,
        "figure": figure,
        "rows": _some(points),
    }


def _some(points: Points) -> Sequence[tuple[str, str]]:
    every = max(1, -(-len(points) // _ROWS))
    kept = [point for at, point in enumerate(points) if at % every == 0 or at == len(points) - 1]
    return [(f"{step:,}", f"{value:.4g}") for step, value in kept]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
