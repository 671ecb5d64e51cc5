"""What is to be done with the seed of a training once its model stands."""

from __future__ import annotations

from pathlib import Path

from privet.mechanism import SecretSeed


def destroy(seed_file: Path) -> None:
    """Overwrite and remove the seed that `train(…, seed_file=…)` kept: it would undo the model's noise."""
    SecretSeed.destroy(seed_file)
