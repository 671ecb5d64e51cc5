"""The attacks on one thing as one HTML page for its owner: verdicts, ceilings, curves, and who carries the risk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from privet.artifact import RiskEstimate, Verdict, figure, written_whole
from privet.attacks import AttackReport, verdict_words
from privet.guarantee import most_true_positives
from privet.report._attack_figures import Curve, log_curves
from privet.report._audit_style import render
from privet.report._danger import danger, danger_of_curve

_RATES = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
_CURVES = 6

_PAGE = """
<h1>Attacks on {{ attacked }}</h1>
<p class="sub">For the owner only: scored with the truth. No record is on this page.</p>
<p class="verdict{{ ' calm' if calm }}">{{ verdict }}</p>
{% if promise %}<p>{{ promise }}</p>{% endif %}

<h2>Verdicts</h2>
<p class="sub">The promise allows at most "allowed". So much data cannot show more than "ceiling", whatever there is: a promise above it was not tested. What a test would find below it is its power; it was measured only where that is said.{% if confidence %} All intervals on this page hold together with {{ confidence }} confidence: each attack has a part of the error.{% endif %}</p>
{% for said in unfair %}<p class="verdict">{{ said }}</p>{% endfor %}
<div class="scroll"><table><thead><tr><th>attack</th><th>measure</th><th class="n">success</th><th class="n">guessing</th><th class="n">control</th><th class="n">allowed</th><th class="n">ceiling</th><th>verdict</th></tr></thead><tbody>
{% for row in rows %}<tr><td><b>{{ row[0] }}</b></td><td>{{ row[1] }}</td>{% for cell in row[2:7] %}<td class="n">{{ cell }}</td>{% endfor %}<td>{{ row[7] }}</td></tr>
{% endfor %}</tbody></table></div>

{% if figure %}<h2>Who is found surely</h2>
<p class="sub">True over false positives, both on log axes: an attack that finds a few people for certain shows at the left, and nowhere else.</p>
<figure>{{ figure }}{{ data(["attack", "at 0.1 %", "at 1 %", "at 10 %"], figure_rows) }}</figure>{% endif %}
{% if found %}<div class="scroll"><table><thead><tr><th>true positives</th><th class="n">at 0.1 % false positives</th><th class="n">allowed</th><th class="n">ceiling</th><th class="n">at 1 % false positives</th><th class="n">allowed</th><th class="n">ceiling</th></tr></thead><tbody>
{% for row in found %}<tr><td><b>{{ row[0] }}</b></td>{% for cell in row[1:] %}<td class="n">{{ cell }}</td>{% endfor %}</tr>
{% endfor %}</tbody></table></div>{% endif %}

{% for name, tail in tails %}<h2>Who carries the risk: {{ name }}</h2>
<p class="sub">Members by how much the model remembers them. Groups are categories of columns that you call public; small ones are not named.</p>
<div class="scroll"><table><thead><tr>{% for heading in tail.headings %}<th{{ '' if loop.first else ' class="n"'|safe }}>{{ heading }}</th>{% endfor %}</tr></thead><tbody>
{% for row in tail.rows %}<tr>{% for cell in row %}<td{{ '' if loop.first else ' class="n"'|safe }}>{{ cell }}</td>{% endfor %}</tr>{% endfor %}</tbody></table></div>{% endfor %}

<h2>What each attack was</h2>
{% for one in estimates %}<h3>{{ one.attack }}</h3><p>{{ one.sentence }}</p>
<p class="sub">{{ one.adversary.who | capitalize }}, who knows {{ one.adversary.knows | join(", ") or "nothing" }}; {{ one.adversary.access }}. {{ "%.1f" | format(one.cost.cpu_seconds) }} CPU seconds{{ ", " ~ one.cost.models ~ " models" if one.cost.models }}{{ ", " ~ one.cost.records ~ " records" if one.cost.records }}{{ ", " ~ one.cost.queries ~ " queries" if one.cost.queries }}.</p>
{% if one.notes %}<ul>{% for note in one.notes %}<li>{{ note }}</li>{% endfor %}</ul>{% endif %}{% endfor %}
{% if left_out %}<h2>Skipped (reasons below)</h2><ul>{% for said in left_out %}<li>{{ said }}</li>{% endfor %}</ul>{% endif %}

<footer>Attacked by Privet {{ version }}. Attacks show what these adversaries reached; they prove no safety against others.</footer>
</body></html>
"""


def attack_page(report: AttackReport) -> str:
    """The page as text: no script, no network."""
    from markupsafe import Markup

    from privet import __version__

    curves = [(one, curve) for one in report for curve in [_curve(one)] if curve is not None]
    curves = sorted(curves, key=lambda pair: danger_of_curve(*pair[1][1:]), reverse=True)[:_CURVES]
    promised = next((one.promise for one in report if one.promise is not None), None)
    figure = log_curves([curve for _, curve in curves], _bound(curves)) if curves else ""
    return render(
        _PAGE,
        title=f"Attacks on {report.attacked}",
        attacked=report.attacked,
        verdict=f"{report.verdict.value[0].upper()}{report.verdict.value[1:]}.",
        calm=report.verdict is Verdict.WITHIN,
        promise="" if promised is None else promised.sentence(),
        confidence="" if report.confidence is None else f"{report.confidence:.4g}",
        unfair=list(dict.fromkeys(one.unfair for one in report if one.unfair)),
        rows=[_row(one) for one in sorted(report, key=lambda one: danger(one.to_json()), reverse=True)],
        found=[row for one in report for row in [_found(one)] if row],
        figure=Markup(figure),  # noqa: S704  numbers and escaped names only
        figure_rows=[
            (curve[0], *(f"{_reached(curve, rate):.2%}" for rate in (0.001, 0.01, 0.1)))
            for _, curve in curves
        ],
        tails=[(one.attack, tail) for one in report for tail in [_tail(one)] if tail],
        estimates=[
            {
                "attack": one.attack,
                "sentence": one.sentence(),
                "adversary": one.adversary,
                "cost": one.cost,
                "notes": one.notes,
            }
            for one in report
        ],
        left_out=report.left_out,
        version=__version__,
    )


def save_attack_page(report: AttackReport, path: str | Path) -> Path:
    """Write the page, whole or not at all."""
    text = attack_page(report)
    return written_whole(Path(path), lambda part: part.write_text(text, encoding="utf-8"))


def _row(one: RiskEstimate) -> tuple[str, ...]:
    return (
        one.attack,
        one.measure,
        one.success.text(),
        f"{one.baseline:.4g}",
        "" if one.control is None else one.control.text(),
        "" if one.bound is None else f"{one.bound:.4g}",
        "" if one.detectable is None else figure(one.detectable),
        verdict_words(one),
    )


def _found(one: RiskEstimate) -> tuple[str, ...]:
    """True positives at the two low rates with their intervals, what is allowed there, and the ceiling."""
    rates = one.details.get("true positives")
    if not isinstance(rates, dict):
        return ()
    cells = [one.attack]
    for rate in rates.values():
        bound, ceiling = rate.get("bound"), rate.get("ceiling")
        cells += [
            f"{rate['value']:.4g} [{rate['low']:.4g}, {rate['high']:.4g}]",
            "" if bound is None else f"{bound:.4g}",
            "" if ceiling is None else f"{ceiling:.4g}",
        ]
    return tuple(cells)


def _curve(one: RiskEstimate) -> Curve | None:
    found = one.details.get("curve")
    if not isinstance(found, dict) or "false_positives" not in found:
        return None
    return one.attack, found["false_positives"], found["true_positives"]


def _bound(curves: list[tuple[RiskEstimate, Curve]]) -> Curve | None:
    """The most that the promise allows at each false-positive rate."""
    promise = next((one.promise for one, _ in curves if one.promise is not None), None)
    if promise is None:
        return None
    allowed = [most_true_positives(promise, rate) for rate in _RATES]
    known = [value for value in allowed if value is not None]
    return ("the promise allows", _RATES, known) if len(known) == len(_RATES) else None


def _reached(curve: Curve, rate: float) -> float:
    return max((y for x, y in zip(curve[1], curve[2], strict=True) if x <= rate + 1e-12), default=0.0)


def _tail(one: RiskEstimate) -> dict[str, Any] | None:
    found = one.details.get("vulnerability")
    if not isinstance(found, dict):
        return None
    rows = [*found.get("ranks", []), *found.get("groups", [])]
    if not rows:
        return None
    headings = list(rows[0])
    return {"headings": headings, "rows": [[row.get(name, "") for name in headings] for row in rows]}
