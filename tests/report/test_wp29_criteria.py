"""The three criteria follow the attacks, and nothing found is not said of something."""

import pytest

from privet.report import _wp29_criteria as criteria
from privet.report._regulator_checklists import ItemStanding


def risk(
    attack: str, verdict: str, low: float = 0.5, high: float = 0.6, control: float | None = None
) -> dict:
    return {
        "attack": attack,
        "verdict": verdict,
        "sentence": f"{attack} said",
        "bound": None,
        "success": {"low": low, "high": high},
        "control": None if control is None else {"low": control, "high": control},
    }


def test_the_three_criteria_follow_the_attacks() -> None:
    found = criteria.wp29(
        [
            risk("singling-out", "within the promise"),
            risk("linkability", "inconclusive"),
            risk("inference", "not covered by the promise", low=0.5, control=0.2),
        ]
    )
    assert [item.standing for item in found] == [ItemStanding.MET, ItemStanding.OPEN, ItemStanding.NOT_MET]
    assert [item.standing for item in criteria.wp29([])] == [ItemStanding.NOT_TESTED] * 3


def test_doing_better_than_guessing_is_not_called_nothing() -> None:
    skewed = {
        **risk("skewness", "not covered by the promise", low=0.34, high=0.34),
        "baseline": 0.0,
        "of": "safe",
    }
    skewed["success"]["value"] = 0.34
    calm = risk("inference", "not covered by the promise", low=0.1, high=0.2, control=0.2)
    inference = criteria.wp29([calm, skewed])[2]
    assert inference.standing is ItemStanding.OPEN
    assert inference.evidence == "skewness on safe reached 0.34 (guessing 0): not covered by the promise"
    assert criteria.wp29([calm, {**skewed, "baseline": 0.5}])[2].standing is ItemStanding.MET


@pytest.mark.parametrize(("low", "stands"), [(0.004, ItemStanding.NOT_MET), (-0.01, ItemStanding.MET)])
def test_an_estimated_excess_over_control_counts_before_two_intervals(
    low: float, stands: ItemStanding
) -> None:
    near = risk("inference", "not covered by the promise", low=0.1, high=0.2, control=0.15)
    near["details"] = {"risk": {"value": 0.03, "low": low, "high": 0.07}}
    assert criteria.wp29([near])[2].standing is stands


def test_many_attacks_are_counted_where_they_are_not_named() -> None:
    many = [risk(f"linkability-{at}", "within the promise") for at in range(8)]
    assert criteria.wp29(many)[1].evidence.endswith("; and 2 more")


@pytest.mark.parametrize(
    ("at", "others"),
    [
        (0, ["linkage-exact", "membership-lira", "reconstruction", "linkability", "inference"]),
        (1, ["linkage-exact", "linkage-probable", "intersection", "singling-out-univariate", "inference"]),
        (2, ["homogeneity", "skewness", "inversion-search", "linkability", "singling-out-multivariate"]),
    ],
)
def test_an_attack_of_another_kind_never_speaks_for_a_criterion(at: int, others: list[str]) -> None:
    quiet = [risk(name, "within the promise") for name in others]
    item = criteria.wp29(quiet)[at]
    assert item.standing is ItemStanding.NOT_TESTED
    assert item.evidence.startswith("no ")


@pytest.mark.parametrize(
    ("at", "other"), [(0, "linkage-exact"), (0, "membership-lira"), (1, "intersection"), (2, "homogeneity")]
)
def test_an_attack_of_another_kind_can_speak_against_one(at: int, other: str) -> None:
    item = criteria.wp29([risk(other, "contradicts the promise")])[at]
    assert (item.standing, other in item.evidence) == (ItemStanding.NOT_MET, True)


def test_every_attack_that_a_criterion_names_exists() -> None:
    from privet.attacks import attacks

    known = [one.name for one in attacks()]
    for kind, others in criteria._CRITERIA.values():
        for beginning in (*kind, *others):
            assert any(name.startswith(beginning) for name in known), beginning
