"""Canaries: planted as often as is said, tossed for where there is one copy, kept for the owner alone."""

import stat
from collections import Counter

import pytest
from tests.attacks.memorization.tiny_models import notes

from privet.attacks.memorization import CanaryRecord, plant_canaries
from privet.errors import BadAttack, UnknownRecord

TEXTS = notes(20, 1)


def test_they_stand_among_the_texts_as_often_as_the_record_says(tmp_path) -> None:
    mixed, record = plant_canaries(TEXTS, copies={1: 50, 2: 3, 8: 2}, record=tmp_path / "c.json", seed=3)
    counts = Counter(mixed)
    assert sorted(Counter(mixed).elements()) == sorted([*TEXTS, *record.planted()])
    for one in record.canaries:
        assert counts[one.text] == one.copies
        assert one.copies in ({0, 1} if one.group == 1 else {one.group})
    assert len({one.secret for one in record.canaries}) == 55
    assert mixed[: len(TEXTS)] != TEXTS
    assert CanaryRecord.load(tmp_path / "c.json") == record


def test_the_coin_is_fair_and_each_seed_has_its_own() -> None:
    _, record = plant_canaries([], copies={1: 4_000})
    heads = sum(one.copies for one in record.canaries)
    assert abs(heads - 2_000) < 6 * 4_000**0.5 / 2  # a false alarm once in five hundred million times
    _, again = plant_canaries([], copies={1: 4_000})
    _, other = plant_canaries([], copies={1: 4_000}, seed=1)
    assert again == record
    assert not {one.secret for one in other.canaries} & {one.secret for one in record.canaries}


def test_references_are_made_alike_and_planted_nowhere() -> None:
    _, record = plant_canaries([], copies={1: 10}, template="{name}: {secret}!")
    found = record.references(100)
    assert len({one.text for one in found}) == 100
    assert not {one.text for one in found} & {one.text for one in record.canaries}
    assert all(one.text.endswith("!") and len(one.secret) == 10 for one in found)


def test_the_record_is_for_the_owner_alone(tmp_path) -> None:
    _, record = plant_canaries([], copies={1: 10})
    mode = record.save(tmp_path / "c.json").stat().st_mode
    assert not mode & (stat.S_IRWXG | stat.S_IRWXO)
    assert record.canaries[0].secret not in repr(record) + repr(record.canaries)


def test_bad_input_is_refused(tmp_path) -> None:
    for copies in ({}, {0: 3}, {1: 0}, {1: -1}, {2_000: 1}):
        with pytest.raises(BadAttack):
            plant_canaries(TEXTS, copies=copies)
    for template in ("{secret}", "{secret} {name}", "{name} {secret} {secret}", "nothing"):
        with pytest.raises(BadAttack):
            plant_canaries(TEXTS, template=template)
    (tmp_path / "c.json").write_text('{"schema": 1, "artifact": "language-canaries", "canaries": [[1]]}')
    with pytest.raises(UnknownRecord):
        CanaryRecord.load(tmp_path / "c.json")
    (tmp_path / "c.json").write_text('{"schema": 1, "artifact": "risk-estimate"}')
    with pytest.raises(UnknownRecord):
        CanaryRecord.load(tmp_path / "c.json")
