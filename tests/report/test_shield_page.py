"""The page of a shield: its label first, every attack, what stays visible, and no text."""

import pytest
from tests.attacks.inversion.test_shield_report import LEARNED, estimate, labelled

import privet as pv
from privet.report._shield_page import STAYS, shield_page


def test_the_label_comes_first_and_no_shield_is_called_protected() -> None:
    good = [estimate(name, 0.1, 0.14, rare=(0.0, 0.1)) for name in LEARNED]
    below, beyond = shield_page(labelled(*good)), shield_page(labelled(*good, limit=0.05))
    assert "Below the stated limit, against the attacks named." in below
    assert "Unprotected." in beyond
    for page in (below, beyond):
        assert all(name in page for name in LEARNED)
        assert all(said in page for said in STAYS)
        assert "no epsilon follows" in page
        assert "<script" not in page


@pytest.mark.parametrize("limit", [None, 0.5])
def test_it_is_saved(tmp_path, limit) -> None:
    place = pv.save_shield_page(
        labelled(estimate(LEARNED[0], 0.1, 0.2), limit=limit), tmp_path / "shield.html"
    )
    assert "10.0%" in place.read_text(encoding="utf-8")
