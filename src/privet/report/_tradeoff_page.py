"""A trade-off as one HTML page: the picture, the proposal with its reason, and every point as a table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from privet.artifact import written_whole
from privet.report._audit_style import render
from privet.report._tradeoff_figure import tradeoff_figure

_PAGE = """
<h1>Use against risk: predicting {{ target }}</h1>
<p class="verdict{{ ' calm' if shown }}">{{ standing }}</p>

{% if knee %}<h2>Take first: {{ knee.label }}</h2>
<p>{{ knee.reason }}</p>
<p>{{ knee.words }}</p>
<p class="sub">In <code>privet.yaml</code>, under <code>steps:</code></p><pre>{{ knee.lines }}</pre>{% else %}<h2>Nothing to propose</h2>
<p>No point promises anything that means something.</p>{% endif %}

<h2>The picture</h2>
<p class="sub">Up is more useful, left is safer. Crosses are {{ confidence }} intervals of each point by itself. Attacks show what they reached and prove no safety: the promise stands beside them in the table.</p>
<figure>{{ figure }}</figure>

<h2>All points</h2>
<p class="sub">{{ utility_name }} (guessing: {{ guess }}); {{ risk_name }}: 0 is guessing, 1 is always right. "Allowed" is the most that the promise lets anybody reach, in the measure of that promise.</p>
<div class="scroll" tabindex="0" role="region" aria-label="All points"><table><thead><tr><th>technique</th><th>strength</th><th class="n">utility</th><th class="n">risk</th><th>worst attack</th><th class="n">allowed</th><th>standing</th><th>note</th></tr></thead><tbody>
{% for row in rows %}<tr><td>{{ row.technique }}</td><td style="white-space:nowrap"><b>{{ row.label }}</b></td><td class="n">{{ row.utility }}</td><td class="n">{{ row.risk }}</td><td>{{ row.attack }}</td><td class="n">{{ row.allowed }}</td><td>{{ row.standing }}</td><td>{{ row.mark }}</td></tr>
{% endfor %}</tbody></table></div>

<h2>What each point means</h2>
<ul>{% for row in rows %}<li><b>{{ row.label }}</b>: {{ row.words }}{% for note in row.notes %} ({{ note }}){% endfor %}</li>
{% endfor %}</ul>

<h2>How it was measured</h2>
<p>{{ used }} people ({{ unit }}) were used, {{ apart }} are the holdout: nobody is on both sides. Every model answers about the same holdout, and every attack compares those who were used with them.</p>
<ul>{% for note in notes %}<li>{{ note }}</li>{% endfor %}</ul>

<footer>Measured by Privet {{ version }}. No record is on this page.</footer>
</body></html>
"""


def tradeoff_page(tradeoff: Mapping[str, Any]) -> str:
    """The page of a trade-off's record: no script, no network."""
    from markupsafe import Markup

    from privet import __version__

    points = list(tradeoff["points"])
    knee = tradeoff.get("knee")
    first = points[0] if points else {}
    return render(
        _PAGE,
        title=f"Use against risk: predicting {tradeoff['target']}",
        target=tradeoff["target"],
        standing=tradeoff["standing_words"],
        shown=tradeoff["standing"] in ("public", "surrogate"),
        knee=None
        if knee is None
        else {
            "label": f"{points[knee['index']]['technique']}, {points[knee['index']]['label']}",
            "reason": knee["reason"],
            "words": points[knee["index"]]["words"],
            "lines": knee["policy_lines"],
        },
        confidence=f"{tradeoff.get('confidence', 0.95):.0%}",
        figure=Markup(tradeoff_figure(tradeoff)),  # noqa: S704  numbers and escaped names only
        utility_name=first.get("utility_name", "utility"),
        risk_name=first.get("risk_name", "risk"),
        guess=f"{tradeoff.get('guess', 0):.3g}",
        rows=[_row(at, point, knee) for at, point in enumerate(points)],
        used=f"{tradeoff['people']['used']:,}",
        apart=f"{tradeoff['people']['kept_apart']:,}",
        unit=f"by {tradeoff['unit']}" if tradeoff["unit"] != "row" else "a row each",
        notes=tradeoff.get("notes", []),
        version=__version__,
    )


def save_tradeoff_page(tradeoff: Mapping[str, Any], path: str | Path) -> Path:
    """Write the page, whole or not at all."""
    text = tradeoff_page(tradeoff)
    return written_whole(Path(path), lambda part: part.write_text(text, encoding="utf-8"))


def _row(at: int, point: Mapping[str, Any], knee: Mapping[str, Any] | None) -> dict[str, Any]:
    marks = [
        "proposed" if knee is not None and knee["index"] == at else "",
        "on the frontier" if point.get("on_frontier") else "",
        "says nothing" if point.get("meaningless") else "",
    ]
    allowed = point.get("allowed")
    return {
        "technique": point["technique"],
        "label": point["label"],
        "utility": _three(point["utility"]),
        "risk": _three(point["risk"]),
        "attack": point.get("attack", ""),
        "allowed": "" if allowed is None else f"{allowed:.3g}",
        "standing": point.get("standing", ""),
        "mark": ", ".join(mark for mark in marks if mark),
        "words": point.get("words", ""),
        "notes": point.get("notes", []),
    }


def _three(estimate: Mapping[str, float]) -> str:
    return f"{estimate['value']:.3f} [{estimate['low']:.3f}, {estimate['high']:.3f}]"
