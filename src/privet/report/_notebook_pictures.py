"""Pictures of results for notebooks, drawn by the same code as those of the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privet._outgoing_text import for_svg
from privet.artifact import Picture
from privet.errors import NothingToDraw
from privet.report._notebook_html import OWNER, RELEASED, heading, stamp
from privet.report._notebook_style import PICTURE_IN_VIEW_STYLE, PICTURE_STYLE

if TYPE_CHECKING:
    from privet.artifact import ReleasedAnswer, ReleasedTable
    from privet.attacks import AttackReport
    from privet.audits import Audit
    from privet.ledger import Ledger
    from privet.protect.pac import PacStability


def answer_picture(answer: ReleasedAnswer) -> Picture:
    """Bars with error bars."""
    from privet.report._answer_figure import answer_figure

    if not len(answer):
        raise NothingToDraw(
            "no group was shown, so there is no bar to draw.", "Print the answer: it says why."
        )
    return _picture("Private answer", RELEASED, answer_figure(answer))


def attack_picture(report: AttackReport) -> Picture:
    """What each attack reached beside guessing and what the promise allows; those on a scale from 0 to 1."""
    from privet.report._risk_figure import drawable, evidence_figure

    rows = [record for one in report if drawable(record := one.to_json())]
    if not rows:
        raise NothingToDraw(
            "no attack of this report is measured on a scale from 0 to 1.",
            "Print the report, or use to_pandas().",
        )
    name = report.attacked or "it"
    return _picture(f"Attacks on {name}", f"{OWNER}: scored with the truth", evidence_figure(name, rows))


def audit_picture(audit: Audit) -> Picture:
    """How many people look like how many others."""
    from privet.report._audit_figures import histogram, ladder

    bins = audit.alike.sizes.histogram()
    labels = ladder([(one.smallest, one.largest) for one in bins])
    bars = [(label, one.rows, one.classes) for label, one in zip(labels, bins, strict=True)]
    title = f"People who look alike in {audit.table}"
    return _picture(title, f"{OWNER}: exact figures", histogram(bars, title=title))


def ledger_picture(ledger: Ledger) -> Picture:
    """What was left of the scarcest budget after each spend."""
    from privet.ledger import shares_left
    from privet.report._training_figures import step_figure

    points = list(enumerate(shares_left(ledger.history(), ledger.balance().caps)))
    title = "Budget left after each spend"
    return _picture(title, ledger.note, step_figure(title, "share left", points, along="spend"))


def table_picture(released: ReleasedTable) -> Picture:
    """The risk before and after."""
    from privet.report._risk_figure import before_and_after_figure

    before, after = released.before, released.after
    if before is None:
        raise NothingToDraw(
            "a published record says nothing of the original table, so there is no before.",
            "Print it instead.",
        )
    rows = [
        {"measure": words, "before": getattr(before, name), "after": getattr(after, name), "allowed": None}
        for name, words in (("highest_risk", "highest risk"), ("mean_risk", "mean risk"))
    ]
    title = "Risk before and after"
    return _picture(
        title, f"{OWNER}: figures about the original table", before_and_after_figure("the table", rows)
    )


def stability_picture(found: PacStability) -> Picture:
    """How far each number moves between halves, and its noise at each budget."""
    from privet.report._stability_figure import stability_figure

    return _picture(
        f"Stability of {found.name}", f"{OWNER}: measured on the rows", stability_figure(found.to_json())
    )


def tradeoff_picture(tradeoff: Any) -> Picture:
    """Utility over risk, one point for each way of protecting."""
    from privet.report._tradeoff_figure import tradeoff_figure

    record = tradeoff.to_json()
    public = record["standing"] in ("public", "surrogate")
    audience = record["standing_words"] if public else f"{OWNER}. {record['standing_words']}"
    return _picture(f"Use against risk: predicting {record['target']}", audience, tradeoff_figure(record))


def _picture(title: str, audience: str, figure: str) -> Picture:
    head, _, rest = figure.partition(">")
    svg = f"{head}><style>{PICTURE_STYLE}</style>{_audience_mark(audience)}{rest}"
    html = (
        f'<div class="privet-view"><style>{PICTURE_IN_VIEW_STYLE}</style>{heading(title)}{figure}'
        f"{stamp(audience) if audience else ''}</div>"
    )
    return Picture(title, audience, svg, html)


def _audience_mark(audience: str) -> str:
    """A file goes further than a notebook: whom it is for travels inside it."""
    return f"<metadata>{for_svg(audience)}</metadata>" if audience else ""
