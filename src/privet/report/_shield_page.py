"""What attacks on a shield read, as one page for the owner of the texts: the label and why, every attack, what stays visible.

No text is on the page: shares, intervals and counts alone.
"""

from __future__ import annotations

from pathlib import Path

from privet.artifact import OwnerOnly, RiskEstimate
from privet.attacks.inversion import ShieldLabel, ShieldReport
from privet.errors import checked
from privet.report._page import rendered, saved_page

STAYS = (
    "How long a text is in tokens, and when it was sent.",
    "What the model answers, which goes over the wire in clear.",
    "Whatever an attack finds that is not on this page: it says what these readers got of texts like these.",
    "Several sends of one text: noise is drawn anew each time, and averages tell more.",
)
_KINDS = ("rare", "names", "numbers")


def shield_page(report: ShieldReport) -> str:
    """The page as text: no script, no network, no text that was sent."""
    return rendered(
        "shield.html",
        title=f"What is read through {report.attacked}",
        audience="owner",
        attacked=report.attacked,
        label=f"{report.label.value[0].upper()}{report.label.value[1:]}.",
        calm=report.label is ShieldLabel.BELOW,
        reasons=report.reasons(),
        confidence="" if report.confidence is None else f"{report.confidence:.4g}",
        readers=[_reader_row(one) for one in report.readers],
        pairs=[
            (f"{row['share']:.0%}", f"{row['read']:.1%}")
            for one in report.readers
            for row in one.details.get("by pairs", ())
        ],
        attributes=[one.sentence() for one in report if one not in report.readers],
        stays=STAYS,
        notes=list(dict.fromkeys(f"{one.attack}: {note}" for one in report for note in one.notes)),
        left_out=report.left_out,
    )


@checked
def save_shield_page(report: ShieldReport, path: str | Path) -> Path:
    """Write the page for the owner's eyes, whole or not at all."""
    return saved_page(OwnerOnly(shield_page(report)), path)


def _reader_row(one: RiskEstimate) -> tuple[str, ...]:
    kinds = one.details["kinds"]
    shown = [
        f"{kinds[name]['value']:.1%} (at most {kinds[name]['high']:.1%})" if name in kinds else ""
        for name in _KINDS
    ]
    return (
        one.attack,
        f"{one.success.value:.1%} [{one.success.low:.1%}, {one.success.high:.1%}]",
        *shown,
        f"{one.baseline:.1%}",
        f"{one.details['plain']:.1%}",
    )
