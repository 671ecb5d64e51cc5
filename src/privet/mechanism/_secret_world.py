"""The secret world: which of the fixed worlds a function's output is released from, and what its releases have told of it.

It is drawn here, uniformly, and never leaves but into a file for its owner alone. Beside it stands what an attacker who knows
all worlds could know by now: the logarithm of the posterior weight of each world. It starts level; a release that is made
of this secret updates it (`privet.mechanism._pac_gaussian`), so that the next one can be calibrated to what is left to learn.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadAmount, SealBroken, UnknownRecord
from privet.mechanism._key_material import fresh_bytes, fresh_choice

SCHEMA = 1


class SecretWorld:
    """One of `worlds` worlds, drawn uniformly, with the posterior that its releases have made of the uniform prior."""

    __slots__ = ("_index", "_log_weights", "_seed")

    most: ClassVar[int] = 1024  # worlds

    _index: int
    _log_weights: NDArray[np.float64]
    _seed: str

    def __init__(self, *_: object) -> None:
        raise SealBroken(
            "a secret world is drawn, not given: a known one hides nothing.", "Use SecretWorld.fresh(128)."
        )

    @classmethod
    def fresh(cls, worlds: int) -> Self:
        """A world drawn uniformly by the operating system's generator, and a seed for who is in which world."""
        if not 2 <= worlds <= cls.most or worlds % 2:
            raise BadAmount(
                f"worlds come in pairs: an even number from 2 to {cls.most:,}.", "Write worlds=128."
            )
        return cls._of(fresh_choice(worlds), np.zeros(worlds), fresh_bytes(16).hex())

    @classmethod
    def _of(cls, index: int, log_weights: NDArray[np.float64], seed: str) -> Self:
        secret = object.__new__(cls)
        secret._index, secret._log_weights, secret._seed = index, log_weights, seed
        return secret

    @property
    def worlds(self) -> int:
        """How many worlds there are."""
        return len(self._log_weights)

    @property
    def seed(self) -> str:
        """What decides who is in which world. As private as the rows: it is not the secret, and nobody needs it."""
        return self._seed

    def weights(self) -> NDArray[np.float64]:
        """The posterior of each world, given all releases so far."""
        level = np.exp(self._log_weights - self._log_weights.max())
        return np.asarray(level / level.sum())

    def updated(self, log_likelihoods: NDArray[np.float64]) -> Self:
        """The same secret after a release with this log-likelihood under each world."""
        log_weights = self._log_weights + log_likelihoods
        return self._of(self._index, log_weights - log_weights.max(), self._seed)

    def content(self) -> bytes:
        """All of it, for a file that its owner alone can read."""
        record = {
            "schema": SCHEMA,
            "worlds": self.worlds,
            "index": self._index,
            "seed": self._seed,
            "log_weights": [float(weight).hex() for weight in self._log_weights],
        }
        return json.dumps(record).encode()

    @classmethod
    def read(cls, record: Any) -> Self:
        """A secret that `content` wrote."""
        try:
            weights = np.array([float.fromhex(weight) for weight in record["log_weights"]])
            index, seed = int(record["index"]), str(record["seed"])
            good = (
                record["schema"] == SCHEMA and len(weights) == record["worlds"] and 0 <= index < len(weights)
            )
        except (KeyError, TypeError, ValueError):
            good = False
        if not good or len(weights) % 2 or np.isnan(weights).any() or weights.max() != 0:
            raise UnknownRecord(
                "this is not the secret of a session.", "Without it a session cannot go on: begin another."
            )
        return cls._of(index, weights, seed)

    def __repr__(self) -> str:
        return "<secret world>"

    def __reduce_ex__(self, *_: object) -> NoReturn:
        raise SealBroken("a secret world is not copied or pickled.", "Draw another.")

    __copy__ = __deepcopy__ = __reduce__ = __reduce_ex__
