"""How shares of matches become confidence: by hand from the likelihood ratio, and never slowly."""

import math
import time

import pytest
from tests.audits.columns.forms import sampled

from privet.audits.columns import _date_values as dates
from privet.audits.columns import _free_text as free_text
from privet.audits.columns._detector_shares import DETECTORS, PRIOR, WITH_NAME, same, verdicts
from privet.audits.columns._taxonomy import CATEGORIES
from privet.engine import ColumnKind


def emails(many, of):
    return [f"p{n}@example.org" for n in range(many)] + [f"word{n}" for n in range(of - many)]


def best(column, named=None):
    return verdicts(column, named)[0]


def test_confidence_is_the_product_of_likelihood_ratios():
    """Two of four match a form that true values have 97 times in 100 and others once in a thousand."""
    found = best(sampled(emails(2, 4)))
    odds = PRIOR + 2 * math.log(0.97 / 0.001) + 2 * math.log(0.03 / 0.999)
    assert found.category == "user.contact.email"
    assert found.confidence == pytest.approx(1 / (1 + math.exp(-odds)))
    assert found.evidence.says == "50% of 4 distinct values have the form of e-mail addresses"


def test_a_name_that_agrees_is_worth_five():
    values = emails(1, 3)
    plain, named = best(sampled(values)), best(sampled(values), "user.contact.email")
    gained = math.log(named.confidence / (1 - named.confidence)) - math.log(
        plain.confidence / (1 - plain.confidence)
    )
    assert gained == pytest.approx(WITH_NAME - PRIOR)


def test_nothing_is_certain_and_more_than_fifty_values_do_not_add():
    assert best(sampled(emails(300, 300))).confidence == pytest.approx(0.99)
    few, many = best(sampled(emails(20, 50))), best(sampled(emails(160, 400)))
    assert few.confidence == pytest.approx(many.confidence)


def test_short_lists_of_words_are_no_family_names():
    words = [
        "Smith",
        "Walker",
        "Baker",
        "Miller",
        "Taylor",
        "Wilson",
        "Moore",
        "Clark",
        "Lewis",
        "Allen",
        "Wright",
        "Scott",
        "Adams",
        "Nelson",
    ]
    short = next(one for one in verdicts(sampled(words)) if one.category == "user.name.last")
    assert short.confidence <= 1 / (1 + math.e)
    longer = next(one for one in verdicts(sampled([*words, "Turner"])) if one.category == "user.name.last")
    assert longer.confidence > 0.9
    assert not [one for one in verdicts(sampled(words[:4])) if one.category.startswith("user.name")]


def test_check_digits_go_first():
    """A card is a number of one length too; what passes a check is named before what has a form."""
    import random

    from tests.audits.made_columns import card

    draw = random.Random(2)
    found = verdicts(sampled([card(draw) for _ in range(30)]))
    assert found[0].category == "user.payment.card_number"
    assert [one.checked for one in found] == sorted((one.checked for one in found), reverse=True)


def test_measurements_and_flags_are_not_asked():
    assert verdicts(sampled(["10115.0", "10117.0"], ColumnKind.REAL)) == []
    assert verdicts(sampled(["m", "f"], ColumnKind.BOOLEAN)) == []
    assert verdicts(sampled(["", "n/a"])) == []


@pytest.mark.parametrize(
    ("category", "named", "together"),
    [
        ("user.name", "user.name", True), ("user.name.first", "user.name", True), ("user.name", "user.name.first", True),
        ("user.name.first", "user.name.last", False), ("user.names", "user.name", False), ("user.name", None, False),
    ],
)  # fmt: skip
def test_categories_that_go_together(category, named, together):
    assert same(category, named) == together


def test_every_detector_can_tell():
    for detector in DETECTORS:
        assert detector.category in CATEGORIES
        assert 0 < detector.chance < detector.typical < 1


def test_no_value_makes_a_detector_slow():
    """The longest values that the engine lets through, of the kinds that make patterns backtrack."""
    hostile = [
        "a" * 2000,
        "1" * 2000,
        "a " * 1000,
        "1 " * 1000,
        "a@" * 1000,
        "a." * 1000,
        "(" * 2000,
        "1-" * 1000,
    ]
    hostile += [
        "Aa " * 650,
        "http://" + "a/" * 900 + " ",
        "DE89 " * 400,
        "x" * 159,
        "1 a" * 50,
        "+1" + " 1" * 14,
    ]
    started = time.process_time()
    for text in hostile:
        for detector in DETECTORS:
            detector.matches(text)
        free_text.inside([text])
        dates.year_of(text)
    assert time.process_time() - started < 15  # less than half a second on a quiet machine
