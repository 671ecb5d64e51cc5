"""What a training keeps on file while it goes on, so that a killed run can be taken up; destroyed once the model stands.

There are two things. The *seed* is that of learners whose noise all comes from it: the run gives the model that it would have
given, under the entry that commits to the seed. The *name* of the run is for what is drawn anew after a kill: bounds that are
estimated, and the noise of other learners. They are booked once for a question that holds the name, and what is stored for it
is all that leaves (`privet.protect._exactly_once`); without the name, a second training would be taken for the first.

Two models from one seed hide nothing from each other: the noise they share cancels. So a seed is taken up only for the
run that was booked with it, on the same rows; for any other run another seed is drawn.
"""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from privet.artifact import OwnerOnly, Receipt, clear_unfinished, remove, written_whole
from privet.errors import BadTraining
from privet.evidence import record_bytes, record_text
from privet.ledger import Ledger
from privet.mechanism import SecretSeed

_LARGEST = 10_000  # seeds and digests are shorter
_ROWS = 1 << 18  # that are looked at together


def destroy(seed_file: Path) -> None:
    """Overwrite and remove the seed that `train(…, seed_file=…)` kept: it would undo the model's noise."""
    SecretSeed.destroy(seed_file)
    remove(_rows_of(seed_file))
    SecretSeed.destroy(_name_of(seed_file))
    for place in (seed_file, _rows_of(seed_file), _name_of(seed_file)):
        clear_unfinished(place.parent, place.name)  # what a kill left of writing one


def seed_for(seed_file: Path | None, run: str, ledger: Ledger) -> tuple[SecretSeed, Receipt | None]:
    """The seed of a run, and the entry that it was booked under if it was begun before.

    A seed on file that this run was not booked with is replaced: it may have been used for another.
    """
    if seed_file is None:
        return SecretSeed.fresh(), None
    kept = _kept(seed_file)
    if kept is not None:
        booked = ledger.paid(kept.question(run))
        if booked is not None:
            return kept, booked
    drop_seed(seed_file)  # and the note of its rows, which may be all that a kill left
    seed = SecretSeed.fresh()
    seed.write(seed_file)
    return seed, None


def drop_seed(seed_file: Path) -> None:
    """Destroy a seed that no run was booked with."""
    SecretSeed.destroy(seed_file)
    remove(_rows_of(seed_file))


def run_name(seed_file: Path) -> SecretSeed:
    """The name of the run that is under way, or a new one: questions hold a digest that it is the key of."""
    kept = _kept(_name_of(seed_file))
    if kept is not None:
        return kept
    name = SecretSeed.fresh()
    name.write(_name_of(seed_file))
    return name


def is_named(seed_file: Path) -> bool:
    """Whether a run is under way that has a name."""
    return _kept(_name_of(seed_file)) is not None


def forget_name(seed_file: Path) -> None:
    """Of a run that is over, or under which nothing was booked."""
    SecretSeed.destroy(_name_of(seed_file))


def digest_of_rows(*rows: NDArray[np.generic] | None) -> bytes:
    """Of the rows that a run works on. Whoever can guess them can compare: keep it under a key."""
    content = hashlib.sha256()
    for part in rows:
        if part is not None:
            content.update(str((part.dtype, part.shape)).encode())
            for start in range(0, len(part), _ROWS):
                content.update(np.ascontiguousarray(part[start : start + _ROWS]).tobytes())
    return content.digest()


def require_same_rows(seed_file: Path, seed: SecretSeed, *rows: NDArray[np.generic] | None) -> None:
    """Note which rows a run works on, by a digest that tells nothing without the seed; refuse others later on."""
    found, place = seed.keyed(digest_of_rows(*rows)), _rows_of(seed_file)
    if not place.exists():
        written_whole(place, OwnerOnly(found))
    elif not hmac.compare_digest(record_text(place, largest=_LARGEST), found):
        raise BadTraining(
            "the rows are not those that the killed run worked on: the same noise would tell the difference.",
            "Go on with the rows as they were, or destroy the seed file and start anew, and pay anew.",
        )


def _kept(place: Path) -> SecretSeed | None:
    """What is on file. Zeros are left of what was being destroyed by a process that was killed: anybody knows them."""
    if not place.exists():
        return None
    kept = SecretSeed.read(place)
    if any(record_bytes(place, largest=_LARGEST)):
        return kept
    SecretSeed.destroy(place)
    return None


def _name_of(seed_file: Path) -> Path:
    return seed_file.with_name(f"{seed_file.name}.run")


def _rows_of(seed_file: Path) -> Path:
    return seed_file.with_name(f"{seed_file.name}.rows")
