"""The page of a released table: promise, risk and loss side by side, in one HTML file without script or network.

With rows from before and after it is for the owner's eyes, and says so; without them it is built from the released
artifact alone and may travel with it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from privet.artifact import ColumnPair, OwnerOnly, Publishable, ReleasedTable, SearchPoint
from privet.report._chart import Plot, Scale, dot, path, picture, rect
from privet.report._page import rendered, saved_page

NOT_PROTECTED = (
    "An attacker who knows columns that were not called quasi-identifiers.",
    "Two releases of the same people: what each hides alone, both together may show.",
    "Facts about whole groups: where everybody in a class shares a value, finding the class is enough, unless "
    "diversity was promised too.",
    "The order of the rows, if it follows something an outsider knows.",
)
_DRAWN = 4000  # points of the scatter at most
_PLOT = Plot(710, 356, left=60, right=30, top=12, bottom=44)


def anonymize_page(released: ReleasedTable, *, rows: bool = False) -> str:
    """The page as text. `rows` also shows rows of the original table beside the published ones: owner only."""
    pairs = released.pairs if rows else ()
    names = list(pairs[0].before) if pairs else []
    roles = {column.column: column.role for column in released.columns}
    drawn = _scatter(released.found.points, released)
    return rendered(
        "anonymize.html",
        title="Anonymized table",
        audience="owner" if _is_owners(released, rows=rows) else "public",
        question=released.provenance.question,
        sentence=released.promise.sentence(),
        found=released.found,
        rows=f"{released.after.rows:,}",
        risks=_risks(released),
        scatter=drawn,
        columns=[
            {
                "column": column.column,
                "role": column.role,
                "done": column.done,
                "loss": "" if column.loss is None else f"{column.loss:.3f}",
                "bar": _bar(column.loss),
            }
            for column in released.columns
        ],
        utility=sorted(released.utility.items()),
        shown=[{"column": name, "role": roles.get(name, "")} for name in names],
        pairs=[_cells(pair, names) for pair in pairs],
        stages=released.provenance.stages,
        notes=released.notes,
        not_protected=NOT_PROTECTED,
        receipt=released.receipt,
        data=released.provenance.data,
        versions=sorted(released.provenance.versions.items()),
    )


def _is_owners(released: ReleasedTable, *, rows: bool) -> bool:
    """Whether something in it was measured on, or shows, the original table."""
    return released.before is not None or bool(rows and released.pairs)


def save_anonymize_page(released: ReleasedTable, path: str | Path, *, rows: bool = False) -> Path:
    """Write the page, whole or not at all."""
    page = anonymize_page(released, rows=rows)
    if _is_owners(released, rows=rows):
        return saved_page(OwnerOnly(page), path)
    return saved_page(Publishable(page, "released under a promise"), path)


def _risks(released: ReleasedTable) -> list[tuple[str, str, str]]:
    new = released.after
    old = released.before or new
    lines = [
        ("smallest class", f"{old.smallest_class:,}", f"{new.smallest_class:,}"),
        ("classes", f"{old.classes:,}", f"{new.classes:,}"),
        ("rows alone in their class", f"{old.unique_rows:,}", f"{new.unique_rows:,}"),
        ("highest risk of a row", f"{old.highest_risk:.3g}", f"{new.highest_risk:.3g}"),
        ("mean risk", f"{old.mean_risk:.3g}", f"{new.mean_risk:.3g}"),
    ]
    for threshold, share in old.rows_above.items():
        now = new.rows_above.get(threshold, 0.0)
        lines.append((f"rows with a risk above {threshold}", f"{share:.1%}", f"{now:.1%}"))
    for column, figures in old.sensitive.items():
        for name, value in figures.items():
            now = new.sensitive.get(column, {}).get(name, 0.0)
            lines.append(
                (f"{column}: {name.replace('_', ' ')} in the worst class", f"{value:.4g}", f"{now:.4g}")
            )
    if released.before is None:
        return [(name, "not stated", now) for name, _, now in lines]
    return lines


def _cells(pair: ColumnPair, names: list[str]) -> dict[str, Any]:
    after = pair.after
    return {
        "before": [_text(pair.before[name]) for name in names],
        "after": None if after is None else [_text(after[name]) if name in after else "—" for name in names],
    }


def _text(value: Any) -> str:
    return "(missing)" if value is None else str(value)


def _bar(loss: float | None) -> str:
    if loss is None:
        return ""
    parts = [
        rect(0, 0, 120, 12, fill="currentColor", opacity=".12"),
        rect(0, 0, Scale(0, 1, 0, 120)(loss), 12, fill="#b7950b"),
    ]
    return picture(120, 12, "loss", f"loss {loss:.3f}", parts, style="width:120px;height:12px")


def _scatter(points: tuple[SearchPoint, ...], released: ReleasedTable) -> str:
    """Loss to the right, risk upwards; what was chosen is ringed. Nothing to draw without points."""
    if not points:
        return ""
    shown = points[:: max(1, len(points) // _DRAWN)]
    chosen = (released.found.loss, released.after.mean_risk)
    x = _PLOT.x(0, max([point.loss for point in shown] + [chosen[0]]) or 1.0)
    y = _PLOT.y(0, max([point.risk for point in shown] + [chosen[1]]) or 1.0)
    parts = [
        path(f"M{_PLOT.left} {_PLOT.top}V{_PLOT.y_end}H{_PLOT.x_end}", stroke="currentColor", fill="none"),
        _PLOT.y_ticks(y, [(value, f"{value:.3g}") for value in (0, y.high)]),
        _PLOT.x_ticks(x, [(value, f"{value:.3g}") for value in (0, x.high)], grid=False),
        _PLOT.axis_names(f"{released.found.metric} →", "mean risk"),
        *(dot(x(point.loss), y(point.risk), 2, fill="#2f7d4f", opacity=".4") for point in shown),
        dot(x(chosen[0]), y(chosen[1]), 7, fill="none", stroke="#c0392b", stroke_width=2.5),
    ]
    said = (
        "Every generalization that was evaluated, by its loss and by the mean risk that it leaves; the chosen one is "
        "ringed."
    )
    return picture(_PLOT.width, _PLOT.height, "Risk and loss", said, parts)
