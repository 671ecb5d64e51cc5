"""The catalogue of diagnoses and the notes: every entry can be drawn and leads somewhere."""

import re

from privet.examples._hospital_vocabulary import (
    FAMILIES,
    MAILBOXES,
    MEN,
    NOTE_WEIGHTS,
    NOTES,
    WARDS,
    WOMEN,
    ZIP_AREAS,
    diagnoses,
)


def test_no_diagnosis_and_no_code_occurs_twice():
    labels = [d.label for d in diagnoses()]
    assert len(set(labels)) == len(labels)
    assert len({label.split()[0] for label in labels}) == len(labels)


def test_every_diagnosis_has_a_code_a_ward_and_possible_figures():
    for one in diagnoses():
        assert re.match(r"[A-Z]\d\d(\.\d+)? \w", one.label), one.label
        assert one.ward in WARDS
        assert one.sex in ("", "F", "M")
        assert min(one.weight, one.spread, one.days, one.daily) > 0, one.label


def test_the_tail_is_long_and_thin():
    """240 made-up diagnoses, all together rarer than the most common one."""
    rare = [d.weight for d in diagnoses()[-240:]]
    assert rare == sorted(rare, reverse=True)
    assert sum(rare) < max(d.weight for d in diagnoses())


def test_births_meet_women_alone():
    assert {d.sex for d in diagnoses() if d.label.startswith("O")} == {"F"}


def test_notes_have_a_weight_each_and_a_slot_that_can_be_filled():
    assert len(NOTES) == len(NOTE_WEIGHTS)
    assert {slot for _, slot, _ in NOTES} == {"", "name", "phone"}
    assert not [note for note in NOTES if not note[1] and note[2]], "what follows no slot would be lost"


def test_names_are_written_once_and_mail_reaches_nobody():
    for names in (WOMEN, MEN, FAMILIES):
        assert len(set(names)) == len(names)
    assert all(name.endswith("example.org") for name in MAILBOXES), "reserved by RFC 2606"


def test_postal_areas_do_not_overlap():
    codes = [start + 2 * at for start, count in ZIP_AREAS for at in range(count)]
    assert len(set(codes)) == len(codes) == 126
    assert all(9_999 < code < 100_000 for code in codes)
