"""The promise beside the evidence, for people to read: pages, figures, checklists.

One calls: `run_report`, `save_report`, and a `save_…_page` for each kind of result.
Never: states about the world what was not checked in the output, or runs a script.
"""

from typing import TYPE_CHECKING

from privet._front_door import front_door

if TYPE_CHECKING:
    from privet.report._anonymize_page import save_anonymize_page as save_anonymize_page
    from privet.report._answer_card import save_card as save_card
    from privet.report._attack_page import attack_page as attack_page
    from privet.report._audit_page import audit_page as audit_page
    from privet.report._audit_page import public_page as public_page
    from privet.report._collection_page import collection_page as collection_page
    from privet.report._collection_page import save_collection_page as save_collection_page
    from privet.report._language_plan_page import language_plan_page as language_plan_page
    from privet.report._language_plan_page import save_language_plan_page as save_language_plan_page
    from privet.report._loss_curve import LossCurve as LossCurve
    from privet.report._loss_curve import loss_curve as loss_curve
    from privet.report._memorization_page import memorization_lines as memorization_lines
    from privet.report._memorization_page import memorization_page as memorization_page
    from privet.report._memorization_page import save_memorization_page as save_memorization_page
    from privet.report._page_signature import page_record as page_record
    from privet.report._regulator_checklists import odds as odds
    from privet.report._run_files import checked_tradeoff as checked_tradeoff
    from privet.report._run_files import save_report as save_report
    from privet.report._run_files import save_report_data as save_report_data
    from privet.report._run_files import tradeoff_of as tradeoff_of
    from privet.report._run_page import save_run_page as save_run_page
    from privet.report._run_report import run_report as run_report
    from privet.report._shield_page import save_shield_page as save_shield_page
    from privet.report._shield_page import shield_page as shield_page
    from privet.report._tradeoff_page import save_tradeoff_page as save_tradeoff_page
    from privet.report._training_page import save_training_page as save_training_page
    from privet.report._twin_page import save_twin_card as save_twin_card
    from privet.report._twin_page import save_twin_page as save_twin_page
else:
    __getattr__, __dir__, __all__ = front_door(__name__, __file__)
