"""A wire between a client and a PostgreSQL server that counts round trips: how often the client spoke and then waited."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from functools import partial
from urllib.parse import parse_qs, urlsplit


class Wire:
    """Passes bytes both ways for one connection after another, and counts the client's turns.

    With a delay, each answer takes so many seconds longer, as if the server were far away.
    """

    def __init__(self, server: str, delay: float = 0.0) -> None:
        self._server, self._delay = server, delay
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.round_trips = 0
        self._client_spoke_last = False
        self._lock = threading.Lock()
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def address(self) -> str:
        """The server's address by way of this wire."""
        parts = urlsplit(self._server)
        user = parts.username or "postgres"
        return f"postgresql://{user}@127.0.0.1:{self._listening.getsockname()[1]}{parts.path}?sslmode=disable&gssencmode=disable"

    def close(self) -> None:
        """Take no more connections."""
        self._listening.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = self._reach()
                for source, sink, spoke in ((client, server, True), (server, client, False)):
                    passing = partial(self._pass, source, sink, client_speaks=spoke)
                    threading.Thread(target=passing, daemon=True).start()

    def _reach(self) -> socket.socket:
        parts = urlsplit(self._server)
        folder = parse_qs(parts.query).get("host", [""])[0]
        if folder.startswith("/"):
            reached = socket.socket(socket.AF_UNIX)
            reached.connect(f"{folder}/.s.PGSQL.{parts.port or 5432}")
            return reached
        return socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 5432))

    def _pass(self, source: socket.socket, sink: socket.socket, *, client_speaks: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                with self._lock:
                    answers = not client_speaks and self._client_spoke_last
                    self.round_trips += answers
                    self._client_spoke_last = client_speaks
                if answers and self._delay:
                    time.sleep(self._delay)
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def wire(server: str, delay: float = 0.0) -> Iterator[Wire]:
    """A wire to this server."""
    found = Wire(server, delay)
    try:
        yield found
    finally:
        found.close()
