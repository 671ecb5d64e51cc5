"""What stores share: the layout they write, and what a transaction says it will read."""

import pytest

from privet.ledger import _hash_chain, _store
from privet.ledger._in_memory_store import InMemoryStore
from privet.ledger._postgres_store import PostgresStore
from privet.ledger._sqlite_store import SqliteStore


def test_layout_and_page_are_what_stored_ledgers_have():
    assert _store.LAYOUT == 1
    assert _store.PAGE == 500
    assert _store.DIGEST == 64


def test_a_body_names_its_question_as_stores_look_for_it():
    body = _hash_chain.canonical({"question": "f" * 64, "why": 'a "question":" in a text'})
    text = body if isinstance(body, str) else body.decode()
    assert text.count(_store.QUESTION) == 1
    at = text.index(_store.QUESTION) + len(_store.QUESTION)
    assert text[at : at + _store.DIGEST] == "f" * 64


def test_nothing_is_wanted_unless_it_is_said():
    assert _store.WantedRows((), (), None) == _store.NOTHING


@pytest.mark.parametrize("kind", [InMemoryStore, SqliteStore, PostgresStore])
def test_every_store_has_what_a_store_must_do(kind):
    for name in ("place", "exists", "create", "writing", "reading", "close"):
        assert hasattr(kind, name)
