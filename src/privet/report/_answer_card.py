"""The card of a released answer: one HTML page that states the promise, the price and the error beside the numbers.

It is meant for whoever receives the answer, so it is built from the released artifact alone.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from privet.artifact import Answer, ReleasedAnswer, written_whole
from privet.guarantee import readable, unit_from_json
from privet.report._answer_figure import bars_figure, key_text, labels_of

# What no noise can do; printed on every card so that nobody reads more into the promise than it says.
NOT_PROTECTED = (
    "Facts about whole groups: if a ward's patients mostly have one diagnosis, an honest answer says so.",
    "People whose data is also released elsewhere without protection, or under another ledger.",
    "Wrong assumptions: a person under several identifiers, or bounds and keys picked by looking at the data.",
    "Attackers who can see inside the machine, or time its work.",
)

_TEMPLATE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Private answer</title>
<style>
:root { color-scheme: light dark; --ink: #1d2b22; --soft: #5b6b60; --line: #d5ddd6; --leaf: #2f7d4f; --paper: #fbfcfa }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eee8; --soft: #9db0a4; --line: #34433a; --leaf: #6cc08d; --paper: #131a16 } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.35rem; margin: 0 0 .25rem } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; color: var(--leaf) }
.sub { color: var(--soft); margin: 0 } code { font-size: .9em }
.promise { border-left: 4px solid var(--leaf); padding: .25rem 0 .25rem 1rem; margin: 1.25rem 0; font-size: 1.05rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.25rem; margin: 0 } dt { color: var(--soft) } dd { margin: 0 }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums } th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line) }
td.n, th.n { text-align: right } .pm { color: var(--soft) } svg text { fill: var(--ink); font: 12px system-ui, sans-serif }
ol, ul { padding-left: 1.25rem; margin: 0 } footer { color: var(--soft); font-size: .85rem; margin-top: 2.5rem; overflow-wrap: anywhere }
</style></head><body>
<h1>Private answer</h1><pre class="sub">{{ question }}</pre>
<p class="promise">{{ sentence }}</p>
<h2>Promise and price</h2>
<dl><dt>Protected</dt><dd>{{ unit }}</dd><dt>Neighbouring data sets</dt><dd>{{ change }}</dd>
{% for name, amount in cost %}<dt>Cost, {{ name }}</dt><dd>{{ amount }}</dd>{% endfor %}
{% for name, amount in remaining %}<dt>Left in the budget, {{ name }}</dt><dd>{{ amount }}</dd>{% endfor %}
<dt>Accounting</dt><dd>{{ accounting }}</dd><dt>Reason given</dt><dd>{{ why }}</dd></dl>
{% for chart in charts %}<h2>{{ chart.title }}</h2><p class="sub">{{ chart.meaning }}; bars span {{ confidence }} confidence for the noise</p>{{ chart.svg }}{% endfor %}
<h2>The numbers</h2>
<table><thead><tr>{% for key in keys %}<th>{{ key }}</th>{% endfor %}{% for name in names %}<th class="n">{{ name }}</th>{% endfor %}</tr></thead>
<tbody>{% for row in rows %}<tr>{% for key in row.labels %}<td>{{ key }}</td>{% endfor %}{% for cell in row.cells %}<td class="n">{{ cell.value }}{% if cell.error %} <span class="pm">± {{ cell.error }}</span>{% endif %}</td>{% endfor %}</tr>
{% endfor %}</tbody></table>
<h2>What was done</h2><ol>{% for stage in stages %}<li>{{ stage }}</li>{% endfor %}</ol>
<h2>What the error bars leave out</h2><ul>{% for note in notes %}<li>{{ note }}</li>{% endfor %}</ul>
<h2>What this does not protect against</h2><ul>{% for item in not_protected %}<li>{{ item }}</li>{% endfor %}</ul>
<footer>Ledger {{ receipt.ledger }}, entry {{ receipt.entry }}, {{ receipt.at }}. Anchor {{ receipt.head }}.
Data snapshot {{ data }}. {% for name, version in versions %}{{ name }} {{ version }}{{ ", " if not loop.last }}{% endfor %}.</footer>
</body></html>
"""


def card(answer: ReleasedAnswer) -> str:
    """The card as one self-contained page: no script, no network."""
    from jinja2 import Environment
    from markupsafe import Markup

    labels = labels_of(answer)
    charts = [
        {"title": a.name, "meaning": a.meaning, "svg": Markup(bars_figure(labels, a))}  # noqa: S704  built and escaped there
        for a in answer.answers
    ]
    receipt, unit = answer.receipt, unit_from_json(answer.receipt.unit)
    return (
        Environment(autoescape=True)
        .from_string(_TEMPLATE)
        .render(
            question=answer.provenance.question,
            sentence=answer.promise.sentence_about(unit),
            unit=unit.sentence(),
            change=unit.change.value,
            cost=[
                (name, readable(Fraction(amount)))
                for name, amount in sorted(receipt.cost.items(), reverse=True)
            ],
            remaining=[
                (name, readable(Fraction(amount)))
                for name, amount in sorted(receipt.remaining.items(), reverse=True)
            ],
            accounting=f"{receipt.accounting}, {receipt.composition}",
            why=receipt.why,
            charts=charts,
            confidence=f"{answer.confidence:.0%}",
            keys=list(answer.keys),
            names=[a.name for a in answer.answers],
            rows=[_row(answer, row) for row in range(len(answer))],
            stages=answer.provenance.stages,
            notes=answer.notes,
            not_protected=NOT_PROTECTED,
            receipt=receipt,
            data=answer.provenance.data,
            versions=sorted(answer.provenance.versions.items()),
        )
    )


def save_card(answer: ReleasedAnswer, path: str | Path) -> Path:
    """Write the card, whole or not at all."""
    page = card(answer)
    return written_whole(Path(path), lambda partial: partial.write_text(page, encoding="utf-8"))


def _row(answer: ReleasedAnswer, row: int) -> dict[str, Any]:
    return {
        "labels": [key_text(values[row]) for values in answer.keys.values()],
        "cells": [_cell(column, row) for column in answer.answers],
    }


def _cell(column: Answer, row: int) -> dict[str, str]:
    value, _, error = column.text(row).partition(" ± ")
    return {"value": value, "error": error}
