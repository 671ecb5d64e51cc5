"""Where a bare file is booked: beside it, or where a note beside it says; never in a second place."""

import json

import pytest

from privet.dataset._ledger_link import FORMAT, known, remember
from privet.errors import UnsafePath


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "patients.csv"
    path.write_text("id\n1\n")
    return path


def link(file):
    return file.with_name("patients.csv.ledger.link")


def test_nothing_is_known_of_a_file_that_was_never_booked(file):
    assert known(file) is None
    assert known(None) is None


def test_the_ledger_beside_a_file_is_its_own(file):
    beside = file.with_name("patients.csv.ledger")
    beside.write_text("")
    assert known(file) == str(beside)
    remember(file, str(beside))
    assert not link(file).exists()


def test_another_place_is_remembered_relative_to_the_file(file, tmp_path):
    book = tmp_path / "books" / "all.ledger"
    book.parent.mkdir()
    book.write_text("")
    remember(file, str(book))
    assert json.loads(link(file).read_text()) == {"format": FORMAT, "ledger": "books/all.ledger"}
    assert known(file) == str(book)


def test_a_place_elsewhere_is_remembered_whole(file, tmp_path_factory):
    book = tmp_path_factory.mktemp("elsewhere") / "all.ledger"
    book.write_text("")
    remember(file, str(book))
    assert known(file) == str(book)
    assert json.loads(link(file).read_text())["ledger"] == str(book.resolve())


def test_an_address_is_remembered_as_it_is(file):
    remember(file, "postgresql://localhost/books#patients")
    assert known(file) == "postgresql://localhost/books#patients"


def test_the_first_place_stays(file):
    remember(file, "postgresql://localhost/books#patients")
    remember(file, "postgresql://localhost/books#others")
    assert known(file) == "postgresql://localhost/books#patients"


def test_a_ledger_that_was_moved_away_is_not_begun_anew(file, tmp_path):
    book = tmp_path / "all.ledger"
    book.write_text("")
    remember(file, str(book))
    book.unlink()
    with pytest.raises(UnsafePath):
        known(file)


def test_no_note_for_a_file_that_is_not_there(tmp_path):
    remember(tmp_path / "nothing.csv", str(tmp_path / "all.ledger"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "note",
    [
        "",
        "[]",
        "{}",
        '{"ledger": "a"}',
        '{"format": "another/1", "ledger": "a"}',
        f'{{"format": "{FORMAT}", "ledger": 3}}',
    ],
)
def test_what_is_no_note_says_nothing(file, note):
    link(file).write_text(note)
    assert known(file) is None
