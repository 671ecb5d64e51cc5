"""A model at an address: calls in order, tries again where that helps, stops at the cap, and sends nothing elsewhere."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from privet.errors import BadSynthesis, BudgetExceeded, EndpointFailed
from privet.protect.synthesize.evolution import OpenAICompatible, RemoteEmbedder
from privet.protect.synthesize.evolution._sample_generator import points_of

Answer = Callable[[str, dict[str, Any], int], tuple[int, Any]]


@contextmanager
def served(answer: Answer) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """A server on this machine, and every path and body that reached it."""
    seen: list[tuple[str, str]] = []
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            with lock:
                seen.append((self.path, body))
                number = len(seen)
            status, said = answer(self.path, json.loads(body), number)
            content = said if isinstance(said, bytes) else json.dumps(said).encode()
            self.send_response(status)
            if status in (301, 302, 307):
                self.send_header("Location", "http://127.0.0.1:9/elsewhere")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", seen
    finally:
        server.shutdown()
        server.server_close()


def echo(path: str, body: dict[str, Any], number: int) -> tuple[int, Any]:
    del path, number
    text = body["messages"][0]["content"]
    return 200, {"choices": [{"message": {"content": f" {text[-20:]} "}}]}


def test_texts_come_back_in_the_order_they_were_asked_in() -> None:
    with served(echo) as (url, seen):
        model = OpenAICompatible(url, "m", at_once=4)
        texts = [f"sample number {at:06}" for at in range(12)]
        assert model.variation(texts, "x", 0.5) == [text[-20:].strip() for text in texts]
        assert {path for path, _ in seen} == {"/v1/chat/completions"}
        assert all(json.loads(body)["model"] == "m" for _, body in seen)


@pytest.mark.parametrize("status", [429, 503])
def test_it_tries_again_where_that_can_help(status: int) -> None:
    def flaky(path: str, body: dict[str, Any], number: int) -> tuple[int, Any]:
        return (status, {}) if number < 3 else echo(path, body, number)

    with served(flaky) as (url, seen):
        assert OpenAICompatible(url, "m", pause=0.01).random(1, "a")
        assert len(seen) == 3


@pytest.mark.parametrize("status", [400, 401, 404, 302])
def test_it_does_not_where_it_cannot_and_follows_nobody_elsewhere(status: int) -> None:
    with served(lambda *_: (status, {})) as (url, seen):
        with pytest.raises(EndpointFailed, match=str(status)):
            OpenAICompatible(url, "m", pause=0.01).random(1, "a")
        assert len(seen) == 1


@pytest.mark.parametrize("answer", [{}, {"choices": []}, {"choices": [{"message": {"content": 3}}]}])
def test_an_answer_without_a_text_is_refused(answer: dict[str, Any]) -> None:
    with served(lambda *_: (200, answer)) as (url, _), pytest.raises(EndpointFailed):
        OpenAICompatible(url, "m").random(1, "a")


def test_no_call_is_made_beyond_the_cap() -> None:
    with served(echo) as (url, seen):
        model = OpenAICompatible(url, "m", most_calls=3, at_once=1)
        with pytest.raises(BudgetExceeded):
            model.random(5, "a")
        assert len(seen) == 3


@pytest.mark.parametrize(
    "url", ["ftp://127.0.0.1/v1", "http://example.org/v1", "https://me:secret@example.org/v1", "nothing"]
)
def test_addresses_that_would_send_in_the_clear_or_hold_a_secret_are_refused(url: str) -> None:
    with pytest.raises(BadSynthesis) as refusal:
        OpenAICompatible(url, "m")
    assert "secret" not in str(refusal.value)


def test_a_key_comes_from_the_environment_and_is_told_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    with served(echo) as (url, _):
        model = OpenAICompatible(url, "m", key="MODEL_KEY")
        with pytest.raises(BadSynthesis, match="environment variable"):
            model.random(1, "a")
        monkeypatch.setenv("MODEL_KEY", "canary-4711")
        assert model.random(1, "a")
        assert "4711" not in json.dumps(model.described())


def test_private_texts_leave_only_for_a_host_that_was_named() -> None:
    with pytest.raises(BadSynthesis, match="another machine"):
        RemoteEmbedder("https://models.example/v1", "e")
    allowed = RemoteEmbedder("https://models.example/v1", "e", private_texts_may_go_to="models.example")
    assert allowed.remote == "models.example"
    with pytest.raises(BadSynthesis):
        RemoteEmbedder("https://models.example/v1", "e", private_texts_may_go_to="other.example")


def test_embeddings_are_put_in_order() -> None:
    def embed(path: str, body: dict[str, Any], number: int) -> tuple[int, Any]:
        del path, number
        rows = [{"index": at, "embedding": [len(text), at]} for at, text in enumerate(body["input"])]
        return 200, {"data": rows[::-1]}

    with served(embed) as (url, _):
        here = RemoteEmbedder(url, "e", batch=2)
        assert here.remote is None
        assert np.asarray(here.embed(["a", "bb", "ccc"])).tolist() == [[1, 0], [2, 1], [3, 0]]


def test_what_is_no_http_is_an_address_that_does_not_answer() -> None:
    import socketserver

    class Garbage(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(65_536)
            self.request.sendall(b"nothing of the kind\r\n\r\n")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Garbage) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(EndpointFailed):
            OpenAICompatible(f"http://127.0.0.1:{server.server_address[1]}/v1", "m", pause=0.001).random(
                1, "a"
            )
        server.shutdown()


def test_half_characters_become_text_that_a_file_can_hold() -> None:
    said = b'{"choices": [{"message": {"content": "a\\ud800b"}}]}'
    with served(lambda *_: (200, said)) as (url, _):
        (text,) = OpenAICompatible(url, "m").random(1, "a")
        assert text.encode() == b"a?b"


@pytest.mark.parametrize(
    "data", [["x"], [{}], [{"embedding": "x"}], [{"embedding": None}], [{"embedding": [[1], [2, 3]]}], [None]]
)
def test_embeddings_that_are_none_are_refused_in_words(data: list[Any]) -> None:
    with (
        served(lambda *_: (200, {"data": data})) as (url, _),
        pytest.raises((EndpointFailed, BadSynthesis)),
    ):
        points_of(RemoteEmbedder(url, "m"), ["a text"])


def test_no_cap_decides_whose_private_text_is_embedded() -> None:
    with pytest.raises(BadSynthesis, match="no cap"):
        RemoteEmbedder("http://127.0.0.1:9/v1", "m", most_calls=20)
    assert RemoteEmbedder("http://127.0.0.1:9/v1", "m").endpoint.most_calls > 10**18
