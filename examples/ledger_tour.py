"""A ledger from quote to stored answer: ask first, pay before drawing, repeat for nothing, plan to pay less."""

from pathlib import Path
from tempfile import TemporaryDirectory

import privet as pv
from privet.errors import PrivetError
from privet.guarantee._events import DiscreteLaplace

with TemporaryDirectory() as folder:
    ledger = pv.Ledger(
        Path(folder) / "patients.ledger", limit=pv.ApproxDP(3, 1e-6), unit=pv.Person("patient_id")
    )
    count = DiscreteLaplace(scale=2)  # a count with this noise costs epsilon 0.5

    # Ask what it would cost. A quote books nothing.
    quote = ledger.quote(count)
    print(
        "quote:     ", f"costs epsilon {float(quote.cost['epsilon'])}, leaves {float(quote.after['epsilon'])}"
    )

    # Pay. The entry is on disk before the permit exists; a mechanism would now draw with it, once.
    question = "patients per ward, data of 2026-05-01"
    permit = ledger.charge(count, why="weekly bed plan", question=question)
    permit.use()
    try:
        permit.use()
    except PrivetError as refusal:
        print("again:     ", refusal.code, refusal.fact)

    # Keep the answer. The same question is answered from the book, at no cost.
    ledger.remember(permit.receipt, question, b'{"north": 41, "south": 57}')
    receipt, answer = ledger.recall(question) or (None, b"")
    print("recalled:  ", answer.decode(), "paid for by entry", receipt and receipt.entry)

    # Forty counts fixed beforehand cost less than forty chosen as one goes.
    counts = [DiscreteLaplace(scale=20)] * 40
    one_by_one = 40 * ledger.quote(counts[0]).cost["epsilon"]
    plan = ledger.seal(counts, delta=1e-7, why="the yearly report")
    print(
        "sealed:    ", f"{plan.receipt.cost['epsilon']} instead of {one_by_one} ({plan.receipt.composition})"
    )
    print("permits:   ", len(plan.parts()))

    # What does not fit is refused, and says by how much.
    try:
        ledger.charge(DiscreteLaplace(scale="0.25"), why="a closer look")
    except PrivetError as refusal:
        print("refused:   ", refusal.fact)

    print("balance:   ", ledger.balance())
    print("verified:  ", ledger.verify([permit.receipt, plan.receipt]).entries, "entries")
    ledger.close()
