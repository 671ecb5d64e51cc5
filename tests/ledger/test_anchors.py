"""Anchors: entered at no cost, chained like everything else, and refused where they are none."""

import pytest
from tests.ledger.demands import enter_keys

from privet.errors import BadBooking, LedgerTampered
from privet.guarantee import PureDP, Row
from privet.ledger import APPROVERS, JOURNAL, KEYS, Ledger
from privet.ledger import _anchors as anchors
from privet.ledger._hash_chain import canonical, link

HEAD = "ab" * 32


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "book.ledger", limit=PureDP(3), unit=Row()) as found:
        yield found


def test_an_anchor_costs_nothing_and_verifies(ledger):
    before = ledger.balance()
    made = ledger.anchor(JOURNAL, HEAD, why="the end of a run", said={"plan": "cd" * 32})
    enter_keys(ledger)
    assert ledger.balance() == before
    assert ledger.anchors(JOURNAL) == [made]
    assert (made.digest, made.said) == (HEAD, {"plan": "cd" * 32})
    assert ledger.verify().entries == ledger.anchors(KEYS)[0].entry
    assert ledger.anchors(APPROVERS) == []


@pytest.mark.parametrize(
    ("what", "digest", "said", "why"),
    [
        ("gossip", HEAD, {}, "why"),
        (JOURNAL, "short", {}, "why"),
        (JOURNAL, HEAD.upper(), {}, "why"),
        (JOURNAL, HEAD, {"Plan": "x"}, "why"),
        (JOURNAL, HEAD, {"plan": "x\n"}, "why"),
        (JOURNAL, HEAD, {"plan": 3}, "why"),
        (JOURNAL, HEAD, {"plan": "x" * 20_001}, "why"),
        (JOURNAL, HEAD, {}, ""),
    ],
)
def test_what_is_no_anchor_is_refused(ledger, what, digest, said, why):
    with pytest.raises(BadBooking):
        anchors.content(what, digest, said, why)
    with pytest.raises(BadBooking):
        ledger.anchor(what, digest, said=said, why=why)
    assert ledger.anchors(JOURNAL) == []


@pytest.mark.parametrize(
    "change", [{"what": "gossip"}, {"digest": "x"}, {"said": {"plan": "\u202e"}}, {"after": {"data set": {}}}]
)
def test_an_anchor_that_no_ledger_enters_does_not_verify(tmp_path, change):
    """The chain is closed again over it, as somebody who can write the file would."""
    import sqlite3

    with Ledger(tmp_path / "book.ledger", limit=PureDP(3), unit=Row()) as ledger:
        ledger.anchor(JOURNAL, HEAD, why="the end of a run")
        last = list(ledger.history())[-1]
    body = canonical({**last.body, **change})
    digest = link(last.previous, body)
    with sqlite3.connect(tmp_path / "book.ledger") as book:
        tables = {name for (name,) in book.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        triggers = [name for (name,) in book.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]
        for name in triggers:
            book.execute(f"DROP TRIGGER {name}")
        entries = next(name for name in tables if "entr" in name)
        head = next(name for name in tables if "head" in name)
        columns = [row[1] for row in book.execute(f"PRAGMA table_info({entries})")]
        heads = [row[1] for row in book.execute(f"PRAGMA table_info({head})")]
        number = next(name for name in columns if name in ("number", "id", "entry"))
        book.execute(
            f"UPDATE {entries} SET body = ?, hash = ? WHERE {number} = ?", (body, digest, last.number)
        )
        book.execute(f"UPDATE {head} SET {next(n for n in heads if 'hash' in n)} = ?", (digest,))
    with pytest.raises(LedgerTampered), Ledger(tmp_path / "book.ledger") as ledger:
        ledger.verify()
