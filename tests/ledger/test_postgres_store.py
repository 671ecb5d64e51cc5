"""Addresses of PostgreSQL ledgers: names, and passwords that are never printed."""

import importlib
import traceback

import pytest

from privet.errors import LedgerUnavailable, MissingExtra, PrivetError
from privet.guarantee._promise_registry import PureDP
from privet.ledger import Ledger
from privet.ledger._postgres_store import PostgresStore, _split

pytest.importorskip("psycopg")

SECRET = "hunter2"


@pytest.mark.parametrize(
    ("address", "server", "name"),
    [
        ("postgresql://u@h/db", "postgresql://u@h/db", "main"),
        ("postgresql://u@h/db#clinic", "postgresql://u@h/db", "clinic"),
        ("postgresql://u@h/db?ledger=clinic", "postgresql://u@h/db", "clinic"),
        ("postgresql://u@h/db?sslmode=require&ledger=a_1", "postgresql://u@h/db?sslmode=require", "a_1"),
        ("postgresql:///db?host=/tmp/x y#a", "postgresql:///db?host=%2Ftmp%2Fx%20y", "a"),
        ("postgres://h", "postgres://h", "main"),
    ],
)
def test_the_address_names_server_and_ledger(address, server, name):
    assert _split(address) == (server, name)


@pytest.mark.parametrize("name", ["Clinic", "1a", "a-b", "a;drop table x", "a" * 41, 'a"b'])
def test_odd_names_are_refused(name):
    with pytest.raises(LedgerUnavailable):
        Ledger(f"postgresql://h/db#{name}", limit=PureDP(1))


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://ann:{SECRET}@127.0.0.1:1/db",
        f"postgresql://ann:{SECRET}@127.0.0.1:1/db?password={SECRET}",
        f"postgresql://ann:{SECRET}@127.0.0.1:1/db?nonsense={SECRET}",
        f"postgresql://ann:{SECRET}@[broken/db",
        f"postgresql://ann:{SECRET}@127.0.0.1:port/db",
        f"postgresql://ann:x#{SECRET}@127.0.0.1:1/db",
    ],
)
def test_no_error_and_no_traceback_shows_the_password(address):
    with pytest.raises(PrivetError) as refusal:
        Ledger(address, limit=PureDP(1), patience=2)
    shown = "".join(traceback.format_exception(refusal.value, chain=True))
    shown = "\n".join(line for line in shown.splitlines() if not line.startswith("  "))
    assert SECRET not in shown
    assert SECRET not in str(refusal.value.to_json())
    assert refusal.value.hint


def test_the_place_shows_no_user_and_no_password():
    store = PostgresStore(f"postgresql://ann:{SECRET}@db.example/health?password={SECRET}#clinic", timeout=1)
    assert store.place == "postgresql://db.example/health#clinic"


def test_without_the_driver_the_extra_is_named(monkeypatch):
    real = importlib.import_module

    def missing(name, package=None):
        if name == "psycopg":
            raise ImportError(name)
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(MissingExtra, match="psycopg") as refusal:
        Ledger("postgresql://h/db", limit=PureDP(1))
    assert "pip install 'privet[postgres]'" in refusal.value.hint
