"""A fit on file: weights, the optimizer's state and the losses so far, so that it goes on as if nothing had happened."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError
from safetensors.torch import load, save

from privet.artifact import OwnerOnly, is_there, written_folder
from privet.errors import FileProblem, ForeignShield, RecordTooDeep
from privet.evidence import read_json, record_bytes

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

_STATE, _PROGRESS = "state.safetensors", "progress.json"
_SECONDS = 30.0  # between two writings
_LARGEST = 2**34


class FitCheckpoint:
    """A folder in which a fit is kept; none where no folder is named."""

    def __init__(self, folder: Path | None, key: str) -> None:
        self._folder, self._key, self._last = folder, key, time.monotonic()

    def restore(
        self, module: nn.Module, optimizer: torch.optim.Optimizer, parts: list[dict[str, float]]
    ) -> int:
        """Take up what is on file; how many steps are done. Refuses another fit's."""
        if self._folder is None or not is_there(self._folder / _PROGRESS):
            return 0
        try:
            said = read_json(record_bytes(self._folder / _PROGRESS, largest=_LARGEST), what=_PROGRESS)
            if said["key"] != self._key:
                raise ForeignShield(
                    f"{self._folder.name} holds another fit: of other texts, another model or other settings.",
                    "Name another folder, or the same arguments.",
                )
            there = load(record_bytes(self._folder / _STATE, largest=_LARGEST))
            module.load_state_dict(_part(there, "weights"))
            optimizer.load_state_dict(_optimizer_state(there, optimizer.state_dict()))
            parts[:] = [{str(name): float(value) for name, value in one.items()} for one in said["parts"]]
            return len(parts)
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError, RecordTooDeep):
            raise FileProblem(
                f"the checkpoint in {self._folder.name} cannot be read.", "Begin again in another folder."
            ) from None

    def note(
        self,
        module: nn.Module,
        optimizer: torch.optim.Optimizer,
        parts: list[dict[str, float]],
        done: int,
        steps: int,
    ) -> None:
        """Write it now and then, and at the end."""
        if self._folder is None or (done < steps and time.monotonic() - self._last < _SECONDS):
            return
        state = {f"weights.{name}": value.contiguous() for name, value in module.state_dict().items()}
        for number, values in optimizer.state_dict()["state"].items():
            state |= {f"optimizer.{number}.{name}": value.contiguous() for name, value in values.items()}
        progress = json.dumps({"key": self._key, "parts": parts})
        written_folder(self._folder, OwnerOnly({_STATE: save(state), _PROGRESS: progress}))
        self._last = time.monotonic()


def _part(there: dict[str, Tensor], name: str) -> dict[str, Tensor]:
    return {key.removeprefix(f"{name}."): value for key, value in there.items() if key.startswith(f"{name}.")}


def _optimizer_state(there: dict[str, Tensor], now: dict[str, Any]) -> dict[str, Any]:
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in _part(there, "optimizer").items():
        number, _, name = key.partition(".")
        state.setdefault(int(number), {})[name] = value
    return {**now, "state": state}
