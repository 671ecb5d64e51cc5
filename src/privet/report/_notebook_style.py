"""How results look in notebooks: what surrounds them stays as it is, whether light or dark.

Text has the notebook's own colour, lines are half transparent, and colours are of middle brightness: readable on white
and on black. Every rule is for what stands inside `.privet-view`.
"""

from __future__ import annotations

import re

from privet.report._page import style_sheet

_COLOURS = (
    "--ink: currentColor; --soft: currentColor; --line: rgba(128,128,128,.4); --leaf: #3a9a63; --paper: #fff; --card: transparent; "
    "--risk: #c4662f; --direct: #d2453c; --quasi: #b07d12; --sensitive: #8f66d9; --free: #2f8dbf; --insensitive: #3a9a63; "
    "--open: #b07d12; --spent: #7b8f83; --fresh: #3a9a63"
)
_TEXT = """
.privet-view { font: 14px/1.5 system-ui, sans-serif; max-width: 64rem; overflow-x: auto; COLOURS }
.privet-view h3 { font-size: 1.1rem; margin: .2rem 0 .3rem } .privet-view p { margin: .3rem 0; max-width: 46rem }
.privet-view .stamp { display: inline-block; border: 2px solid var(--leaf); border-radius: .3rem; padding: 0 .5rem; font-weight: 700; font-size: .85rem }
.privet-view .stamp.owner { border-color: var(--direct) } .privet-view .soft { opacity: .8 }
.privet-view .promise { border-left: 4px solid var(--leaf); padding-left: .7rem }
.privet-view .warn { border-left: 4px solid var(--direct); padding-left: .7rem; font-weight: 600 }
.privet-view table { border-collapse: collapse; margin: .5rem 0; font-variant-numeric: tabular-nums }
.privet-view th, .privet-view td { text-align: left; padding: .2rem 1rem .2rem 0; border: 0; border-bottom: 1px solid var(--line); background: none; vertical-align: top }
.privet-view td.n, .privet-view th.n { text-align: right; white-space: nowrap }
.privet-view ol, .privet-view ul { margin: .3rem 0; padding-left: 1.4rem } .privet-view code { font: .9em ui-monospace, monospace; background: none }
"""

_STYLE = style_sheet("style.css")
# The rules for pictures stand in the pages' style, each with `svg` in front.
_PICTURES = re.findall(r"(?:(?<=\} )|(?<=\n))(svg (?:text|\.)[^{}]*\{[^{}]*\})", _STYLE)
_LIGHT, _DARK = re.findall(r":root \{([^{}]*)\}", _STYLE)

VIEW_STYLE = _TEXT.replace("COLOURS", _COLOURS)
PICTURE_IN_VIEW_STYLE = VIEW_STYLE + "\n".join(f".privet-view {rule}" for rule in _PICTURES)
PICTURE_STYLE = (
    f"svg {{ background: var(--paper); color: var(--ink); {_LIGHT} }} @media (prefers-color-scheme: dark) {{ svg {{ {_DARK} }} }}\n"
    + "\n".join(_PICTURES)
)
