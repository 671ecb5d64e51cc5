"""What compute, data and epsilon buy a language model, as plain SVG: losses along compute, what to train, and equal losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from privet.protect.train.language import LanguagePlan, PlanSpace
from privet.report._chart import Plot, Scale, dot, legend, line, path, picture, short, text, ticks

if TYPE_CHECKING:
    from markupsafe import Markup

_PLOT = Plot(width=720, height=360, left=70, right=24, top=16, bottom=84)
# Told apart by colour and by the dashes.
_LINES = (
    ("#2f7d4f", ""),
    ("#1f5fa8", "7 4"),
    ("#b4541a", "2 3"),
    ("#7a3f8f", "10 3 2 3"),
    ("#5b5b5b", "4 2"),
)
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the epsilon that was asked for
_POINTS = 25
_ACROSS = 10.0 ** np.linspace(-2, 2, _POINTS)  # of the compute, or of the examples, that were asked for


def losses_along_compute(plan: LanguagePlan) -> tuple[Markup, list[tuple[str, ...]]]:
    """The best loss at each compute, for several epsilons; and the same as rows."""
    compute = plan.compute * _ACROSS
    lines = [[_space(plan, factor).least_loss(at) for at in compute] for factor in FACTORS]
    names = [f"epsilon {plan.space.epsilon * factor:.3g}" for factor in FACTORS]
    drawn = _curves(
        "Loss along compute",
        "The best loss that each compute reaches, for several epsilons. Where a line is flat, compute is no longer what is missing.",
        compute,
        lines,
        names,
        axes=("operations", "loss, nats a token"),
        marked=(plan.compute, plan.expected_loss),
    )
    return drawn, _rows(compute, lines)


def best_along_compute(plan: LanguagePlan, which: str) -> tuple[Markup, list[tuple[str, ...]]]:
    """The best size, batch or steps at each compute, with all that lose at most two percent more."""
    at = ("size", "batch", "steps").index(which)
    compute = [amount for amount in plan.compute * _ACROSS if plan.space.best(amount) is not None]
    best = [plan.space.axes[at][found[at]] for amount in compute if (found := plan.space.best(amount))]
    near = [plan.space.near(amount)[which] for amount in compute]
    lines = [[low for low, _ in near], best, [high for _, high in near]]
    drawn = _curves(
        f"Best {which} along compute",
        f"The {which} with the least loss at each compute, between the smallest and the largest that lose at most two percent more.",
        np.asarray(compute),
        lines,
        ["least within 2 %", "best", "most within 2 %"],
        axes=("operations", which),
        log=True,
        marked=(plan.compute, getattr(plan, which)),
    )
    return drawn, _rows(np.asarray(compute), lines)


def equal_losses(plan: LanguagePlan, other: str) -> tuple[Markup, list[tuple[str, ...]]]:
    """Lines of equal loss over epsilon and compute, or over epsilon and examples."""
    factors = 2.0 ** np.linspace(-3, 3, 7)
    along = _ACROSS[::2]
    if other == "compute":
        table = [[_space(plan, factor).least_loss(plan.compute * at) for at in along] for factor in factors]
        values = plan.compute * along
    else:
        table = [[_more(plan, factor, at).least_loss(plan.compute) for at in along] for factor in factors]
        values = plan.examples * along
    losses = np.asarray(table)
    known = losses[np.isfinite(losses)]
    levels = ticks(float(known.min()), float(known.max()))
    epsilons = plan.space.epsilon * factors
    across = _PLOT.x(float(values[0]), float(values[-1]), log=True)
    up = _PLOT.y(float(epsilons[0]), float(epsilons[-1]), log=True)
    parts = [
        _PLOT.x_ticks(across, _powers(values)),
        _PLOT.y_ticks(up, [(float(one), f"{one:.3g}") for one in epsilons]),
        *(_level(values, epsilons, losses, level, (across, up)) for level in levels),
        dot(
            across(plan.compute if other == "compute" else plan.examples),
            up(plan.space.epsilon),
            4,
            "this plan",
        ),
        _PLOT.axis_names("operations" if other == "compute" else "examples", "epsilon"),
    ]
    said = f"Each line joins epsilons and {other} that lead to the same loss; the dot is what was asked for."
    rows = [
        (f"{epsilon:.3g}", *(f"{loss:.3f}" if np.isfinite(loss) else "–" for loss in row))
        for epsilon, row in zip(epsilons.tolist(), table, strict=True)
    ]
    return picture(_PLOT.width, _PLOT.height, f"Equal losses over epsilon and {other}", said, parts), rows


def _space(plan: LanguagePlan, factor: float) -> PlanSpace:
    return plan.space if factor == 1 else replace(plan.space, epsilon=plan.space.epsilon * factor)


def _more(plan: LanguagePlan, factor: float, examples: float) -> PlanSpace:
    return replace(
        plan.space, epsilon=plan.space.epsilon * factor, examples=max(2, round(plan.examples * examples))
    )


def _curves(
    title: str,
    said: str,
    along: NDArray[np.float64],
    lines: Sequence[Sequence[float]],
    names: Sequence[str],
    *,
    axes: tuple[str, str],
    marked: tuple[float, float],
    log: bool = False,
) -> Markup:
    known = [value for one in lines for value in one if np.isfinite(value)] + [marked[1]]
    low, high = min(known), max(known)
    across = _PLOT.x(float(along[0]), float(along[-1]), log=True)
    up = _PLOT.y(low * 0.9 if log else low, high * 1.1 if log else max(high, low + 1e-9), log=log)
    marks = _powers(np.asarray([low, high])) if log else [(at, f"{at:.4g}") for at in ticks(low, high)]
    parts = [_PLOT.x_ticks(across, _powers(along)), _PLOT.y_ticks(up, marks)]
    for (colour, dashes), values in zip(_LINES, lines, strict=False):
        places = [
            (across(float(at)), up(float(value)))
            for at, value in zip(along.tolist(), values, strict=True)
            if np.isfinite(value)
        ]
        parts.append(line(places, stroke=colour, stroke_dasharray=dashes, fill="none", stroke_width=2))
    entries = [
        (path("M-12 0H12", stroke=colour, stroke_dasharray=dashes, stroke_width=2), name)
        for (colour, dashes), name in zip(_LINES, names, strict=False)
    ]
    spots = [(_PLOT.left + 12 + 128 * at, _PLOT.height - 36) for at in range(len(entries))]
    parts += [
        dot(across(marked[0]), up(marked[1]), 4, "this plan"),
        legend(entries, spots, 18),
        _PLOT.axis_names(*axes),
    ]
    return picture(_PLOT.width, _PLOT.height, title, said, parts)


def _level(
    values: NDArray[np.float64],
    epsilons: NDArray[np.float64],
    losses: NDArray[np.float64],
    level: float,
    scales: tuple[Scale, Scale],
) -> str:
    """One line of equal loss: for each value, the epsilon at which the loss, which falls with epsilon, is at this level."""
    across, up = scales
    places = []
    for at, column in zip(values.tolist(), losses.T, strict=True):
        # Small epsilons may leave nothing that can be planned.
        known = np.isfinite(column)
        if not known.any() or not column[-1] <= level <= column[known][0]:
            continue
        epsilon = np.exp(np.interp(-level, -column[known], np.log(epsilons[known])))
        places.append((across(at), up(float(epsilon))))
    if len(places) < 2:
        return ""
    x, y = places[-1]
    return line(places, stroke="#2f7d4f", fill="none", stroke_width=1.5) + text(
        x - 4, y - 4, f"{level:.4g}", anchor="end"
    )


def _powers(values: NDArray[np.float64]) -> list[tuple[float, str]]:
    """Powers of ten between the ends."""
    low, high = np.log10(float(values.min())), np.log10(float(values.max()))
    found = [10.0**at for at in range(int(np.ceil(low)), int(np.floor(high)) + 1)]
    return [(one, f"1e{round(np.log10(one))}") for one in found] or [
        (float(values.max()), short(float(values.max())))
    ]


def _rows(along: NDArray[np.float64], lines: Sequence[Sequence[float]]) -> list[tuple[str, ...]]:
    return [
        (f"{at:.3g}", *(f"{one[place]:.4g}" if np.isfinite(one[place]) else "–" for one in lines))
        for place, at in enumerate(along.tolist())
        if place % 3 == 0
    ]
