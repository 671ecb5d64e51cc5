"""The one frame of all pages: style sheet, content security policy, whom the page is for, and the footer.

Pages are template files beside this module. They are escaped throughout, and have neither script nor network.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from privet._outgoing_text import CONTENT_POLICY, for_html
from privet.artifact import For, written_whole

if TYPE_CHECKING:
    from jinja2 import Environment

Audience = Literal["owner", "public"]
_STAMPS = {"owner": "For the owner of the data only", "public": "Public version"}
_TEMPLATES = Path(__file__).parent / "templates"


def rendered(
    template: str, *, title: str, audience: Audience, styles: tuple[str, ...] = (), **values: Any
) -> str:
    """A page as text. `styles` are style sheets of its own, after the one that all share."""
    from markupsafe import Markup

    from privet import __version__

    style = Markup("".join(style_sheet(name) for name in ("style.css", *styles)))  # noqa: S704  files of this room
    return (
        _environment()
        .get_template(template)
        .render(
            {**values, "title": title, "audience": audience, "stamp": _STAMPS[audience]},
            style=style,
            policy=Markup(CONTENT_POLICY),  # noqa: S704  a constant
            version=__version__,
        )
    )


def saved_page(page: For[str], path: str | Path) -> Path:
    """Write a page, whole or not at all, for those it is for."""
    return written_whole(Path(path), page)


@cache
def style_sheet(name: str) -> str:
    """The text of a style sheet."""
    return (_TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader

    return Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, trim_blocks=True, finalize=_finalized
    )


def _finalized(value: Any) -> Any:
    """Each text that a template puts into a page: its characters show, before its markup is escaped."""
    from markupsafe import Markup

    return Markup(for_html(value)) if isinstance(value, str) and not isinstance(value, Markup) else value  # noqa: S704
