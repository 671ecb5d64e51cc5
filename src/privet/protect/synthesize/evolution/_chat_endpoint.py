"""Models behind an OpenAI-compatible address: chat completions to generate, embeddings to embed.

Only synthetic text is ever sent to a generator. Private text goes to an embedder, and one at another address is a
disclosure: `RemoteEmbedder` has to be allowed by the name of its host, and the record says so.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadSynthesis, BudgetExceeded, EndpointFailed, checked_class
from privet.protect.synthesize.evolution._prompted_writer import PromptedWriter, tokens_for
from privet.protect.synthesize.evolution._prompts import Prompts
from privet.protect.synthesize.evolution._sample_generator import allowed_host

_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_TRIES, _PAUSE, _LONGEST = 6, 0.5, 30.0
_LARGEST = 8 * 2**20  # bytes of an answer
_NO_CAP = 2**62


class ChatEndpoint:
    """One address, asked with as many calls at a time as allowed; tries again where that can help, and never past the cap.

    Args:
        url: up to and including the version: `https://host/v1`. Plain http is for this machine alone.
        key: the name of the environment variable that holds the key; None for none. Keys are never given by value.
        at_once: calls under way at a time.
        most_calls: the cap: no call beyond it is made.
        timeout: seconds for one call.
        pause: seconds before the second try; doubled for each further one.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        at_once: int = 4,
        most_calls: int = 20_000,
        timeout: float = 60.0,
        pause: float = _PAUSE,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
            raise BadSynthesis(
                "this is not the address of a model.",
                "Write it like https://host/v1, without key or password.",
            )
        if parts.scheme == "http" and not _here(parts.hostname):
            raise BadSynthesis(
                "an address without encryption may only be on this machine.", "Use https://, or 127.0.0.1."
            )
        if at_once < 1 or most_calls < 1 or timeout <= 0:
            raise BadSynthesis("calls, caps and time-outs are positive.", "See pv.OpenAICompatible.")
        self.url, self.host, self.here = url.rstrip("/"), parts.netloc, _here(parts.hostname)
        self._key, self._at_once, self._timeout, self._pause = key, at_once, timeout, pause
        self.most_calls, self.calls = most_calls, 0
        self._lock = threading.Lock()

    def all(self, path: str, bodies: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The answers to all calls, in their order."""
        with ThreadPoolExecutor(self._at_once) as pool:
            return list(pool.map(lambda body: self.one(path, body), bodies))

    def one(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The answer to one call."""
        with self._lock:
            if self.calls >= self.most_calls:
                raise BudgetExceeded(
                    f"the cap of {self.most_calls:,} calls to the model is used up.",
                    "Raise most_calls; rounds that were drawn are kept, and nothing is paid for twice.",
                )
            self.calls += 1
        for attempt in range(_TRIES):
            status, answer = self._call(path, body)
            if answer is not None:
                return answer
            if status not in _AGAIN and status is not None:
                break
            time.sleep(min(self._pause * 2**attempt, _LONGEST))
        raise EndpointFailed(
            f"the model's address did not answer (status {status if status is not None else 'none'}).",
            "Check the address, the model's name and the key's environment variable; then run again: nothing is paid twice.",
        )

    def _call(self, path: str, body: dict[str, Any]) -> tuple[int | None, dict[str, Any] | None]:
        headers = {"Content-Type": "application/json"}
        if self._key is not None:
            secret = os.environ.get(self._key)
            if not secret:
                raise BadSynthesis(
                    "the environment variable of the model's key is not set.",
                    f"Set {self._key}, or leave key out.",
                )
            headers["Authorization"] = f"Bearer {secret}"
        request = urllib.request.Request(  # noqa: S310  http and https alone, checked above
            f"{self.url}/{path}", json.dumps(body).encode(), headers, method="POST"
        )
        try:
            # No redirect is followed and no proxy asked: what is sent goes to the address that was named.
            with _OPENER.open(request, timeout=self._timeout) as answer:
                read = answer.read(_LARGEST + 1)
        except urllib.error.HTTPError as problem:
            return problem.code, None
        except (OSError, ValueError, http.client.HTTPException):
            return None, None
        try:
            found = json.loads(read) if len(read) <= _LARGEST else None
        except (ValueError, RecursionError):
            found = None
        return (200, found) if isinstance(found, dict) else (502, None)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect)


@checked_class
class OpenAICompatible(PromptedWriter):
    """A language model at an address that speaks OpenAI's protocol, as a generator of texts.

    Args:
        url: as of `ChatEndpoint`, which also takes `options`: key, at_once, most_calls, timeout.
        model: its name there.
        prompts: what it is asked.
        temperature: how freely it writes at degree 1; less at 0.
        cache: a file that keeps what the model wrote, so that a run that was stopped does not pay for it twice.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        prompts: Prompts | None = None,
        temperature: float = 1.0,
        cache: str | Path | None = None,
        **options: Any,
    ) -> None:
        self.endpoint = ChatEndpoint(url, **options)
        super().__init__(prompts, temperature, cache)
        self.model = model

    def described(self) -> dict[str, str]:
        """Where, which model, how freely it writes, and which prompts."""
        return {
            "kind": "chat completions",
            "host": self.endpoint.host,
            "model": self.model,
            "temperature": f"{self.temperature:g}",
            **self.prompts.described(),
        }

    def outlook(self, new: int, varied: int) -> str:
        """What so many samples cost, before one is asked for."""
        return (
            f"That is {new + varied:,} calls to {self.endpoint.host}, with about {self.tokens_of(new, varied):,} tokens in "
            f"prompts and answers together; no more than {self.endpoint.most_calls:,} calls are made."
        )

    def refuse_beyond_cap(self, samples: int) -> None:
        """Refuse a run that would stop at the cap, while nothing of it is booked."""
        left = self.endpoint.most_calls - self.endpoint.calls
        if samples > left:
            raise BadSynthesis(
                f"the run takes {samples:,} calls to the model, and its cap leaves {left:,}.",
                "Raise most_calls, or take fewer rounds, variations or samples.",
            )

    def _written(self, asked: Sequence[tuple[str, int]], degree: float) -> list[str]:
        bodies = [
            {
                "model": self.model,
                "messages": [{"role": "user", "content": prompt}],
                "max_tokens": tokens_for(words),
                "temperature": self._warmth(degree),
            }
            for prompt, words in asked
        ]
        return [_content(answer) for answer in self.endpoint.all("chat/completions", bodies)]


@checked_class
class RemoteEmbedder:
    """An embedder at an address. Private texts are sent there: the host has to be named as allowed.

    Args:
        url: as of `ChatEndpoint`.
        model: its name there.
        private_texts_may_go_to: the host, written out, by whoever is responsible for the texts.
        batch: texts in one call.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        private_texts_may_go_to: str | None = None,
        batch: int = 64,
        **options: Any,
    ) -> None:
        if "most_calls" in options:
            raise BadSynthesis(
                "calls to an embedder have no cap: whose text came too late would depend on who else is there.",
                "Leave most_calls out.",
            )
        self.endpoint = ChatEndpoint(url, most_calls=_NO_CAP, **options)
        self.model, self.batch = model, batch
        self.private_texts_may_go_to = private_texts_may_go_to
        allowed_host(self)

    alone: bool = False

    @property
    def remote(self) -> str | None:
        """The host, where it is not this machine."""
        return None if self.endpoint.here else self.endpoint.host

    def embed(self, samples: Sequence[Any]) -> NDArray[np.float32]:
        """One row for each text."""
        texts = [str(text) or " " for text in samples]
        parts = [texts[at : at + self.batch] for at in range(0, len(texts), self.batch)]
        bodies = [{"model": self.model, "input": part} for part in parts]
        rows: list[Any] = []
        for part, answer in zip(parts, self.endpoint.all("embeddings", bodies), strict=True):
            found = answer.get("data")
            if not isinstance(found, list) or len(found) != len(part):
                raise EndpointFailed("the address did not embed every text.", "Check that the model embeds.")
            rows += _in_order(found)
        try:
            return np.asarray(rows, dtype=np.float32)
        except (TypeError, ValueError):
            raise EndpointFailed(
                "the address did not give one list of numbers for each text.", "Check that the model embeds."
            ) from None

    def described(self) -> dict[str, str]:
        """Where, which model, and that private texts went there."""
        return {
            "kind": "embeddings",
            "host": self.endpoint.host,
            "model": self.model,
            "sees": "private texts",
        }


def _in_order(found: list[Any]) -> list[Any]:
    """The embeddings of an answer, in the order of the texts."""
    try:
        return [one["embedding"] for one in sorted(found, key=lambda one: one.get("index", 0))]
    except (AttributeError, KeyError, TypeError):
        raise EndpointFailed(
            "the address did not embed every text.", "Check that the model embeds."
        ) from None


def _content(answer: dict[str, Any]) -> str:
    try:
        text = answer["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        text = None
    if not isinstance(text, str):
        raise EndpointFailed("the model's answer holds no text.", "Check that the address completes chats.")
    # Half of a character that JSON can spell and no file can hold.
    return text.encode("utf-8", "replace").decode().strip()


def _here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
