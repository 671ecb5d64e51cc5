"""A hash without a key is refused for whatever can be guessed, with the reason and without a value."""

import hashlib

import pyarrow as pa
import pytest

import privet as pv
from privet.engine._relation import ColumnKind
from privet.errors import GuessableHash
from privet.protect.transform.pseudonyms import hash_unkeyed
from privet.protect.transform.pseudonyms._guessable_hashes import guessable

LONG = [
    "a long text that nobody has seen before, of many words",
    "another such text, and longer than the first one",
]


@pytest.mark.parametrize(
    ("column", "values", "reason"),
    [
        ("contact", ["ada@example.org", LONG[0]], "e-mail addresses"),
        ("contact", ["+49 30 1234567", LONG[0]], "phone or national numbers"),
        ("contact", ["(030) 123-4567"], "phone or national numbers"),
        ("code", ["078-05-1120"], "phone or national numbers"),
        ("code", ["AB 12 34 56 C"], "phone or national numbers"),
        ("code", ["1984-05-06"], "dates"),
        ("code", ["6.5.1984"], "dates"),
        ("code", ["Ada Lovelace"], "fewer than 32"),
        ("full_name", LONG, "by its name"),
    ],
)
def test_guessable_text_is_refused(column: str, values: list[str], reason: str) -> None:
    table = pv.open_table(pa.table({column: [*values, None]}))
    with pytest.raises(GuessableHash, match=reason) as caught:
        hash_unkeyed(table, column)
    assert "hmac" in caught.value.hint
    assert not any(value in str(caught.value) for value in values)


@pytest.mark.parametrize("kind", [kind for kind in ColumnKind if kind is not ColumnKind.TEXT])
def test_everything_but_text_can_be_listed(kind: ColumnKind) -> None:
    assert kind.value in guessable(["1"], kind, "code")


def test_long_texts_are_hashed() -> None:
    table = pv.open_table(pa.table({"text": [*LONG, None]}))
    expected = [hashlib.sha256(text.encode()).hexdigest() for text in LONG]
    assert hash_unkeyed(table, "text").to_arrow()["text"].to_pylist() == [*expected, None]
