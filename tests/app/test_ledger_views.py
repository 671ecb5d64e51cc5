"""A ledger in a terminal: bars, short amounts, and callers' texts as they are."""

from fractions import Fraction

from rich.console import Console

import privet as pv
from privet.app._ledger_views import _bar, _short, balance_table, burn_down, entry_line, history_table


def shown(thing) -> str:
    console = Console(width=160, no_color=True)
    with console.capture() as captured:
        console.print(thing)
    return captured.get()


def book() -> pv.Ledger:
    return pv.Ledger.in_memory(limit=pv.ApproxDP(3, 1e-6))


def test_bars_and_amounts() -> None:
    assert [_bar(share) for share in (0, 0.5, 1)] == ["░" * 8, "█" * 4 + "░" * 4, "█" * 8]
    assert _short(Fraction(1, 3)) == "0.3333"


def test_every_coin_of_a_budget_has_a_line() -> None:
    ledger = book()
    text = shown(balance_table(ledger, ledger.balances()))
    assert "0 of 3" in text
    assert "0 of 1e-06" in text
    assert "no unit bound yet" in text
    assert "no end" in text


def test_burning_down_in_words() -> None:
    assert burn_down([1.0]).plain == "Nothing was spent yet."
    assert burn_down([1.0, 0.5]).plain.startswith("burn-down of the data set's budget, 1 spend, 50% left\n")
    assert "2 spends" in burn_down([1.0, 0.5, 0.25]).plain


def test_the_first_entry_is_the_opening() -> None:
    (entry,) = book().history()
    assert entry_line(entry).split("\t")[0] == str(entry.number)
    assert str(entry.at[:10]) in shown(history_table([entry]))
