"""Several reports of each person: what is kept stays, the rest is new."""

import numpy as np
import pytest
from tests.protect.collect.specifications import VALUES, collection

import privet as pv
from privet.errors import BadCollection


def test_fresh_ones_differ_and_repeated_ones_do_not() -> None:
    values = ["v1"] * 200
    fresh = pv.Collection("a", pv.OneOf(VALUES), pv.LocalDP(1), "grr").repeated_reports(values, 2)
    kept = pv.Collection("a", pv.OneOf(VALUES), pv.LocalDP(1), "grr", memory="value").repeated_reports(
        values, 2
    )
    assert fresh[0] != fresh[1]
    assert kept[0] == kept[1]


def test_what_a_device_chooses_once_is_the_same_in_all_its_reports() -> None:
    one, two = collection("loloha").repeated_reports(["v1"] * 100, 2, seed=3)
    assert one["hash"] == two["hash"]
    assert one["value"] != two["value"]
    one, two = collection("dbitflip").repeated_reports(["v1"] * 100, 2, seed=3)
    assert one == two


def test_a_kept_answer_is_in_the_mean_of_many_reports() -> None:
    """The most frequent report of a person is the kept answer, which is the value about as often as promised."""
    made = pv.Collection("a", pv.OneOf(VALUES), pv.LocalDP(3), "l-grr", settings={"once": 2_000})
    given = np.array([table["value"].to_numpy() for table in made.repeated_reports(["v4"] * 400, 60)])
    answers = np.array([np.bincount(given[:, at], minlength=12).argmax() for at in range(400)])
    kept = np.exp(3) / (np.exp(3) + 11)
    assert abs((answers == 4).mean() - kept) < 5.2 * (kept * (1 - kept) / 400) ** 0.5


def test_every_table_is_stamped_and_fits() -> None:
    made = collection("rappor")
    for table in made.repeated_reports(["v1"] * 10, 2, seed=1):
        assert "NOT PRIVATE" in " ".join(pv.estimate(table, made).notes).upper()
    assert pv.estimate(made.repeated_reports(["v1"] * 10, 1)[0], made).notes
    with pytest.raises(BadCollection):
        made.repeated_reports(["v1"], 0)
