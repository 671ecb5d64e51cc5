"""How results show themselves in notebooks: as a small page, as a picture, as a frame of pandas or Polars.

What is drawn is the report's affair, and the report stands above everything that it draws. So it is looked up by name
when something is shown: nothing down here knows more of it than the two functions below.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

from privet._outgoing_text import CONTENT_POLICY, for_html, for_terminal
from privet.artifact._atomic_write import written_whole
from privet.artifact._audience import OwnerOnly, Publishable
from privet.errors import BadUsage, MissingExtra, checked

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

_REPORT = "privet.report._notebook"


class _Report(Protocol):
    """What the report offers to notebooks."""

    def page(self, drawn_as: str, thing: object) -> str:
        """A thing as a small page: escaped, without scripts."""

    def picture(self, drawn_as: str, thing: object) -> Picture:
        """A thing as a picture."""


def _report() -> _Report:
    return cast("_Report", import_module(_REPORT))


@dataclass(frozen=True)
class Picture:
    """A picture of a result: notebooks show it, and `save` keeps it. Made by `plot`; no script is in it.

    `audience` says whom it may be shown to, and stands under the picture wherever that goes.
    """

    title: str
    audience: str
    svg: str = field(repr=False)  # whole: with its style, readable in light and dark
    html: str = field(repr=False)  # the same inside a page of others, which it leaves alone

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.html

    @checked
    def save(self, path: str | Path) -> Path:
        """Write it as `.svg` or `.html`, whole or not at all."""
        target = Path(path)
        texts = {".svg": self.svg, ".html": _page(self.title, self.html)}
        if target.suffix not in texts:
            raise BadUsage(
                f"a picture cannot be saved as {target.suffix or 'a file without an ending'}.",
                "Use .svg or .html.",
            )
        text = texts[target.suffix]
        if self.audience == "public":
            return written_whole(target, Publishable(text, "built from what may be told"))
        return written_whole(target, OwnerOnly(text))


def _page(title: str, html: str) -> str:
    """A part as a file of its own, under the policy of all pages."""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{CONTENT_POLICY}">'
        f"<title>{for_html(title)}</title></head><body>{html}</body></html>\n"
    )


def _shown(words: Callable[[Any], str]) -> Callable[[Any], str]:
    @wraps(words)
    def shown(self: Any) -> str:
        return for_terminal(words(self))

    return shown


class Displayed:
    """What notebooks show as a small page, and `print` as lines in which every character shows. `_drawn_as` names how."""

    _drawn_as: ClassVar[str]

    def __init_subclass__(cls, **settings: Any) -> None:
        """Names of columns and texts of callers reach whoever prints a result: they are made harmless here, for all."""
        super().__init_subclass__(**settings)
        for name in ("__str__", "__repr__"):
            if name in vars(cls):
                setattr(cls, name, _shown(vars(cls)[name]))

    def _repr_html_(self) -> str:
        return _report().page(self._drawn_as, self)


class Pictured(Displayed):
    """What can be drawn as well."""

    def plot(self) -> Picture:
        """The result as a picture, for a notebook or a file; computed from what is here, so it costs nothing."""
        return _report().picture(self._drawn_as, self)


class Framed(ABC):
    """What can be had as a frame of the usual libraries."""

    @abstractmethod
    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table."""

    def to_pandas(self) -> pd.DataFrame:
        """The rows of `to_arrow` as a pandas frame."""
        return as_pandas(self.to_arrow())

    def to_polars(self) -> pl.DataFrame:
        """The rows of `to_arrow` as a Polars frame."""
        return as_polars(self.to_arrow())


def as_pandas(table: pa.Table) -> pd.DataFrame:
    """An Arrow table as a pandas frame; whole numbers stay whole where some are missing."""
    pandas = _library("pandas")
    kinds = {"int64": pandas.Int64Dtype(), "bool": pandas.BooleanDtype()}
    gaps = {str(table.schema.field(name).type) for name in table.column_names if table[name].null_count}
    found = table.to_pandas(types_mapper=lambda kind: kinds.get(str(kind)) if str(kind) in gaps else None)
    return cast("pd.DataFrame", found)


def as_polars(table: pa.Table) -> pl.DataFrame:
    """An Arrow table as a Polars frame."""
    return cast("pl.DataFrame", _library("polars").from_arrow(table))


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtra(f"this needs {name}, which is not installed.", f"pip install {name}") from None
