"""The plan of a language model as one public page: what to train, and what more compute, data or epsilon would buy."""

from __future__ import annotations

from pathlib import Path

from privet.artifact import Publishable
from privet.errors import checked
from privet.protect.train.language import LanguagePlan
from privet.report._language_figures import FACTORS, best_along_compute, equal_losses, losses_along_compute
from privet.report._page import rendered, saved_page


def language_plan_page(plan: LanguagePlan) -> str:
    """The page as text: no script, no network. Nothing in it was measured on a private text."""
    table = plan.space.law.table
    tiles = [
        (f"{plan.size:,}", "weights"),
        (f"{plan.batch:,}", "sequences in a step"),
        (f"{plan.steps:,}", "steps"),
        (f"{plan.noise_multiplier:.4g}", "noise multiplier, exactly priced"),
        (f"{plan.expected_loss:.3f}", "expected loss, nats a token"),
    ]
    figures = []
    drawn, rows = losses_along_compute(plan)
    names = ["operations", *(f"epsilon {plan.space.epsilon * one:.3g}" for one in FACTORS)]
    figures.append(("What compute buys", drawn, names, rows))
    for which in ("size", "batch", "steps"):
        drawn, rows = best_along_compute(plan, which)
        figures.append((f"Which {which}", drawn, ["operations", "least", "best", "most"], rows))
    for other in ("compute", "examples"):
        drawn, rows = equal_losses(plan, other)
        figures.append((f"Epsilon or {other}", drawn, ["epsilon", *[""] * (len(rows[0]) - 1)], rows))
    doubled = [
        (what, f"{loss:.3f}", f"{loss / plan.expected_loss - 1:+.1%}") for what, loss in plan.doubled.items()
    ]
    return rendered(
        "language_plan.html", audience="public", title="Plan of a language model", plan=plan, promised=str(plan.promise),
        tiles=tiles, figures=figures, doubled=doubled, table=table, cautions=plan.cautions,
    )  # fmt: skip


@checked
def save_language_plan_page(plan: LanguagePlan, path: str | Path) -> Path:
    """Write the page, whole or not at all."""
    return saved_page(Publishable(language_plan_page(plan), "holds nothing from the data"), path)
