"""The parts that views in notebooks are made of. Whatever comes in as text goes out escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from privet._outgoing_text import for_html as escape
from privet.report._notebook_style import VIEW_STYLE

OWNER = "For the owner only"
RELEASED = "Released"
MOST_ROWS = 60  # of a table in a notebook; the frame holds them all


def view(*parts: str) -> str:
    """Parts as one view, with the style that they need and that touches nothing else."""
    return f'<div class="privet-view"><style>{VIEW_STYLE}</style>{"".join(parts)}</div>'


def heading(text: str) -> str:
    """What it is."""
    return f"<h3>{escape(text)}</h3>"


def stamp(audience: str) -> str:
    """Whom it may be shown to."""
    kind = "stamp owner" if audience.startswith(OWNER) else "stamp"
    return f'<p><span class="{kind}">{escape(audience)}</span></p>'


def paragraph(text: str, kind: str = "") -> str:
    """A sentence or more; nothing for none."""
    style = f' class="{kind}"' if kind else ""
    return f"<p{style}>{escape(text)}</p>" if text else ""


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: int = 0, more: str = "") -> str:
    """A table whose last `numbers` columns are numbers. Of many rows the first are shown, and `more` says where the rest is."""
    first = len(headings) - numbers
    held = [list(row) for row in rows]

    def cells(tag: str, texts: Sequence[str]) -> str:
        return "".join(
            f"<{tag}{'' if at < first else ' class=' + chr(34) + 'n' + chr(34)}>{escape(text)}</{tag}>"
            for at, text in enumerate(texts)
        )

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in held[:MOST_ROWS])
    left = len(held) - MOST_ROWS
    rest = paragraph(f"… and {left:,} more. {more}".strip(), "soft") if left > 0 else ""
    return f"<table><thead><tr>{cells('th', headings)}</tr></thead><tbody>{body}</tbody></table>{rest}"


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """Names and what they are, line by line."""
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in pairs)
    return f"<table><tbody>{rows}</tbody></table>" if rows else ""


def listed(items: Iterable[str], *, numbered: bool = False) -> str:
    """Sentences one under the other."""
    tag = "ol" if numbered else "ul"
    inside = "".join(f"<li>{escape(item)}</li>" for item in items)
    return f"<{tag}>{inside}</{tag}>" if inside else ""


def folded(label: str, inside: str) -> str:
    """What is shown when somebody asks for it."""
    return f"<details><summary>{escape(label)}</summary>{inside}</details>" if inside else ""
