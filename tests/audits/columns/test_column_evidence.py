"""Evidence as it is written to JSON."""

import pytest

from privet.audits.columns._column_evidence import Detector, Evidence


def test_a_share_is_written_with_what_it_is_a_share_of():
    shown = Evidence("values", "a third", "user.date", 1 / 3, 30).to_json()
    assert shown == {
        "source": "values",
        "says": "a third",
        "category": "user.date",
        "share": pytest.approx(0.3333),
        "tested": 30,
    }


def test_a_share_of_nought_is_a_share():
    assert Evidence("values", "none", "user.date", 0.0, 30).to_json()["share"] == 0


def test_what_was_not_tested_has_no_share():
    assert Evidence("name", "its name says dates", "user.date").to_json().keys() == {
        "source",
        "says",
        "category",
    }


def test_a_detector_decides_by_values_alone_unless_it_says_otherwise():
    plain = Detector("user.date", str.isdigit, chance=0.1)
    assert (plain.needs_name, plain.checked) == (False, False)
    assert plain.chance < plain.typical < 1
