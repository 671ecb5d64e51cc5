"""How far each budget is burnt down: spent before a run, spent in it, planned and not yet spent, left.

Amounts are exact: they are the ledger's own decimals, added as fractions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.guarantee import written
from privet.ledger import NATS

WHOLE = "data set"  # the ledger's name for the account that every spend passes


@dataclass(frozen=True, slots=True)
class Burn:
    """One coin of one budget."""

    scope: str
    coin: str  # "epsilon", "delta", "rho" or "nats"
    cap: Fraction
    before: Fraction
    this_run: Fraction
    planned: Fraction
    expires: str | None = None

    @property
    def left(self) -> Fraction:
        """What nobody has spent or planned to spend."""
        return self.cap - self.before - self.this_run - self.planned

    def to_json(self) -> dict[str, Any]:
        """A stable record, amounts in exact decimals."""
        amounts = {
            name: written(getattr(self, name)) for name in ("cap", "before", "this_run", "planned", "left")
        }
        return {"scope": self.scope, "coin": self.coin, **amounts, "expires": self.expires}


def burns(record: Mapping[str, Any], coming: Mapping[str, Any] | None = None) -> tuple[Burn, ...]:
    """Every coin of every budget in a run's ledger; `coming` is a plan for the state that the run left."""
    ledger = record["ledger"]
    if ledger is None:
        return ()
    found = []
    for balance in ledger["balances"]:
        scope = balance["scope"]
        spent_now = _sum(scope, ((one["purpose"], one["spent"]) for one in record["steps"]))
        ahead = _sum(scope, _ahead(record, coming))
        for coin, cap in sorted(balance["caps"].items(), reverse=True):
            spent, now = Fraction(balance["spent"][coin]), spent_now.get(coin, Fraction(0))
            found.append(
                Burn(
                    scope=scope,
                    coin=coin,
                    cap=Fraction(cap),
                    before=spent - now,
                    this_run=now,
                    planned=ahead.get(coin, Fraction(0)),
                    expires=balance.get("expires"),
                )
            )
    return tuple(found)


def _ahead(
    record: Mapping[str, Any], coming: Mapping[str, Any] | None
) -> Iterable[tuple[str | None, dict[str, str]]]:
    """What is planned: steps of the run's own plan that it does not hold, and those of a plan to come."""
    done = {step["name"] for step in record["steps"]}
    for step in record["plan"].get("steps", ()):
        if step["name"] not in done:
            yield step["purpose"], step["cost"]
    for step in (coming or {}).get("steps", ()):
        yield step["purpose"], step["cost"]


def _sum(scope: str, spends: Iterable[tuple[str | None, Mapping[str, str]]]) -> dict[str, Fraction]:
    total: dict[str, Fraction] = {}
    for purpose, cost in spends:
        for coin, amount in cost.items():
            # Nats have an account of their own beside a limit in differential privacy, whatever the purpose.
            if scope in (WHOLE, f"purpose {purpose}") or (scope == NATS and coin == "nats"):
                total[coin] = total.get(coin, Fraction(0)) + Fraction(amount)
    return total
