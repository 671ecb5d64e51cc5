"""The page of a plan: what to train, what it rests on, and where it must not be trusted."""

from tests.protect.train.language.laws import table

from privet.guarantee import ApproxDP
from privet.protect.train.language import plan_language_model
from privet.report import language_plan_page, save_language_plan_page


def test_it_says_what_to_train_and_what_that_rests_on(tmp_path):
    plan = plan_language_model(1e12, 20_000, 64, ApproxDP(2, 1e-6), law=table())
    page = language_plan_page(plan)
    assert f"{plan.steps:,}" in page
    assert "nothing at all" in page
    assert "It is made up." in page
    assert all(one in page for one in plan.cautions)
    assert "<script" not in page
    assert save_language_plan_page(plan, tmp_path / "p.html").read_text() == page
