"""What the verbs share that put other values into columns: which rows they get, what may leave, and how it is written.

They promise nothing by themselves, so nothing is entered in the ledger; but the rows come from the data set on its terms,
and of a declared one only columns leave that somebody has spoken of.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from privet.dataset import Declaration, Purpose
from privet.verbs._verb import Done, Verb, VerbWork

Step = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class Touched:
    """Which columns get other values, which are looked at beside, and how a text file's columns are read for that."""

    changed: tuple[str, ...]
    beside: tuple[str, ...] = ()
    typed: tuple[str, ...] = ()
    as_text: tuple[str, ...] = ()


class Rewrite(Verb):
    """Reads what may be published of its purpose's columns, and those it is asked to change."""

    output: ClassVar[str] = "records"
    endings: ClassVar[tuple[str, ...]] = (".parquet", ".csv")

    def touched(self, options: Any) -> Touched:
        """Which columns it is about; imports nothing heavy."""
        raise NotImplementedError

    def steps(self, work: VerbWork) -> tuple[list[Step], dict[str, Any]]:
        """The transforms, in order, and what else is to be said of them."""
        raise NotImplementedError

    def columns(self, options: Any, declaration: Declaration, purpose: Purpose) -> tuple[str, ...]:
        """All of the purpose that may stand in rows that leave, and those that options name."""
        about = self.touched(options)
        published = declaration.published(list(purpose.columns))
        return tuple(dict.fromkeys([*published, *about.changed, *about.beside]))

    def gaps(self, options: Any, declaration: Declaration, purpose: Purpose) -> list[tuple[str, str]]:
        """The person column leaves, in whatever form, only where the purpose names it."""
        unit = declaration.dataset.unit.column
        if unit in purpose.columns or unit not in self.touched(options).changed:
            return []
        return [("purpose", f"column {unit!r} says whose rows they are, and the purpose does not name it")]

    def run(self, work: VerbWork) -> Done:
        """Rewrite, withhold what may not leave, and write."""
        from privet.dataset import as_written
        from privet.protect.transform import Rewritten

        about = self.touched(work.options)
        table = as_written(
            work.table, work.read_as, work.place.suffix, typed=about.typed, as_text=about.as_text
        )
        result = Rewritten(table, {})
        steps, more = self.steps(work)
        for transform, arguments, options in steps:
            result = result.then(transform, *arguments, **options)
        rows = result.write(work.place)
        left = result.leaving()
        return Done(facts={"rows": rows, "columns": dict(left.done), **left.figures, **more}, made=left)
