"""What would leave with a model, besides the weights that were trained: its state, its pickle, as others would save it.

Looked at with fixed weights in the place of the trained ones, before and after: what then differs is neither a noisy
weight nor made of one, so it comes from records.
"""

from __future__ import annotations

import functools
import io
import pickle
from typing import Any

from torch import Tensor, nn

from privet.errors import UnsafeModel
from privet.protect.train.gradients._trial_weights import fixed
from privet.protect.train.gradients._value_fingerprints import fingerprint


class Leaving:
    """How a model would be saved before it saw a record."""

    def __init__(self, model: nn.Module, trained: dict[str, nn.Parameter]) -> None:
        self._model, self._trained = model, trained
        self._before = self._shown()

    def refuse_more(self) -> None:
        """Refuse a model of which more would be saved than its weights and what was there before."""
        now = self._shown()
        found = sorted(name for name in {*now, *self._before} if now.get(name) != self._before.get(name))
        if found:
            raise UnsafeModel(
                "what would be saved of the model is more than its weights and what was there before: "
                f"{', '.join(map(repr, found[:5]))}.",
                "Take it out of state_dict(), get_extra_state() or __getstate__(). The run was booked; do not publish "
                "this model.",
                places=found,
            )

    def _shown(self) -> dict[str, bytes]:
        with fixed(self._trained):
            found = {str(name): _print(value) for name, value in self._model.state_dict().items()}
            found["pickle"] = _print(self._model)
        return found


def _print(value: Any) -> bytes:
    """A digest of a value as a pickle of it would be; empty for what cannot be pickled, and so cannot leave that way."""
    if isinstance(value, Tensor):
        return fingerprint(value)
    file = io.BytesIO()
    try:
        _Pickler(file).dump(value)
    except Exception:  # noqa: BLE001 -- lambdas, hooks and handles are not picklable
        return b""
    return fingerprint(bytearray(file.getvalue()))


class _Pickler(pickle.Pickler):
    """Tensors by their contents; whether somebody looked into a partial function, which gives it an empty dictionary, is left out."""

    def reducer_override(self, obj: Any) -> Any:
        """A partial function without a difference between no dictionary and an empty one."""
        if type(obj) is not functools.partial:
            return NotImplemented
        return functools.partial, (obj.func,), (obj.func, obj.args, obj.keywords, obj.__dict__ or None)

    def persistent_id(self, obj: Any) -> Any:
        return ("tensor", fingerprint(obj)) if isinstance(obj, Tensor) else None
