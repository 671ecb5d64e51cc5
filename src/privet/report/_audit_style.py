"""How audit pages look: one style sheet, light and dark, and the frame around every page."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --ink: #1d2b22; --soft: #5b6b60; --line: #d9e0da; --leaf: #2f7d4f; --paper: #fbfcfa; --card: #fff; --risk: #b4552d;
  --direct: #b3261e; --quasi: #9a6700; --sensitive: #6f42c1; --free: #0b6fa4; --insensitive: #2f7d4f }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eee8; --soft: #9db0a4; --line: #34433a; --leaf: #6cc08d; --paper: #131a16; --card: #19221d; --risk: #e08a5f;
  --direct: #ff8a80; --quasi: #e3b341; --sensitive: #bc9cff; --free: #6cb6e8; --insensitive: #6cc08d } }
* { box-sizing: border-box } html { -webkit-text-size-adjust: 100% }
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem; margin: 2rem auto 4rem; padding: 0 1.25rem }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 } h2 { font-size: 1.15rem; margin: 2.75rem 0 .35rem; color: var(--leaf) } h3 { font-size: 1rem; margin: 1.5rem 0 .35rem }
p { margin: .35rem 0 } .sub { color: var(--soft) } code { font: .88em ui-monospace, monospace }
.verdict { font-size: 1.2rem; border-left: 5px solid var(--risk); padding: .35rem 0 .35rem 1rem; margin: 1.25rem 0 }
.verdict.calm { border-color: var(--leaf) }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin: 1.25rem 0 }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .7rem .9rem }
.tile b { display: block; font-size: 1.5rem; line-height: 1.2; font-variant-numeric: tabular-nums } .tile span { color: var(--soft); font-size: .85rem; line-height: 1.3; display: block }
.scroll { overflow-x: auto } table { border-collapse: collapse; width: 100%; font-size: .92rem; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top } th { color: var(--soft); font-weight: 600 } td.n, th.n { text-align: right; white-space: nowrap }
.role { font-weight: 600; white-space: nowrap } .role::before { content: "●"; margin-right: .4rem }
.direct { color: var(--direct) } .quasi { color: var(--quasi) } .sensitive { color: var(--sensitive) } .free { color: var(--free) } .insensitive { color: var(--insensitive) } .unknown { font-weight: 700 }
.tag { border: 1px solid var(--line); border-radius: 1rem; padding: .05rem .5rem; font-size: .78rem; color: var(--soft); white-space: nowrap }
figure { margin: .75rem 0; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem } figure svg { display: block; margin: 0 auto }
details { margin-top: .6rem } summary { cursor: pointer; color: var(--soft); font-size: .9rem }
ol.steps { padding-left: 0; list-style: none; counter-reset: step } ol.steps li { counter-increment: step; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .7rem 1rem .7rem 3rem; margin: .5rem 0; position: relative }
ol.steps li::before { content: counter(step); position: absolute; left: .9rem; top: .65rem; width: 1.5rem; height: 1.5rem; border-radius: 50%; background: var(--leaf); color: var(--paper); text-align: center; font-weight: 700; line-height: 1.5rem }
pre { margin: .5rem 0 0; padding: .5rem .75rem; background: var(--paper); border: 1px solid var(--line); border-radius: .35rem; white-space: pre-wrap; overflow-wrap: anywhere; font: .85rem/1.45 ui-monospace, monospace }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif } svg .small { font-size: 11px } svg .axis { fill: var(--soft) } svg .light { fill: #fff } svg .grid { stroke: var(--line) }
svg .risky { fill: var(--risk) } svg .calm { fill: var(--leaf) } svg .track { fill: var(--line); opacity: .5 } svg .line { fill: none; stroke: var(--leaf); stroke-width: 2.5 } svg .line.second { stroke: var(--risk); stroke-dasharray: 7 4 }
svg .dot { fill: var(--leaf); stroke: none } svg .dot.second { fill: var(--risk); stroke: none } svg .band { fill: var(--leaf); opacity: .18 }
footer { color: var(--soft); font-size: .85rem; margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem }
@media print { body { max-width: none; margin: 0 } figure, .tile, ol.steps li { break-inside: avoid } details > * { display: block } }
"""

FRAME = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{ title }}</title>
<style>{{ style }}</style></head><body>
{% macro data(headings, rows, label="The same as a table") %}<details><summary>{{ label }}</summary><div class="scroll"><table><thead><tr>{% for h in headings %}<th{{ '' if loop.first else ' class="n"'|safe }}>{{ h }}</th>{% endfor %}</tr></thead><tbody>
{% for row in rows %}<tr>{% for cell in row %}<td{{ '' if loop.first else ' class="n"'|safe }}>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}</tbody></table></div></details>{% endmacro %}
"""


def render(template: str, *, more_style: str = "", **values: object) -> str:
    """A page: escaped throughout, no script, no network. `more_style` is a page's own, after what all share."""
    from jinja2 import Environment
    from markupsafe import Markup

    style = Markup(STYLE + more_style)  # noqa: S704  constants of this room
    page = Environment(autoescape=True, trim_blocks=True).from_string(FRAME + template)
    return page.render(style=style, **values)
