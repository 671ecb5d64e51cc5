"""The transcript of a run: all that was measured, noisy, with its price. Twins are made from it, as many as one likes.

It is what the ledger keeps for the booking: a run that is asked for again, or was killed after its transcript was
stored, measures nothing and pays nothing.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privet.artifact import Receipt, TwinMeasurement
from privet.errors import UnknownRecord
from privet.ledger import AdaptiveRun
from privet.protect.synthesize._column_domain import ColumnDomain
from privet.protect.synthesize._graphical_model import NoisyMarginal
from privet.protect.synthesize._measurement_run import Measured, MeasurementRun
from privet.protect.synthesize._tabular_evolution import Population

SCHEMA = 1
_ARTIFACT, _LINKED = "synthesis-transcript", "linked-synthesis-transcripts"


@dataclass(frozen=True)
class Transcript:
    """What came out of a run: the domain it was measured in, noisy marginals, and every price."""

    method: str
    columns: tuple[ColumnDomain, ...]
    measured: tuple[Measured, ...]
    prices: tuple[TwinMeasurement, ...]
    receipt: Receipt
    version: str
    notes: tuple[str, ...] = ()
    population: Population | None = None  # of rows that evolved

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of codes of each column."""
        return tuple(column.size for column in self.columns)

    def noisy(self) -> list[NoisyMarginal]:
        """The measurements as the model takes them."""
        return [NoisyMarginal(one.columns, one.counts.astype(np.float64), one.sigma) for one in self.measured]

    def to_bytes(self) -> bytes:
        """A stable record: nothing executable, nothing without noise."""
        record = {
            "schema": SCHEMA,
            "artifact": _ARTIFACT,
            "method": self.method,
            "columns": [column.to_json() for column in self.columns],
            "measured": [
                {
                    "columns": list(one.columns),
                    "sigma": one.sigma,
                    "rho": str(one.rho),
                    "counts": _packed(one.counts),
                }
                for one in self.measured
            ],
            "prices": [
                {
                    "what": one.what,
                    "columns": list(one.columns),
                    "rho": one.rho,
                    "sigma": one.sigma,
                    "cells": one.cells,
                }
                for one in self.prices
            ],
            "receipt": self.receipt.to_json(),
            "version": self.version,
            "notes": list(self.notes),
            "population": None if self.population is None else _population_record(self.population),
        }
        return json.dumps(record, ensure_ascii=False).encode()

    @classmethod
    def from_bytes(cls, stored: bytes) -> Transcript:
        """Read back; refuses what it does not know."""
        return cls.from_json(json.loads(stored))

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Transcript:
        """The transcript that a record describes."""
        if record.get("schema") != SCHEMA or record.get("artifact") != _ARTIFACT:
            raise UnknownRecord(
                "this is not a transcript of a known version.", "Was it written by a newer one?"
            )
        return cls(
            record["method"],
            tuple(ColumnDomain.from_json(one) for one in record["columns"]),
            tuple(
                Measured(tuple(one["columns"]), _unpacked(one["counts"]), one["sigma"], Fraction(one["rho"]))
                for one in record["measured"]
            ),
            tuple(TwinMeasurement(**{**one, "columns": tuple(one["columns"])}) for one in record["prices"]),
            Receipt.from_json(record["receipt"]),
            record["version"],
            tuple(record["notes"]),
            _population(record["population"]),
        )


def joined_transcripts(parts: Sequence[Transcript]) -> bytes:
    """The transcripts of several tables that one booking paid for, as one record."""
    record = {
        "schema": SCHEMA,
        "artifact": _LINKED,
        "tables": [json.loads(one.to_bytes()) for one in parts],
    }
    return json.dumps(record, ensure_ascii=False).encode()


def split_transcripts(stored: bytes) -> tuple[Transcript, ...]:
    """The same, read back."""
    record = json.loads(stored)
    if record.get("schema") != SCHEMA or record.get("artifact") != _LINKED:
        raise UnknownRecord("this is no record of several transcripts of a known version.")
    return tuple(Transcript.from_json(one) for one in record["tables"])


def prices_of(
    run: AdaptiveRun, measured: MeasurementRun | None, names: Sequence[str], bought: Sequence[str]
) -> tuple[TwinMeasurement, ...]:
    """Every draw of a run with its price: facts that were bought, choices, and noisy counts."""
    found = [
        TwinMeasurement("domain", (name,), float(drawn.rho))
        for name, drawn in zip(bought, run.drawn, strict=False)
    ]
    if measured is None:
        return tuple(found)
    found += [
        TwinMeasurement("choice", _named(one.columns, names), float(one.rho), None, one.candidates)
        for one in measured.choices
    ]
    found += [
        TwinMeasurement("counts", _named(one.columns, names), float(one.rho), one.sigma, len(one.counts))
        for one in measured.measured
    ]
    found += [
        TwinMeasurement("parity", _named(one.columns, names), float(one.rho), one.sigma, len(one.counts))
        for one in measured.parities
    ]
    found += [
        TwinMeasurement("votes", (), float(one.rho), one.sigma, len(one.counts)) for one in measured.votes
    ]
    return tuple(found)


def _population_record(population: Population) -> dict[str, Any]:
    return {
        "shape": list(population.codes.shape),
        "codes": _packed(population.codes.reshape(-1)),
        "votes": _packed(population.votes),
    }


def _population(record: dict[str, Any] | None) -> Population | None:
    if record is None:
        return None
    return Population(
        _unpacked(record["codes"]).reshape(record["shape"]), _unpacked(record["votes"]).astype(np.float64)
    )


def _named(columns: Sequence[int], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(names[column] for column in columns)


def _packed(counts: Any) -> str:
    """Whole numbers as text, small: most are little else than noise."""
    return base64.b64encode(zlib.compress(np.asarray(counts, "<i8").tobytes(), 6)).decode()


def _unpacked(text: str) -> Any:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), "<i8").astype(np.int64)
