"""What was measured of a twin on real rows: a record for the owner alone."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from privet.artifact import OwnerOnly, written_whole
from privet.errors import checked
from privet.protect.synthesize.fidelity._embedding_overlap import EmbeddingOverlap
from privet.protect.synthesize.fidelity._text_comparison import TextComparison
from privet.protect.synthesize.fidelity._total_variation import MarginalDistance
from privet.protect.synthesize.fidelity._train_on_twin import Usefulness

SCHEMA = 1
KIND = "twin-fidelity"
OWNER = (
    "For the owner alone: every figure here was computed on real people's rows, exactly, and nothing of it was charged to a "
    "ledger. No promise covers it. Do not publish it, and count a choice made by it as a look at those rows."
)


@dataclass(frozen=True)
class ColumnShares:
    """One column: what share of the rows has each value or lies in each bin, of the twin and of the real rows."""

    name: str
    labels: tuple[str, ...]
    twin: tuple[float, ...]
    real: tuple[float, ...]
    distance: float


@dataclass(frozen=True)
class TwinFidelity:
    """How near a twin is to real rows, and of what use. For the owner alone."""

    method: str
    sentence: str  # the twin's promise
    rows: tuple[int, int]  # of the twin, and of the rows kept apart
    measured_on: str  # which real rows these are, in words
    duplicates: tuple[
        float, float
    ]  # the share of rows that repeat an earlier one: of the twin, of the real rows
    copies: float  # the share of the twin's rows that are also among the rows kept apart, which it cannot have copied
    marginals: tuple[MarginalDistance, ...] = ()
    columns: tuple[ColumnShares, ...] = ()
    target: str | None = None
    usefulness: tuple[Usefulness, ...] = ()
    embedding: EmbeddingOverlap | None = None
    texts: TextComparison | None = None
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """A stable record with its schema version. Not for release."""
        return {"schema": SCHEMA, "artifact": KIND, "audience": "owner", **_finite(asdict(self))}

    @checked
    def save(self, path: str | Path) -> Path:
        """Write it as JSON, readable by its owner alone."""
        text = json.dumps(self.to_json(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
        return written_whole(Path(path), OwnerOnly(text))

    def __str__(self) -> str:
        lines = [f"{self.rows[0]:,} synthetic rows by {self.method}, beside {self.measured_on}"]
        lines += [
            f"{one.ways}-way total variation {one.mean:.4f} (by chance {one.by_chance:.4f}); worst {one.worst:.4f}: "
            f"{', '.join(one.worst_columns)}"
            for one in self.marginals
        ]
        lines += [
            f"{one.model}, {one.measure} of {self.target}: trained on the twin {one.on_twin:.4f}, on real rows "
            f"{one.on_real:.4f}, always the same answer {one.guess:.4f}"
            for one in self.usefulness
        ]
        if self.embedding is not None:
            one = self.embedding
            lines.append(
                f"precision {one.precision:.4f}, recall {one.recall:.4f}, Fréchet distance in embedding {one.embedding} "
                f"{one.frechet:.4g} (by chance {one.by_chance:.4g})"
            )
        if self.texts is not None:
            words, vocabulary = self.texts.words, self.texts.vocabulary
            lines.append(
                f"words in a text {words[0]:.1f} (real {words[1]:.1f}), distinct words {vocabulary[0]:,} (real {vocabulary[1]:,})"
            )
        lines.append(f"duplicates {self.duplicates[0]:.2%} (real {self.duplicates[1]:.2%})")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes), OWNER])


def _finite(record: Any) -> Any:
    """Figures that could not be computed as null, which JSON has a word for."""
    if isinstance(record, dict):
        return {name: _finite(value) for name, value in record.items()}
    if isinstance(record, list | tuple):
        return [_finite(value) for value in record]
    return None if isinstance(record, float) and not math.isfinite(record) else record
