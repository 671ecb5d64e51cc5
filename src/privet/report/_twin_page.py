"""A twin as pages: for its owner how good it is, measured on real rows; for anybody what is promised and was measured with noise."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from privet.artifact import OwnerOnly, Publishable, ReleasedTwin
from privet.errors import checked
from privet.guarantee import readable, unit_in
from privet.protect.synthesize.fidelity import TwinFidelity
from privet.report._page import rendered, saved_page
from privet.report._twin_figure import shares_figure

NOT_PROTECTED = (
    "What is true of people in general: if smokers in the data are often ill, so they are in the twin.",
    "People whose data is also released elsewhere without protection, or under another ledger.",
    "Wrong assumptions: a person under several identifiers, or bounds and values picked by looking at the data.",
    "Wrong conclusions: relations that were not measured are absent from the twin or made up, and noise looks like a finding.",
)
_COLUMNS = 40  # drawn; all of them stand in the table of distances


def twin_page(found: TwinFidelity) -> str:
    """How good a twin is, as text: no script, no network. For the owner alone."""
    return rendered(
        "twin_owner.html",
        title="How good the twin is",
        audience="owner",
        method=found.method,
        sentence=found.sentence,
        measured_on=found.measured_on,
        tiles=_tiles(found),
        marginals=[
            (
                f"{one.ways} column{'s' if one.ways > 1 else ''}",
                f"{one.sets:,}" if one.sets == one.of else f"{one.sets:,} of {one.of:,}",
                f"{one.mean:.4f}",
                f"{one.by_chance:.4f}",
                f"{one.worst:.4f}",
                ", ".join(one.worst_columns),
            )
            for one in found.marginals
        ],
        target=found.target,
        usefulness=[
            (one.model, one.measure, f"{one.on_twin:.4f}", f"{one.on_real:.4f}", f"{one.guess:.4f}")
            for one in found.usefulness
        ],
        tested=found.usefulness[0].rows if found.usefulness else (),
        figures=[
            {
                "name": one.name,
                "distance": f"{one.distance:.4f}",
                "figure": shares_figure(one.name, one.labels, one.twin, one.real),
                "rows": [
                    (label, f"{fake:.4f}", f"{real:.4f}")
                    for label, fake, real in zip(one.labels, one.twin, one.real, strict=True)
                ],
            }
            for one in sorted(found.columns, key=lambda one: -one.distance)[:_COLUMNS]
        ],
        undrawn=max(0, len(found.columns) - _COLUMNS),
        embedding=found.embedding,
        texts=found.texts,
        notes=found.notes,
    )


@checked
def save_twin_page(found: TwinFidelity, path: str | Path) -> Path:
    """Write the owner's page, whole or not at all, for the owner's eyes alone."""
    return saved_page(OwnerOnly(twin_page(found)), path)


def twin_card(twin: ReleasedTwin) -> str:
    """What anybody may read of a twin: built from its record alone, nothing of it measured without noise."""
    receipt, unit = twin.receipt, unit_in(twin.unit)
    cost = [] if receipt is None else sorted(receipt.cost.items(), reverse=True)
    return rendered(
        "twin_public.html",
        title="Synthetic twin",
        audience="public",
        rows=f"{twin.rows:,}",
        method=twin.method,
        sentence=twin.sentence(),
        unit=None if unit is None else unit.sentence(),
        rho=f"{twin.rho:.6g}",
        cost=[(name, readable(Fraction(amount))) for name, amount in cost],
        accounting="" if receipt is None else f"{receipt.accounting}, {receipt.composition}",
        why="" if receipt is None else receipt.why,
        columns=[(one.name, one.kind, f"{one.codes:,}", one.origin) for one in twin.columns],
        measured=[
            (
                one.what,
                ", ".join(one.columns),
                f"{one.cells:,}",
                "" if one.sigma is None else f"{one.sigma:.4g}",
                f"{one.rho:.4g}",
            )
            for one in twin.measured
        ],
        stages=twin.provenance.stages,
        notes=twin.notes,
        not_protected=NOT_PROTECTED,
        receipt=receipt,
        data=twin.provenance.data,
        versions=sorted(twin.provenance.versions.items()),
    )


@checked
def save_twin_card(twin: ReleasedTwin, path: str | Path) -> Path:
    """Write the public card, whole or not at all."""
    return saved_page(Publishable(twin_card(twin), "released under a promise"), path)


def _tiles(found: TwinFidelity) -> list[tuple[str, str]]:
    tiles: list[tuple[str, Any]] = [
        (f"{found.rows[0]:,}", "synthetic rows"),
        (f"{found.rows[1]:,}", "real rows kept apart"),
        (
            f"{found.duplicates[0]:.2%}",
            f"of the twin's rows repeat another; of real rows {found.duplicates[1]:.2%}",
        ),
        (
            f"{found.copies:.2%}",
            "of the twin's rows are equal to one kept apart, by chance: it never saw those",
        ),
    ]
    return tiles
