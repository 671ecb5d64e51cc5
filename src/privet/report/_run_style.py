"""How the report of a run looks, beyond what all pages share: on a desk, on a telephone and on paper."""

from __future__ import annotations

RUN_STYLE = """
:root { --open: #8a5a00; --spent: #3d5246; --fresh: #2f7d4f; --tint: #eef4ef; --warn: #fdf3ec; --ask: #fff8e6 }
@media (prefers-color-scheme: dark) { :root { --open: #e3b341; --spent: #b9cbbf; --fresh: #6cc08d; --tint: #1b2620; --warn: #2a1d16; --ask: #262010 } }
body { max-width: 70rem; overflow-wrap: break-word } .unseen { position: absolute; left: -99rem }
.wide { table-layout: fixed } .wide .n { white-space: normal } .wide th:first-child { width: 16% } .wide th:nth-child(2) { width: 32% } .wide th:nth-child(3) { width: 15% } .wide th:nth-child(4), .wide th:nth-child(5) { width: 10.5% } .wide th:last-child { width: 16% }
.of7 th:nth-child(2) { width: 18% } .of7 th:nth-child(3), .of7 th:nth-child(5) { width: 14.5% } .of7 th:nth-child(4) { width: 9.5% } .of7 th:nth-child(6) { width: 10.5% } .of7 th:last-child { width: 17% } .whole { max-width: none } .whole svg { min-width: 34rem }
.points { table-layout: fixed } .points th:first-child { width: 34% } .points th:nth-child(2) { width: 11rem }
.skip { position: absolute; left: -99rem } .skip:focus { position: static }
.stamp { display: inline-block; font-weight: 700; letter-spacing: .02em; border: 2px solid currentColor; border-radius: .35rem; padding: .1rem .6rem; margin: 0 0 .9rem }
.stamp.owner { color: var(--direct) } .stamp.public { color: var(--leaf) }
h2 { font-size: 1.3rem; border-top: 2px solid var(--line); padding-top: 1.1rem; margin-top: 2.5rem } h3 { font-size: 1.1rem } h4 { font-size: .95rem; margin: 1rem 0 .25rem; color: var(--soft) }
.verdict { background: var(--warn); padding: .7rem 1rem } .verdict.calm { background: var(--tint) }
.findings { border: 2px solid var(--risk); border-radius: .5rem; background: var(--warn); padding: .6rem 1rem .6rem 2.2rem; margin: .75rem 0 }
nav ol { columns: 17rem; padding-left: 1.4rem; margin: .5rem 0 } nav a, main a { color: var(--leaf) }
article { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .4rem 1.25rem 1.1rem; margin: 1rem 0 }
.pair { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 2rem }
.promise { border-left: 5px solid var(--leaf); background: var(--tint); padding: .5rem .9rem; font-size: 1.05rem }
dl { display: grid; grid-template-columns: minmax(6.5rem, max-content) minmax(0, 1fr); gap: .2rem 1rem; margin: .6rem 0; font-size: .92rem; align-items: baseline } dt { color: var(--soft) } dd { margin: 0 }
ul { padding-left: 1.2rem; margin: .35rem 0 } caption { text-align: left; color: var(--soft); font-size: .9rem; padding: .2rem 0 .4rem }
tbody th { color: var(--ink) } figure { max-width: 32rem } figcaption { color: var(--soft); font-size: .9rem; margin: .3rem 0 .6rem } .narrow { max-width: 30rem }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 0 1rem; align-items: start }
.chip { display: inline-block; font-size: .82rem; font-weight: 700; border: 1.5px solid currentColor; border-radius: .7rem; padding: 0 .6rem; }
.met { color: var(--leaf) } .bad { color: var(--direct) } .open { color: var(--open); border-style: dashed } .none { color: var(--soft) }
.chip.met::before { content: "✓ " } .chip.bad::before { content: "✗ " } .chip.open::before { content: "? " }
.blank { display: block; border: 1.5px dashed var(--open); background: var(--ask); color: var(--open); border-radius: .3rem; padding: .15rem .6rem; min-height: 2.1rem; font-size: .88rem }
.hash { font: .82rem ui-monospace, monospace; overflow-wrap: anywhere }
pre { white-space: pre-wrap } svg .strong { font-weight: 700 } svg .room { fill: var(--line) } svg .spent { fill: var(--spent) } svg .fresh { fill: var(--fresh) }
svg .ahead { stroke: var(--risk) } svg .hatching { stroke: var(--risk); stroke-width: 5 }
svg .was { fill: var(--risk) } svg .is.low { fill: var(--leaf) } svg .is.raised { fill: var(--open) } svg .is.high { fill: var(--direct) } svg .on { fill: var(--paper) } svg .allowed { stroke: var(--direct); stroke-width: 2.5; fill: none } svg .guess { stroke: var(--ink); stroke-width: 2; stroke-dasharray: 2 2; fill: none }
svg .interval { stroke-width: 4; fill: none } svg .interval.low { stroke: var(--leaf) } svg .interval.raised { stroke: var(--open) } svg .interval.high { stroke: var(--direct) }
svg .reached { stroke: var(--card); stroke-width: 1.5 } svg .reached.low { fill: var(--leaf) } svg .reached.raised { fill: var(--open) } svg .reached.high { fill: var(--direct) } svg .control { fill: none; stroke: var(--ink); stroke-width: 1.8 }
@media screen and (max-width: 52rem) {
  body { padding: 0 .9rem; margin-top: 1rem } .pair { display: block } article { padding: .2rem .85rem .8rem } figure { padding: .6rem } nav ol { columns: 1 }
  .tiles { grid-template-columns: 1fr 1fr } dl { display: block } dt { margin-top: .35rem }
  .stack th[scope] { width: auto !important } table.stack, .stack tbody, .stack tr, .stack td, .stack tbody th, .stack caption { display: block } .stack thead { position: absolute; left: -99rem }
  .stack tr { border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .7rem; margin: .5rem 0; background: var(--card) }
  .stack td, .stack tbody th { border: 0; padding: .12rem 0; text-align: left; white-space: normal } .stack td[data-label]:not([data-label=""])::before { content: attr(data-label) ": "; color: var(--soft) } .stack td:empty { display: none }
}
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #444; --line: #bbb; --leaf: #1f6b3f; --paper: #fff; --card: #fff; --risk: #a0441c; --direct: #a31515; --open: #6f4800; --spent: #3d5246; --fresh: #2f7d4f; --tint: #fff; --warn: #fff; --ask: #fff }
  @page { margin: 14mm } html { font-size: 12px } body { font-size: 1rem; padding: 0 } th, td { padding: .25rem .4rem } .n { white-space: normal !important } .points th:nth-child(2) { width: 9rem } .tile b { font-size: 1.2rem } article { break-inside: auto; padding: .2rem .8rem .7rem } h2, h3, h4 { break-after: avoid } tr, .blank, .promise, .findings { break-inside: avoid } .blank { min-height: 3.4rem }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact } details::details-content { content-visibility: visible; block-size: auto } summary { list-style: none }
}
"""
