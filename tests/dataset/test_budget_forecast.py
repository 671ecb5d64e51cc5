"""What would be left of every budget: priced and admitted by the ledger's own rules, and nothing booked."""

import datetime
from fractions import Fraction

import pytest

from privet.dataset._budget_forecast import existing, head_of, open_nats, open_purpose, till
from privet.dataset._declaration import Budget, Declaration, Purpose, Source, Unit
from privet.errors import BudgetExceeded, BudgetExpired, LedgerMismatch, NoSuchBudget
from privet.guarantee import DiscreteLaplace, PacRelease, PureDP, Row
from privet.ledger import DATA_SET, GENESIS, NATS, Ledger, scope_of

TODAY, END = datetime.date(2026, 3, 4), datetime.date(2030, 1, 1)
TENTH = DiscreteLaplace(10)


def purpose(epsilon="0.3", expires=END):
    budget = None if epsilon is None else Budget(epsilon=epsilon)
    return Purpose(
        use="beds",
        basis="law",
        columns=[],
        outputs=["answer"],
        recipients=["us"],
        budget=budget,
        expires=expires,
    )


def declaration(unit="row", epsilon=1, max_rows=None, nats=None):
    source = Source(
        source="a.csv",
        unit=Unit(column=unit, max_rows=max_rows),
        ledger="a.ledger",
        budget=Budget(epsilon=epsilon),
        nats=nats,
    )
    return Declaration(dataset=source, columns={}, purposes={"beds": purpose()})


def test_without_a_ledger_the_budgets_are_those_it_would_open_with():
    found = till(declaration(), None)
    assert found.head == GENESIS == head_of(None)
    assert found.unit == Row()
    assert found.left(DATA_SET) == {"epsilon": "1"}
    assert found.left(scope_of(purpose="beds")) == {}
    found.open("beds", purpose())
    assert found.left(scope_of(purpose="beds")) == {"epsilon": "0.3"}


def test_a_purpose_without_a_budget_opens_none():
    found = till(declaration(), None)
    found.open("beds", purpose(epsilon=None))
    assert list(found.accounts) == [DATA_SET]


def test_paying_takes_from_both_and_is_refused_as_the_ledger_would():
    found = till(declaration(), None)
    found.open("beds", purpose())
    cost = found.price(TENTH)
    for _ in range(3):
        found.pay(cost, "beds", TODAY)
    assert found.left(DATA_SET) == {"epsilon": "0.7"}
    assert found.left(scope_of(purpose="beds")) == {"epsilon": "0"}
    with pytest.raises(BudgetExceeded):
        found.pay(cost, "beds", TODAY)
    assert found.left(DATA_SET) == {"epsilon": "0.7"}


def test_a_purpose_that_has_ended_pays_nothing():
    found = till(declaration(), None)
    found.open("beds", purpose())
    cost = found.price(TENTH)
    found.pay(cost, "beds", END)
    with pytest.raises(BudgetExpired):
        found.pay(cost, "beds", END + datetime.timedelta(days=1))


def test_a_budget_that_is_open_keeps_its_terms():
    found = till(declaration(), None)
    found.open("beds", purpose())
    found.open("beds", purpose())
    found.open(
        "beds", purpose(expires=END - datetime.timedelta(days=1))
    )  # the purpose ends sooner: that is no change
    for changed in (purpose(epsilon="0.4"), purpose(expires=END + datetime.timedelta(days=1))):
        with pytest.raises(LedgerMismatch):
            found.open("beds", changed)


@pytest.fixture
def book(tmp_path):
    with Ledger(tmp_path / "a.ledger", limit=PureDP(1), unit=Row()) as ledger:
        yield ledger


def test_a_ledger_says_what_is_left_and_where_it_ends(book):
    open_purpose(book, "beds", purpose())
    book.charge(TENTH, why="a count", purpose="beds")
    found = till(declaration(), book)
    assert found.left(DATA_SET) == {"epsilon": "0.9"}
    assert found.left(scope_of(purpose="beds")) == {"epsilon": "0.2"}
    assert found.head == head_of(book) == list(book.history())[-1].hash
    assert found.price(TENTH) == {"epsilon": 10**11}


def test_opening_a_purpose_twice_is_opening_it_once(book):
    open_purpose(book, "none", purpose(epsilon=None))
    with pytest.raises(NoSuchBudget):
        book.balance(purpose="none")
    open_purpose(book, "beds", purpose())
    open_purpose(book, "beds", purpose(expires=END - datetime.timedelta(days=1)))
    assert book.balance(purpose="beds").expires == END
    assert book.balance(purpose="beds").caps == {"epsilon": Fraction(3, 10)}
    with pytest.raises(LedgerMismatch):
        open_purpose(book, "beds", purpose(epsilon="0.4"))


def test_only_a_ledger_of_the_policys_terms_is_taken(tmp_path, book):
    assert existing(declaration(), tmp_path / "elsewhere") is None
    assert not (tmp_path / "elsewhere").exists()
    found = existing(declaration(), tmp_path)
    assert found is not None
    assert found.id == book.id
    found.close()
    with pytest.raises(LedgerMismatch):
        existing(declaration(epsilon=2), tmp_path)
    with pytest.raises(LedgerMismatch, match="the ledger protects"):
        existing(declaration(unit="id", max_rows=3), tmp_path)


def test_nats_are_paid_from_an_account_of_their_own(tmp_path):
    cost = till(declaration(), None).price(PacRelease("1/4"))
    with pytest.raises(NoSuchBudget, match="no account of nats"):
        till(declaration(), None).pay(cost, "beds", TODAY)
    found = till(declaration(nats="0.5"), None)
    assert found.charged(cost, "beds") == [NATS]
    found.pay(cost, "beds", TODAY)
    found.pay(cost, "beds", TODAY)
    assert found.left(NATS) == {"nats": "0"}
    assert found.left(DATA_SET) == {"epsilon": "1"}
    with pytest.raises(BudgetExceeded):
        found.pay(cost, "beds", TODAY)
    with Ledger(tmp_path / "a.ledger", limit=PureDP(1), unit=Row()) as book:
        open_nats(book, declaration())
        assert len(book.balances()) == 1
        open_nats(book, declaration(nats="0.5"))
        open_nats(book, declaration(nats="0.5"))
        book.charge(PacRelease("1/4"), why="one")
        assert till(declaration(nats="0.5"), book).left(NATS) == {"nats": "0.25"}
