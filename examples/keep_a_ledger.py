"""A ledger with budgets for purposes, receipts, and a forgery that the receipts bring to light."""

import datetime
import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory

import privet as pv
from privet.errors import LedgerTampered, PrivetError
from privet.guarantee._events import DiscreteGaussian, Exponential

with TemporaryDirectory() as folder:
    book = Path(folder) / "patients.ledger"
    ledger = pv.Ledger(
        book,
        limit=pv.ApproxDP(3, 1e-6),
        unit=pv.Person("patient_id"),
        accounting="zcdp",
        expires=datetime.date(2099, 12, 31),
    )
    print("limit:     ", ledger.limit.sentence())

    # Caps under the data set's own. A spend must fit every budget that it touches.
    ledger.open_budget(pv.ApproxDP(1, 1e-7), purpose="bed planning")
    ledger.open_budget(pv.ApproxDP(2, 1e-7), analyst="ines")

    receipts = [
        ledger.charge(DiscreteGaussian(sigma=20), why="beds per ward", purpose="bed planning").receipt,
        ledger.charge(Exponential("0.1"), why="busiest ward", purpose="bed planning", analyst="ines").receipt,
    ]
    for balance in ledger.balances():
        print("balance:   ", balance)

    try:
        ledger.charge(DiscreteGaussian(sigma=2), why="a closer look", purpose="bed planning")
    except PrivetError as refusal:
        print("refused:   ", refusal.code, refusal.fact)

    print("history:   ", [entry.kind for entry in ledger.history()])
    print("verified:  ", ledger.verify(receipts).entries, "entries against", len(receipts), "receipts")
    ledger.close()

    # Somebody edits the file: the triggers that forbid it are dropped first.
    with sqlite3.connect(book) as connection:
        connection.execute("DROP TRIGGER entries_stay")
        connection.execute("UPDATE entries SET body = replace(body, 'busiest', 'quietest')")
    connection.close()
    try:
        pv.Ledger(book).verify(receipts)
    except LedgerTampered as alarm:
        print("forged:    ", alarm.code, alarm.fact)
