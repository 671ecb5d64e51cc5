"""The card of a network."""

from dataclasses import replace

from tests.protect.train.gradients.networks import CLASSES, trained

from privet.evidence import CLAIMED


def test_a_card_says_what_is_promised_how_it_was_made_and_where_it_ends():
    record = trained().released(target="ward", classes=CLASSES, columns=("a", "b")).record
    text = record.card()
    for said in (
        "# A network of ward",
        record.promise.sentence_about(trained().plan.unit),
        "which ward",
        "trained numbers: 83 in 4 tensors",
        "steps: 4",
        f"noise: {float(trained().plan.noise_multiplier):.4g} times the bound",
        "- input: 6, float32",
        "In the columns a, b.",
        "It tells apart icu, eye, burns.",
        "not in this folder",
        "ledger in memory",
    ):
        assert said in text
    assert "Claimed" not in text
    assert "Claimed" in replace(record, standing=CLAIMED).card()


def test_what_was_not_named_is_left_out():
    text = trained().released().card()
    assert "what it was trained for" in text
    assert "columns" not in text
    assert "tells apart" not in text
