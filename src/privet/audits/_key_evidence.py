"""What speaks for a person key, in sentences that follow from what was counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from privet.audits._phrases import percent

if TYPE_CHECKING:
    from privet.audits.columns import UnitName
    from privet.disclosure import Measures

_SHOWN = 3


def sentences(
    columns: Sequence[str],
    marks: Measures,
    *,
    values: int,
    rows: int,
    name: UnitName | None,
    differs: str | None,
    restarts_in: str | None,
) -> tuple[str, ...]:
    """The evidence, what was counted first and what the name says last."""
    said = [f"{values:,} values over {rows:,} rows"]
    said += _static(marks)
    if marks.crossing:
        by, share = next(iter(marks.crossing.items()))
        unique = "is unique" if share == 1 else f"is unique in {percent(share)} of rows"
        said.append(f"({', '.join([*columns, by])}) {unique}")
    if marks.balanced:
        said.append(
            f"{round(marks.usual_share * marks.values):,} of {marks.values:,} values have {marks.usual} rows each"
        )
    if marks.blocks and not marks.static:
        said.append(
            f"{_listed(marks.blocks)} {'does' if len(marks.blocks) == 1 else 'do'} not change within a value, nor much between neighbouring ones"
        )
    if marks.clustered:
        said.append(
            f"rows of one value are more alike in {_listed(marks.clustered)} than rows of neighbouring values"
        )
    if marks.unrelated:
        said.append("rows of one value have nothing in common")
    if restarts_in is not None:
        said.append(f"its values start anew in each value of {restarts_in!r}")
    if differs is not None:
        share = 1 - marks.constant[differs]
        said.append(
            f"{differs!r} differs within {percent(share)} of the values with several rows, which are not one person each"
        )
    if name is not None:
        said.append(_named(name))
    return tuple(said)


def _static(marks: Measures) -> list[str]:
    """Columns that are constant, those with the same figures together; the most complete first."""
    by_figures: dict[tuple[int, int], list[str]] = {}
    for column, figures in marks.static.items():
        by_figures.setdefault(figures, []).append(column)
    ordered = sorted(by_figures.items(), key=lambda pair: (-pair[0][0] / pair[0][1], -len(pair[1])))
    return [
        f"{_listed(names)} {'is' if len(names) == 1 else 'are'} constant within {number:,} of the {several:,} values "
        "with several rows"
        for (number, several), names in ordered[:2]
    ]


def _listed(names: Sequence[str]) -> str:
    shown = [repr(name) for name in names[:_SHOWN]]
    more = len(names) - len(shown)
    if more > 0:
        return f"{', '.join(shown)} and {more} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


def _named(name: UnitName) -> str:
    if name.kind in ("person", "household"):
        return f"its name speaks of a {name.kind}" if name.points > 0 else ""
    if name.kind == "group":
        return "its name speaks of a group of people or of a thing"
    if name.kind == "measure":
        return "its name speaks of a measurement or of time"
    return "its name says that something is numbered"
