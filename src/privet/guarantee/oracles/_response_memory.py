"""What an oracle with a memory costs over time: one report, all reports about one value, and all values together."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch

from privet.guarantee.oracles._bit_flip import BitFlip
from privet.guarantee.oracles._bloom_response import BloomResponse
from privet.guarantee.oracles._chained_response import (
    THOUSANDTHS,
    ChainedHashing,
    ChainedResponse,
    ChainedUnary,
)
from privet.guarantee.oracles._oracle import Oracle


@dataclass(frozen=True)
class ResponseMemory:
    """Epsilon over time, for a device that keeps its answers.

    `report` is what one report tells somebody who sees no other one, `value` what all reports about one value tell together,
    for ever, and also what a changed value adds. There are at most `answers` different kept answers of one device.
    """

    report: float
    value: Fraction
    answers: int | None

    def total(self, values: int) -> Fraction:
        """The epsilon of somebody who had so many different values."""
        return self.value * (values if self.answers is None else min(values, self.answers))


@singledispatch
def memory_of(oracle: Oracle) -> ResponseMemory | None:  # noqa: ARG001
    """What an oracle costs over time; None where it has no memory of its own."""
    return None


@memory_of.register(ChainedResponse)
@memory_of.register(ChainedUnary)
def _chained(oracle: ChainedResponse | ChainedUnary) -> ResponseMemory:
    return ResponseMemory(oracle.once / THOUSANDTHS, oracle.epsilon, oracle.size)


@memory_of.register
def _hashing(oracle: ChainedHashing) -> ResponseMemory:
    return ResponseMemory(oracle.once / THOUSANDTHS, oracle.epsilon, min(oracle.range, oracle.size))


@memory_of.register
def _bloom(oracle: BloomResponse) -> ResponseMemory:
    return ResponseMemory(oracle.report_epsilon(), oracle.epsilon, oracle.size)


@memory_of.register
def _bit_flip(oracle: BitFlip) -> ResponseMemory:
    return ResponseMemory(float(oracle.epsilon), oracle.epsilon, min(oracle.chosen + 1, oracle.size))
