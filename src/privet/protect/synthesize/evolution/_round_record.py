"""One round as it is stored: the synthetic candidates, and the noisy votes for them. Nothing without noise is in it."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadSynthesis, UnknownRecord
from privet.protect.synthesize.evolution._sample_generator import Sample, SampleGenerator

SCHEMA = 1
Population = list[list[Sample]]  # by class


@dataclass(frozen=True)
class Round:
    """The candidates of each class, and their noisy votes in steps of fixed point."""

    candidates: Population
    votes: NDArray[np.int64]

    def by_class(self) -> list[NDArray[np.int64]]:
        """The votes of each class."""
        ends = np.cumsum([len(part) for part in self.candidates])[:-1]
        return np.split(self.votes, ends)


def packed_round(one: Round, generator: SampleGenerator) -> bytes:
    """A round as bytes: nothing executable."""
    try:
        record = {
            "schema": SCHEMA,
            "candidates": [[generator.packed(sample) for sample in part] for part in one.candidates],
            "votes": packed_counts(one.votes),
        }
        return zlib.compress(json.dumps(record, ensure_ascii=False).encode(), 6)
    except (TypeError, ValueError):
        raise BadSynthesis(
            "a sample that the generator made cannot be stored.",
            "Let `packed` give what JSON can hold, and `unpacked` the sample again: CallableGenerator(…, pack=, unpack=).",
        ) from None


def unpacked_round(stored: bytes, generator: SampleGenerator) -> Round:
    """The round again; refuses what it does not know."""
    record = json.loads(zlib.decompress(stored))
    if record.get("schema") != SCHEMA:
        raise UnknownRecord("this is not a round of a known version.", "Was it written by a newer one?")
    candidates = [[generator.unpacked(sample) for sample in part] for part in record["candidates"]]
    return Round(candidates, unpacked_counts(record["votes"]))


def packed_counts(counts: NDArray[np.int64] | Sequence[int]) -> str:
    """Whole numbers as text."""
    return base64.b64encode(np.asarray(counts, "<i8").tobytes()).decode()


def unpacked_counts(text: Any) -> NDArray[np.int64]:
    """The numbers again."""
    return np.frombuffer(base64.b64decode(text), "<i8").astype(np.int64)
