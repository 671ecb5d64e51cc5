"""The page of a released table: promise, risk and loss side by side, in one HTML file without script or network.

With rows from before and after it is for the owner's eyes, and says so; without them it is built from the released
artifact alone and may travel with it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from privet.artifact import ColumnPair, ReleasedTable, SearchPoint, written_whole
from privet.report._chart import Plot, Scale, dot, path, picture, rect

NOT_PROTECTED = (
    "An attacker who knows columns that were not called quasi-identifiers.",
    "Two releases of the same people: what each hides alone, both together may show.",
    "Facts about whole groups: where everybody in a class shares a value, finding the class is enough, unless "
    "diversity was promised too.",
    "The order of the rows, if it follows something an outsider knows.",
)
ROLES = {"direct": "#c0392b", "quasi": "#b7950b", "sensitive": "#7d3c98", "insensitive": "#2f7d4f"}
_DRAWN = 4000  # points of the scatter at most
_PLOT = Plot(710, 356, left=60, right=30, top=12, bottom=44)

_TEMPLATE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Anonymized table</title>
<style>
:root { color-scheme: light dark; --ink: #1d2b22; --soft: #5b6b60; --line: #d5ddd6; --leaf: #2f7d4f; --paper: #fbfcfa }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eee8; --soft: #9db0a4; --line: #34433a; --leaf: #6cc08d; --paper: #131a16 } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 64rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.35rem; margin: 0 0 .25rem } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; color: var(--leaf) }
.sub { color: var(--soft); margin: 0 } .wide { overflow-x: auto }
.promise { border-left: 4px solid var(--leaf); padding: .25rem 0 .25rem 1rem; margin: 1.25rem 0; font-size: 1.05rem }
.owner { border: 2px solid #c0392b; padding: .5rem 1rem; margin: 1rem 0 }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.25rem; margin: 0 } dt { color: var(--soft) } dd { margin: 0 }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums } th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line) }
td.n, th.n { text-align: right } .role { border-left: .5rem solid var(--role) } .gone { color: var(--soft); font-style: italic }
td.old { color: var(--soft) } svg text { fill: var(--ink); font: 12px system-ui, sans-serif }
ol, ul { padding-left: 1.25rem; margin: 0 } footer { color: var(--soft); font-size: .85rem; margin-top: 2.5rem; overflow-wrap: anywhere }
</style></head><body>
<h1>Anonymized table</h1><p class="sub">{{ question }}</p>
{% if pairs %}<p class="owner">For the owner only: this page shows rows of the original table.</p>{% endif %}
<p class="promise">{{ sentence }}</p>
<h2>Outcome</h2>
<dl><dt>Rows published</dt><dd>{{ rows }}</dd><dt>Rows suppressed</dt><dd>{{ found.suppressed_rows }}</dd>
<dt>Classes of look-alikes</dt><dd>{{ found.classes }}</dd>
<dt>{{ found.metric }}</dt><dd>{{ "%.6g"|format(found.loss) }} ({{ found.output_type }})</dd>
<dt>Search</dt><dd>{{ found.search }}, {{ found.nodes_evaluated }} nodes evaluated, {{ "proven optimal" if found.optimal else "not proven optimal" }}</dd></dl>
<h2>Risk before and after</h2>
<table><thead><tr><th>measure</th><th class="n">before</th><th class="n">after</th></tr></thead>
<tbody>{% for name, old, new in risks %}<tr><td>{{ name }}</td><td class="n">{{ old }}</td><td class="n">{{ new }}</td></tr>
{% endfor %}</tbody></table>
{% if scatter %}<h2>Risk and loss of what was looked at</h2><p class="sub">Each dot is one way of generalizing; the ring is the one chosen.</p>{{ scatter }}{% endif %}
<h2>What was done to each column</h2>
<table><thead><tr><th>column</th><th>role</th><th>what was done</th><th class="n">loss</th><th></th></tr></thead>
<tbody>{% for c in columns %}<tr><td class="role" style="--role: {{ c.colour }}">{{ c.column }}</td><td>{{ c.role }}</td><td>{{ c.done }}</td><td class="n">{{ c.loss }}</td><td>{{ c.bar }}</td></tr>
{% endfor %}</tbody></table>
{% if utility %}<h2>What the table is still good for</h2>
<table><tbody>{% for name, value in utility %}<tr><td>{{ name }}</td><td class="n">{{ "%.6g"|format(value) }}</td></tr>
{% endfor %}</tbody></table>{% endif %}
{% if pairs %}<h2>Rows before and after</h2><div class="wide"><table><thead><tr><th></th>{% for c in shown %}<th class="role" style="--role: {{ c.colour }}">{{ c.column }}</th>{% endfor %}</tr></thead>
<tbody>{% for pair in pairs %}<tr><th>before</th>{% for cell in pair.before %}<td class="old">{{ cell }}</td>{% endfor %}</tr>
<tr><th>after</th>{% if pair.after %}{% for cell in pair.after %}<td>{{ cell }}</td>{% endfor %}{% else %}<td class="gone" colspan="{{ shown|length }}">not published</td>{% endif %}</tr>
{% endfor %}</tbody></table></div>{% endif %}
<h2>How</h2><ol>{% for stage in stages %}<li>{{ stage }}</li>{% endfor %}</ol>
{% if notes %}<h2>Notes</h2><ul>{% for note in notes %}<li>{{ note }}</li>{% endfor %}</ul>{% endif %}
<h2>What this does not protect against</h2><ul>{% for item in not_protected %}<li>{{ item }}</li>{% endfor %}</ul>
<footer>{% if receipt %}Ledger {{ receipt.ledger }}, entry {{ receipt.entry }}, {{ receipt.at }}. Anchor {{ receipt.head }}. {% endif %}
Data snapshot {{ data }}. {% for name, version in versions %}{{ name }} {{ version }}{{ ", " if not loop.last }}{% endfor %}.</footer>
</body></html>
"""


def anonymize_page(released: ReleasedTable, *, rows: bool = False) -> str:
    """The page as text. `rows` also shows rows of the original table beside the published ones: owner only."""
    from jinja2 import Environment

    pairs = released.pairs if rows else ()
    names = list(pairs[0].before) if pairs else []
    colours = {column.column: ROLES.get(column.role, "#888888") for column in released.columns}
    drawn = _scatter(released.found.points, released)
    return (
        Environment(autoescape=True)
        .from_string(_TEMPLATE)
        .render(
            question=released.provenance.question,
            sentence=released.promise.sentence(),
            found=released.found,
            rows=f"{released.after.rows:,}",
            risks=_risks(released),
            scatter=drawn,
            columns=[
                {
                    "column": column.column,
                    "role": column.role,
                    "done": column.done,
                    "colour": colours[column.column],
                    "loss": "" if column.loss is None else f"{column.loss:.3f}",
                    "bar": _bar(column.loss),
                }
                for column in released.columns
            ],
            utility=sorted(released.utility.items()),
            shown=[{"column": name, "colour": colours.get(name, "#888888")} for name in names],
            pairs=[_cells(pair, names) for pair in pairs],
            stages=released.provenance.stages,
            notes=released.notes,
            not_protected=NOT_PROTECTED,
            receipt=released.receipt,
            data=released.provenance.data,
            versions=sorted(released.provenance.versions.items()),
        )
    )


def save_anonymize_page(released: ReleasedTable, path: str | Path, *, rows: bool = False) -> Path:
    """Write the page, whole or not at all."""
    page = anonymize_page(released, rows=rows)
    return written_whole(Path(path), lambda partial: partial.write_text(page, encoding="utf-8"))


def _risks(released: ReleasedTable) -> list[tuple[str, str, str]]:
    new = released.after
    old = released.before or new  # a published file does not say how it was before
    lines = [
        ("smallest class", f"{old.smallest_class:,}", f"{new.smallest_class:,}"),
        ("classes", f"{old.classes:,}", f"{new.classes:,}"),
        ("rows alone in their class", f"{old.unique_rows:,}", f"{new.unique_rows:,}"),
        ("highest risk of a row", f"{old.highest_risk:.3g}", f"{new.highest_risk:.3g}"),
        ("mean risk", f"{old.mean_risk:.3g}", f"{new.mean_risk:.3g}"),
    ]
    for threshold, share in old.rows_above.items():
        now = new.rows_above.get(threshold, 0.0)
        lines.append((f"rows with a risk above {threshold}", f"{share:.1%}", f"{now:.1%}"))
    for column, figures in old.sensitive.items():
        for name, value in figures.items():
            now = new.sensitive.get(column, {}).get(name, 0.0)
            lines.append(
                (f"{column}: {name.replace('_', ' ')} in the worst class", f"{value:.4g}", f"{now:.4g}")
            )
    return lines


def _cells(pair: ColumnPair, names: list[str]) -> dict[str, Any]:
    after = pair.after
    return {
        "before": [_text(pair.before[name]) for name in names],
        "after": None if after is None else [_text(after[name]) if name in after else "—" for name in names],
    }


def _text(value: Any) -> str:
    return "(missing)" if value is None else str(value)


def _bar(loss: float | None) -> str:
    if loss is None:
        return ""
    parts = [
        rect(0, 0, 120, 12, fill="currentColor", opacity=".12"),
        rect(0, 0, Scale(0, 1, 0, 120)(loss), 12, fill="#b7950b"),
    ]
    return picture(120, 12, "loss", f"loss {loss:.3f}", parts, style="width:120px;height:12px")


def _scatter(points: tuple[SearchPoint, ...], released: ReleasedTable) -> str:
    """Loss to the right, risk upwards; what was chosen is ringed. Nothing to draw without points."""
    if not points:
        return ""
    shown = points[:: max(1, len(points) // _DRAWN)]
    chosen = (released.found.loss, released.after.mean_risk)
    x = _PLOT.x(0, max([point.loss for point in shown] + [chosen[0]]) or 1.0)
    y = _PLOT.y(0, max([point.risk for point in shown] + [chosen[1]]) or 1.0)
    parts = [
        path(f"M{_PLOT.left} {_PLOT.top}V{_PLOT.y_end}H{_PLOT.x_end}", stroke="currentColor", fill="none"),
        _PLOT.y_ticks(y, [(value, f"{value:.3g}") for value in (0, y.high)]),
        _PLOT.x_ticks(x, [(value, f"{value:.3g}") for value in (0, x.high)], grid=False),
        _PLOT.axis_names(f"{released.found.metric} →", "mean risk"),
        *(dot(x(point.loss), y(point.risk), 2, fill="#2f7d4f", opacity=".4") for point in shown),
        dot(x(chosen[0]), y(chosen[1]), 7, fill="none", stroke="#c0392b", stroke_width=2.5),
    ]
    said = (
        "Every generalization that was evaluated, by its loss and by the mean risk that it leaves; the chosen one is "
        "ringed."
    )
    return picture(_PLOT.width, _PLOT.height, "Risk and loss", said, parts)
