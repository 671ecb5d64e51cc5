"""The whole loop in miniature: ask the price, pay, draw noise, look at the books."""

from tempfile import TemporaryDirectory

import privet as pv
from privet.errors import BudgetExceeded
from privet.guarantee._events import DiscreteLaplace
from privet.mechanism import discrete_laplace
from privet.sealed import Sealed, Sensitivity

with TemporaryDirectory() as folder:
    # A ledger for one data set. Everything it will ever admit stays within this promise, for one person.
    ledger = pv.Ledger(f"{folder}/patients.ledger", limit=pv.PureDP(1), unit=pv.Person("patient_id"))

    # The exact number of patients in three wards. One patient is in at most two of them.
    wards = Sealed([112, 48, 203], Sensitivity.per_coordinate(coordinates=2, largest=1))
    print("exact answer:  ", wards)

    # Noise of scale 5 on an answer that one person moves by 2 in total: epsilon 2/5.
    event = DiscreteLaplace(scale=5, sensitivity=2)
    quote = ledger.quote(event)
    print("it would cost: ", {name: float(amount) for name, amount in quote.cost.items()})

    # Booked first; only then is there a permit, and only with it can noise be drawn.
    permit = ledger.charge(event, why="weekly bed plan")
    print("noisy answer:  ", discrete_laplace(wards, permit).tolist())
    print("balance:       ", ledger.balance())

    # The same again still fits. After that, it does not, and nothing is booked.
    discrete_laplace(wards, ledger.charge(event, why="the week after"))
    try:
        ledger.charge(event, why="one too many")
    except BudgetExceeded as refusal:
        print("third time:    ", refusal.fact)

    print("the books:     ", ledger.verify([permit.receipt]).entries, "entries, chain unbroken")
    ledger.close()
