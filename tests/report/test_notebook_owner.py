"""What is for the owner alone, as notebooks show it."""

from tests.report.views import Checked, report, tradeoff

from privet.attacks._attack_report import AttackReport
from privet.pipeline._sweep_disclosure import SweepStanding
from privet.report._notebook_html import OWNER
from privet.report._notebook_owner import attack_view, risk_view, tradeoff_view


def test_a_trade_off_on_public_data_is_not_the_owner_s() -> None:
    assert OWNER not in Checked(tradeoff(SweepStanding.PUBLIC)._repr_html_()).text
    assert OWNER not in tradeoff(SweepStanding.PUBLIC).plot().audience


def test_figures_of_an_attack_are_in_its_line() -> None:
    text = Checked(attack_view(report())).text
    for said in ("membership-loss", "AUC", "0.5", "0.73", "0.9"):
        assert said in text
    assert "prove no safety against others" in text
    assert OWNER in Checked(risk_view(report()[0])).text


def test_no_attack_is_no_test() -> None:
    assert "nothing was tested" in Checked(attack_view(AttackReport(()))).text


def test_the_proposed_point_is_marked() -> None:
    text = Checked(tradeoff_view(tradeoff())).text
    assert text.count("proposed") == 1
    assert text.count("on the frontier") == 1
    assert "0.700 [0.690, 0.710]" in text
