"""The seed of a training while it goes on: kept on file so that a killed run can be taken up, destroyed once the model stands.

Two models from one seed hide nothing from each other: the noise they share cancels. So a seed is taken up only for the
run that was booked with it, on the same rows; for any other run another seed is drawn.
"""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Receipt, remove, written_whole
from privet.errors import BadTraining
from privet.ledger import Ledger
from privet.mechanism import SecretSeed


def destroy(seed_file: Path) -> None:
    """Overwrite and remove the seed that `train(…, seed_file=…)` kept: it would undo the model's noise."""
    SecretSeed.destroy(seed_file)
    remove(_rows_of(seed_file))


def seed_for(seed_file: Path | None, run: str, ledger: Ledger) -> tuple[SecretSeed, Receipt | None]:
    """The seed of a run, and the entry that it was booked under if it was begun before.

    A seed on file that this run was not booked with is replaced: it may have been used for another.
    """
    if seed_file is None:
        return SecretSeed.fresh(), None
    if seed_file.exists():
        kept = SecretSeed.read(seed_file)
        booked = ledger.paid(kept.question(run))
        if booked is not None:
            return kept, booked
        destroy(seed_file)
    seed = SecretSeed.fresh()
    seed.write(seed_file)
    return seed, None


def require_same_rows(seed_file: Path, seed: SecretSeed, *rows: NDArray[np.generic] | None) -> None:
    """Note which rows a run works on, by a digest that tells nothing without the seed; refuse others later on."""
    content = hashlib.sha256()
    for part in rows:
        if part is not None:
            content.update(str((part.dtype, part.shape)).encode() + np.ascontiguousarray(part).tobytes())
    found, place = seed.keyed(content.digest()), _rows_of(seed_file)
    if not place.exists():
        written_whole(place, lambda part: part.write_text(found, encoding="ascii"))
    elif not hmac.compare_digest(place.read_text(encoding="ascii"), found):
        raise BadTraining(
            "the rows are not those that the killed run worked on: the same noise would tell the difference.",
            "Go on with the rows as they were, or destroy the seed file and start anew, and pay anew.",
        )


def _rows_of(seed_file: Path) -> Path:
    return seed_file.with_name(f"{seed_file.name}.rows")
