"""Results as notebooks show them: a small page for each kind, and a picture where one says more than a table.

Found by name from `privet.artifact._notebook_display`, so that what is shown need not know who draws it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from privet.artifact import Picture

# Each kind with the function that draws it; its module is loaded when something of the kind is shown.
PAGES = {
    "answer": "notebook_releases.answer_view",
    "attacks": "notebook_owner.attack_view",
    "audit": "notebook_owner.audit_view",
    "data set": "notebook_plans.data_set_view",
    "explanation": "notebook_plans.explanation_view",
    "hierarchy": "notebook_releases.hierarchy_view",
    "language model": "notebook_releases.language_view",
    "ledger": "notebook_plans.ledger_view",
    "model": "notebook_releases.model_view",
    "pac explanation": "notebook_pac.pac_explanation_view",
    "pac output": "notebook_pac.output_view",
    "public audit": "notebook_owner.public_audit_view",
    "public table": "notebook_plans.public_table_view",
    "released network": "notebook_releases.network_view",
    "released table": "notebook_releases.table_view",
    "released twin": "notebook_releases.twin_view",
    "risk": "notebook_owner.risk_view",
    "stability": "notebook_owner.stability_view",
    "table": "notebook_plans.table_view",
    "tradeoff": "notebook_owner.tradeoff_view",
    "trained model": "notebook_plans.trained_model_view",
    "training plan": "notebook_plans.training_plan_view",
    "view": "notebook_plans.joined_view",
}
PICTURES = {
    "answer": "notebook_pictures.answer_picture",
    "attacks": "notebook_pictures.attack_picture",
    "audit": "notebook_pictures.audit_picture",
    "ledger": "notebook_pictures.ledger_picture",
    "released table": "notebook_pictures.table_picture",
    "stability": "notebook_pictures.stability_picture",
    "tradeoff": "notebook_pictures.tradeoff_picture",
}


def page(drawn_as: str, thing: object) -> str:
    """A thing as a small page: escaped, without scripts."""
    found: str = _drawer(PAGES[drawn_as])(thing)
    return found


def picture(drawn_as: str, thing: object) -> Picture:
    """A thing as a picture."""
    found: Picture = _drawer(PICTURES[drawn_as])(thing)
    return found


def _drawer(place: str) -> Callable[[Any], Any]:
    module, _, name = place.partition(".")
    found: Callable[[Any], Any] = getattr(import_module(f"privet.report._{module}"), name)
    return found
