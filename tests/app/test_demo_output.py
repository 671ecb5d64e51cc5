"""The lines of the demonstration: shares, plurals and what is withheld."""

from dataclasses import fields

from privet.app._demo_output import Figures, _number, _pm


def test_few_are_not_rounded_to_nobody_nor_many_to_all() -> None:
    lines = dict(figures(alone=3998, patients=4000).lines())
    assert lines["audit"].startswith("over 99.9 % of the patients are alone")


def test_a_noisy_figure_has_half_its_interval_beside_it() -> None:
    assert _pm({"value": 1234.4, "low": 1224.4, "high": 1244.4}, 0) == "1,234 ± 10"
    assert _pm({"value": None, "low": None, "high": None}, 1) == "withheld, too few"
    assert _number({"epsilon": "2.50001"}) == "2.5"


def figures(**more) -> Figures:
    ward = {
        "ward": "Surgery",
        "stays": {"value": 10.0, "low": 8.0, "high": 12.0},
        "days": {"value": 3.0, "low": 2.0, "high": 4.0},
    }
    known = {
        "wards": [ward], "membership": {"value": 0.51, "low": 0.48, "high": 0.54}, "findings": [], "proposed": None,
        "spent": {"epsilon": "1.5"}, "budget": {"epsilon": "4"}, "left": {"epsilon": "2.5"}, "head": "x", "in_the_table": None,
    }  # fmt: skip
    return Figures(**{one.name: known.get(one.name, 1) for one in fields(Figures)} | more)


def lines(**more) -> str:
    return "\n".join(text for _, text in figures(**more).lines())


def test_shares_are_of_the_patients_and_names_of_those_that_were_claimed() -> None:
    said = lines(patients=200, alone=150, claimed=50, right=45)
    assert "75 % of the patients are alone" in said
    assert "25 % of the patients are found" in said
    assert "90 % of these names are right" in said
    assert "0 % of these names are right" in lines(claimed=0, right=0)


def test_limits_that_were_beaten_are_named() -> None:
    assert "all 3 limits kept" in lines(limits=3)
    assert "linkage too high" in lines(findings=["linkage too high"])
    assert "contradicted by them: none" in lines(contradicted=0)


def test_what_could_not_be_run_is_not_said() -> None:
    assert "who is in this table?" not in lines()
    assert "who is in this table? AUC 0.625" in lines(in_the_table=0.625)


def test_the_spent_budget_is_told() -> None:
    assert "spent epsilon 1.5 of 4, 2.5 left" in lines()
