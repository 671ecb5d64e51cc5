"""Loading what was saved: a model of a table by itself, a network into the architecture that one brings along."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, overload

from privet.artifact import NETWORK, ReleasedModel, kind_of_model
from privet.errors import BadModel, checked

if TYPE_CHECKING:
    from torch import nn

    from privet.protect.train.gradients import ReleasedNetwork


@overload
def load_model(folder: str | Path) -> ReleasedModel: ...
@overload
def load_model(folder: str | Path, architecture: Callable[[], nn.Module]) -> ReleasedNetwork: ...
@checked
def load_model(
    folder: str | Path, architecture: Callable[[], nn.Module] | None = None
) -> ReleasedModel | ReleasedNetwork:
    """Load a released model.

    Args:
        folder: what `save` wrote, or `privet train -o`.
        architecture: of a network its class, or a function that makes it; none is stored.

    No code is read from the folder. What was changed, or promises more than its receipt, is refused; what carries no
    signature of a key that is trusted here says so in its `standing`.
    """
    if architecture is None:
        return ReleasedModel.load(folder)
    if kind_of_model(folder) not in (NETWORK, None):
        raise BadModel("this is a model of a table, and needs no architecture.", "pv.load_model(folder)")
    from privet.protect.train.gradients import ReleasedNetwork

    return ReleasedNetwork.load(folder, architecture)
