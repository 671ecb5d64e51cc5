"""The secret seed of one training run: drawn once, committed to in the ledger, kept beside the checkpoint, destroyed.

Whoever has the seed can subtract the noise, so it is as confidential as the data while it exists and useless once
the run is over. It prints as nothing, is neither copied nor pickled, and its file is readable by its owner alone.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from pathlib import Path
from typing import NoReturn, Self

from privet.artifact import new_file, opened, shred
from privet.errors import FileProblem, SealBroken
from privet.mechanism._key_material import fresh_bytes
from privet.mechanism._word_stream import StreamFamily, WordStream

SIZE = 32
# How batches and noise follow from a seed: another way has another name, or a run that was begun with the one would go on
# with the other, and the same seed would give two answers.
_SCHEME = b"commitment, batches and noise by AES "


class SecretSeed:
    """256 secret bits. `fresh()` draws them; `read(path)` takes up those of an interrupted run."""

    __slots__ = ("_bytes", "_families")

    _bytes: bytes
    _families: dict[tuple[int, ...], StreamFamily]

    def __init__(self, *_: object) -> None:
        raise SealBroken("a seed is drawn, not given: a known seed hides nothing.", "Use SecretSeed.fresh().")

    @classmethod
    def fresh(cls) -> Self:
        """A seed from the operating system."""
        return cls._of(fresh_bytes(SIZE))

    @classmethod
    def read(cls, path: Path) -> Self:
        """The seed of an interrupted run."""
        try:
            with opened(path, os.O_RDONLY) as handle:
                content = os.read(handle, SIZE + 1)
        except OSError as problem:
            raise FileProblem(
                f"the seed {path.name} cannot be read ({problem.strerror}).",
                "Without its seed a run cannot go on: start again and pay again.",
            ) from None
        if len(content) != SIZE:
            raise FileProblem(f"{path.name} is not a seed.", "Start again and pay again.")
        return cls._of(content)

    @classmethod
    def _of(cls, content: bytes) -> Self:
        seed = object.__new__(cls)
        seed._bytes, seed._families = content, {}
        return seed

    def write(self, path: Path) -> None:
        """Put it into a new file that only its owner can read."""
        try:
            new_file(path, self._bytes)
        except FileProblem as problem:
            raise FileProblem(
                f"the seed {problem.fact}",
                "Give a folder of its own that is writable and holds no other run.",
            ) from None

    @staticmethod
    def destroy(path: Path) -> None:
        """Overwrite the file and remove it; a journaling or flash disk may keep an old copy of the block."""
        shred(path)

    def question(self, run: str) -> str:
        """What a ledger is asked to book: it commits to this seed and to the run, and tells nothing of either."""
        return f"seed commitment {self.keyed(_SCHEME + run.encode())} of run {run}"

    def keyed(self, content: bytes) -> str:
        """A digest of the content that nobody without the seed can compare with a guess."""
        return hmac.new(self._bytes, content, hashlib.sha256).hexdigest()

    def key(self, *parts: int) -> int:
        """A 128-bit key of its own for each tuple of numbers; none tells anything about another."""
        label = f"key {' '.join(map(str, parts))}".encode()
        return int.from_bytes(hmac.digest(self._bytes, label, "sha256")[:16], "big")

    def stream(self, number: int, *purpose: int) -> WordStream:
        """Random words of its own for each number and purpose; no other stream and no key tells anything about them."""
        family = self._families.get(purpose)
        if family is None:
            label = f"streams {' '.join(map(str, purpose))}".encode()
            family = self._families[purpose] = StreamFamily(self._bytes, label)
        return family.stream(number)

    def __repr__(self) -> str:
        return "<secret seed>"

    def __reduce_ex__(self, *_: object) -> NoReturn:
        raise SealBroken("a seed is not copied or pickled.", "Use write(path), or draw another.")

    __copy__ = __deepcopy__ = __reduce__ = __reduce_ex__
