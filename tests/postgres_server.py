"""A PostgreSQL server for tests, as its Python package brings one."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def postgres_server() -> Iterator[Any]:
    """A server of its own until the end; the test is skipped where there is none.

    Its folder is not one of pytest's: under root the server runs as another user, and every run of pytest that begins,
    also one that a test starts, closes pytest's folder to others, upon which a server in it dies.
    """
    pgserver = pytest.importorskip("pgserver", reason="no PostgreSQL server to test with")
    pytest.importorskip("psycopg", reason="the extra privet[postgres] is not installed")
    with tempfile.TemporaryDirectory(prefix="privet-postgres-", ignore_cleanup_errors=True) as folder:
        running = pgserver.get_server(folder)
        yield running
        running.cleanup()
