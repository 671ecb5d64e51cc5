"""What a model wrote, kept in a file: a run that is killed, or asked for again, does not pay the model twice.

An answer is kept by what was asked of the model and by how often it had been asked the same before, so that two variations
of one text stay two. The file holds synthetic text alone, as prompts do; it is for its owner, and can be thrown away.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from privet.artifact import append_line
from privet.errors import FileProblem
from privet.evidence import LARGEST, record_bytes

_PIECE = 64  # questions asked at a time: what is lost where one of them fails


class AnswerCache:
    """A file of answers, one line for each piece of questions; without a path nothing is kept."""

    def __init__(self, path: str | Path | None) -> None:
        self._path = None if path is None else Path(path)
        self._asked: Counter[str] = Counter()
        self._known: dict[str, str] | None = None

    def answers(
        self, questions: Sequence[Sequence[object]], ask: Callable[[Sequence[int]], Sequence[str]]
    ) -> list[str]:
        """One answer for each question; `ask` gets the places of those that are not in the file."""
        if self._path is None:
            return list(ask(range(len(questions))))
        known = self._read()
        keys = [self._key(one) for one in questions]
        missing = [at for at, key in enumerate(keys) if key not in known]
        for start in range(0, len(missing), _PIECE):
            some = missing[start : start + _PIECE]
            made = {keys[at]: text for at, text in zip(some, ask(some), strict=True)}
            self._keep(made)
            known |= made
        return [known[key] for key in keys]

    def _key(self, question: Sequence[object]) -> str:
        asked = json.dumps(list(question))
        self._asked[asked] += 1
        return hashlib.sha256(json.dumps([asked, self._asked[asked]]).encode()).hexdigest()

    def _keep(self, made: dict[str, str]) -> None:
        assert self._path is not None
        try:
            append_line(self._path, json.dumps(made).encode())
        except OSError:
            raise FileProblem(
                f"{self._path.name} cannot be written.", "Name a file in a folder that you may write to."
            ) from None

    def _read(self) -> dict[str, str]:
        """What the file has; lines that are cut short or hold something else are passed over."""
        assert self._path is not None
        if self._known is None:
            self._known = {}
            for line in self._lines():
                try:
                    found = json.loads(line)
                except (ValueError, RecursionError):
                    continue
                if isinstance(found, dict):
                    self._known |= {key: text for key, text in found.items() if isinstance(text, str)}
        return self._known

    def _lines(self) -> list[bytes]:
        assert self._path is not None
        try:
            return record_bytes(self._path, largest=8 * LARGEST).splitlines()
        except FileNotFoundError:
            return []
        except OSError:
            raise FileProblem(
                f"{self._path.name} cannot be read.", "Name a file, there or not there yet."
            ) from None
