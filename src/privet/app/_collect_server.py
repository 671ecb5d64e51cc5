"""The collector: an HTTP door for batches of reports. It knows nobody: no address, no log of requests, no cookie.

GET  /specification   the public specification, for everybody
POST /reports         a batch, with the deployment key; answered when it is on disk
GET  /counts          what came so far, by what became of it, with the deployment key
"""

from __future__ import annotations

import contextlib
import hmac
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from privet.engine import ReportStore
from privet.errors import BadUsage, MissingExtra, PrivetError
from privet.protect.collect import MOST_IN_BATCH, Collection, intake

if TYPE_CHECKING:
    from fastapi import FastAPI
    from uvicorn import Server

LARGEST_BATCH = 8 << 20
# Seconds in which a request comes whole, and how many connections there are at once.
PATIENCE, CONNECTIONS = 30.0, 64


@dataclass
class Allowance:
    """So many batches a second over time, and a burst of ten times as many; it counts batches of all senders together."""

    rate: float
    clock: Any = time.monotonic
    _left: float = field(init=False)
    _at: float = field(init=False)

    def __post_init__(self) -> None:
        self._left, self._at = 10 * self.rate, self.clock()

    def taken(self) -> bool:
        """Whether one more batch may come now."""
        now = self.clock()
        self._left = min(10 * self.rate, self._left + (now - self._at) * self.rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


@dataclass(frozen=True)
class Desk:
    """What stands behind the doors: the specification, the store, the key, and the limits."""

    collection: Collection
    store: ReportStore
    key: str
    allowance: Allowance
    largest: int

    def known(self, given: str) -> bool:
        """Whether a sender shows the key; compared in constant time."""
        return hmac.compare_digest(given.encode(), f"Bearer {self.key}".encode())

    def taken(self, body: bytes) -> dict[str, Any]:
        """Check a batch and store it; when this returns, it is on disk."""
        found = intake(body, self.collection)
        stored = self.store.put(found.reports, found.refused)
        return {**stored, "refused": {what: many for what, many in found.refused.items() if many}}

    async def batch(self, request: Any) -> tuple[int, dict[str, Any]]:
        """A status and an answer for a batch."""
        from fastapi.concurrency import run_in_threadpool
        from starlette.requests import ClientDisconnect

        if not self.known(request.headers.get("authorization", "")):
            return 401, {"refused": "key"}
        if not self.allowance.taken():
            return 429, {"refused": "rate"}
        body = bytearray()
        try:
            async for part in request.stream():
                body += part
                if len(body) > self.largest:
                    return 413, {"refused": "size"}
        except ClientDisconnect:  # the sender is gone, or was too slow: nothing of the batch is taken
            return 400, {"refused": "broken off"}
        if body.count(b"\n") > MOST_IN_BATCH:
            return 413, {"refused": "reports"}
        try:
            return 200, await run_in_threadpool(self.taken, bytes(body))
        except PrivetError as problem:
            return 503, {"refused": problem.code}

    async def counted(self, request: Any) -> tuple[int, dict[str, Any]]:
        """A status, and what came so far."""
        from fastapi.concurrency import run_in_threadpool

        if not self.known(request.headers.get("authorization", "")):
            return 401, {"refused": "key"}
        return 200, await run_in_threadpool(self.store.counts)


def collector(
    collection: Collection, store: ReportStore, key: str, *, rate: float, largest: int = LARGEST_BATCH
) -> FastAPI:
    """The application: checks, stores, and answers with counts."""
    try:
        from fastapi import FastAPI, Request
        from fastapi.responses import JSONResponse
    except ImportError:
        raise MissingExtra("the collector needs FastAPI.", "pip install 'privet[collect]'") from None

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    behind, public = Desk(collection, store, key, Allowance(rate), largest), collection.to_json()
    store.begin(collection.fingerprint)

    async def specification() -> JSONResponse:
        return JSONResponse(public)

    async def reports(request: Request) -> JSONResponse:
        status, said = await behind.batch(request)
        return JSONResponse(said, status, {"Retry-After": "1"} if status == 429 else None)

    async def counts(request: Request) -> JSONResponse:
        status, said = await behind.counted(request)
        return JSONResponse(said, status)

    # The parameter's type is only known here, and annotations are texts in this module.
    for door in (reports, counts):
        door.__annotations__["request"] = Request
    app.add_api_route("/specification", specification, methods=["GET"], response_model=None)
    app.add_api_route("/reports", reports, methods=["POST"], response_model=None)
    app.add_api_route("/counts", counts, methods=["GET"], response_model=None)
    return app


def server(app: FastAPI, port: int, patience: float = PATIENCE) -> Server:
    """A server of this machine. Who does not send a whole request within `patience` seconds is hung up on."""
    import uvicorn

    config = uvicorn.Config(
        app,
        host="127.0.0.1",
        port=port,
        http=_hurried(patience),
        access_log=False,
        log_level="error",
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=10,
        limit_concurrency=CONNECTIONS,
        h11_max_incomplete_event_size=16_384,
    )
    return uvicorn.Server(config)


def _hurried(patience: float) -> type:
    """The protocol with a clock: else a few senders who dribble would hold all connections (slow loris)."""
    import asyncio

    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class HurriedProtocol(H11Protocol):
        """A request comes whole in time, from its first byte or from the connection on."""

        clock: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            """The clock starts with the connection: saying nothing is slow as well."""
            super().connection_made(transport)
            self.clock = self.loop.call_later(patience, transport.abort)

        def data_received(self, data: bytes) -> None:
            """It stops with the last byte of a request, and starts with the first of the next."""
            super().data_received(data)
            awaited = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
            if not awaited:
                self._stop()
            elif self.clock is None:
                self.clock = self.loop.call_later(patience, self.transport.abort)

        def connection_lost(self, exc: Exception | None) -> None:
            """Nothing is left to wait for."""
            self._stop()
            super().connection_lost(exc)

        def _stop(self) -> None:
            if self.clock is not None:
                self.clock.cancel()
                self.clock = None

    return HurriedProtocol


def serve_forever(app: FastAPI, port: int, listening: Callable[[], None]) -> None:
    """Serve on this machine until told to stop; batches that are being stored are finished first.

    `listening` is called once the port is held; one that another program holds is refused.
    """
    door = socket.socket()
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind(("127.0.0.1", port))
    except OSError:
        door.close()
        raise BadUsage(f"port {port} of this machine is taken.", "Choose another with --port.") from None
    door.listen()
    listening()
    with contextlib.suppress(KeyboardInterrupt):  # raised again once all is finished
        server(app, port).run(sockets=[door])
