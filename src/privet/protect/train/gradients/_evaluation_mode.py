"""A network in the mode in which it predicts, for the time of a prediction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import nn


@contextmanager
def evaluated(module: nn.Module) -> Iterator[None]:
    """For the time of a prediction; every part goes back to the mode it was in."""
    before = {part: part.training for part in module.modules()}
    module.eval()
    try:
        yield
    finally:
        for part, training in before.items():
            part.training = training
