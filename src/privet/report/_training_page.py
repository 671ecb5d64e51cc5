"""A training as one HTML page for its owner: how the loss fell, how much was clipped, what was noise, what was spent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from privet.artifact import written_whole
from privet.errors import checked
from privet.protect.train import TrainingLog
from privet.report._audit_style import render
from privet.report._training_figures import Points, smoothed, step_figure

_ROWS = 12  # of each table under a figure

_PAGE = """
<h1>How {{ title }} was trained</h1>
<p class="verdict">For the owner alone: losses, clipped shares and test figures are exact statistics of people, and no promise covers them. Do not publish this page.</p>
{% if promised %}<p>{{ promised }}</p>{% endif %}
{% if tiles %}<div class="tiles">{% for value, said in tiles %}<div class="tile"><b>{{ value }}</b><span>{{ said }}</span></div>{% endfor %}</div>{% endif %}

{% for part in figures %}<h2>{{ part.title }} <span class="tag">{{ "public" if part.public else "owner only" }}</span></h2>
<p class="sub">{{ part.about }}</p>
<figure>{{ part.figure }}{{ data(["step", part.unit], part.rows) }}</figure>
{% endfor %}
{% if not figures %}<p>This learner takes no steps that could be told: it is fitted at once.</p>{% endif %}

{% if measured %}<h2>On the test table <span class="tag">owner only</span></h2>
<p class="sub">Exact figures of the people in the test table.{% if twin %} The twin learned from the same columns without any privacy. It promises nothing, was not kept, and must not be published: it stands here so that you see what the promise costs.{% endif %}</p>
<div class="scroll"><table><thead><tr><th>figure</th><th class="n">the model</th>{% if twin %}<th class="n">its non-private twin</th>{% endif %}</tr></thead><tbody>
{% for row in measured %}<tr><td>{{ row[0] }}</td>{% for cell in row[1:] %}<td class="n">{{ cell }}</td>{% endfor %}</tr>
{% endfor %}</tbody></table></div>{% endif %}

<footer>Drawn by Privet {{ version }}. Public parts are the epsilon so far and the signal in the noisy sums: both follow from what the promise covers.</footer>
</body></html>
"""


def training_page(diary: TrainingLog) -> str:
    """The page as text: no script, no network. For the owner alone."""
    from privet import __version__

    measured, twin = diary.measured, diary.twin
    rows = [
        (name.replace("_", " "), _number(value), *([_number(twin.get(name))] if twin else []))
        for name, value in measured.items()
    ]
    return render(
        _PAGE,
        title=diary.title,
        promised=diary.promised,
        tiles=_tiles(diary),
        figures=_figures(diary),
        measured=rows,
        twin=bool(twin),
        version=__version__,
    )


@checked
def save_training_page(diary: TrainingLog, path: str | Path) -> Path:
    """Write the page, whole or not at all. It is for the owner alone: keep it out of the model's folder."""
    text = training_page(diary)
    return written_whole(Path(path), lambda part: part.write_text(text, encoding="utf-8"))


def _tiles(diary: TrainingLog) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if diary.public:
        last = diary.public[-1]
        found += [
            (f"{last.step:,}", "steps taken, all of them paid for before the first"),
            (f"{diary.before + last.epsilon:.4g}", "epsilon in all, at the promise's delta"),
        ]
    if diary.before:
        found.append((f"{diary.before:.4g}", "of it for bounds, values or a count, before the first step"))
    if diary.views:
        last_view = diary.views[-1]
        found.append((f"{last_view.clipped_share:.0%}", "of the last batch was clipped (owner only)"))
        left_out = sum(view.left_out for view in diary.views)
        if left_out:
            found.append((f"{left_out:,}", "gradients were not numbers and were left out (owner only)"))
    return found


def _figures(diary: TrainingLog) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if diary.views:
        losses = [(view.step, view.loss) for view in diary.views]
        clipped = [(view.step, view.clipped_share) for view in diary.views]
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
    if diary.public:
        signal = [(seen.step, seen.signal_to_noise) for seen in diary.public]
        spent = [(seen.step, diary.before + seen.epsilon) for seen in diary.public]
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
    from markupsafe import Markup

    figure = step_figure(title, unit, points, smooth=smoothed(points) if smooth else (), limit=limit)
    return {
        "title": title,
        "unit": unit,
        "about": about,
        "public": public,
        "figure": Markup(figure),  # noqa: S704  numbers and escaped names only
        "rows": _some(points),
    }


def _some(points: Points) -> Sequence[tuple[str, str]]:
    every = max(1, -(-len(points) // _ROWS))
    kept = [point for at, point in enumerate(points) if at % every == 0 or at == len(points) - 1]
    return [(f"{step:,}", f"{value:.4g}") for step, value in kept]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
