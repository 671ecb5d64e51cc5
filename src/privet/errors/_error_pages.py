"""The page of each code: in the package once it is installed, among the documentation in a checkout."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

__all__ = ["page_of", "pages"]


def pages() -> dict[str, Traversable]:
    """Every page by its code, in order."""
    found = [one for one in _folder().iterdir() if one.name.startswith("E-") and one.name.endswith(".md")]
    return {one.name.removesuffix(".md"): one for one in sorted(found, key=lambda one: one.name)}


def page_of(code: str) -> str:
    """The text of one page, in Markdown."""
    return pages()[code].read_text(encoding="utf-8")


def _folder() -> Traversable:
    """Where the pages are. The wheel takes them in from `docs/errors`, where they are written."""
    packed = files("privet.errors") / "pages"
    return packed if packed.is_dir() else Path(__file__).resolve().parents[3] / "docs" / "errors"
