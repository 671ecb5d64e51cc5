"""A run on disk: weights and optimizer as safetensors, the rest as JSON, the seed in a file of its owner's alone.

A run is a function of its data and its secret seed, so a run that was killed goes on to the weights it would have had,
under the entry that was booked for it. Nothing is pickled. Weights on disk are noisy iterates, which the plan covers;
the seed would undo the noise, so it is destroyed when the run ends. Other records, weights, models or losses under the
same noise would give the records away, so all of these are known again before a run goes on.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.artifact import Receipt, remove, written_whole
from privet.errors import BadTraining, FileProblem
from privet.mechanism import SecretSeed

if TYPE_CHECKING:
    from torch import Tensor

SCHEMA = 1
RUN, SEED, PROBE = "run.json", "seed", "probe"


@dataclass(frozen=True, slots=True)
class Saved:
    """Where a run on disk stands."""

    record: dict[str, Any]
    receipt: Receipt | None
    step: int
    finished: bool


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder of one run."""

    path: Path

    def begun(self) -> Saved | None:
        """What is there of a run that was begun, or None in an empty folder."""
        if not (self.path / RUN).exists():
            return None
        try:
            found = _known(json.loads((self.path / RUN).read_text("utf-8")))
            receipt = found["receipt"]
            return Saved(
                dict(found["record"]),
                None if receipt is None else Receipt.from_json(receipt),
                int(found["step"]),
                bool(found["finished"]),
            )
        except (OSError, ValueError, KeyError, TypeError):
            raise FileProblem(
                f"{RUN} is not the record of a run.", "Use an empty folder, or the folder of a run."
            ) from None

    def begin(self, seed: SecretSeed, probed: list[float]) -> None:
        """Keep the seed of a new run, and how to know its model and loss again."""
        self.path.mkdir(parents=True, exist_ok=True)
        self.forget()  # what a run left that was killed before it was booked
        seed.write(self.path / SEED)
        self._keep_probe(probed)

    def forget(self) -> None:
        """Destroy the secrets of a run that is over."""
        for name in (SEED, PROBE):
            SecretSeed.destroy(self.path / name)

    def probed(self) -> list[float]:
        """What the run's computation gave when it was begun."""
        try:
            return [float(value) for value in json.loads((self.path / PROBE).read_text("ascii"))]
        except (OSError, ValueError, TypeError):
            raise FileProblem(
                f"the file {PROBE} of this run cannot be read.",
                "Without it a run cannot go on: start again and pay again.",
            ) from None

    def _keep_probe(self, probed: list[float]) -> None:
        """In a file of its owner's alone: these are exact figures of private records."""
        try:
            handle = os.open(self.path / PROBE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="ascii") as file:
                json.dump(probed, file)
                file.flush()
                os.fsync(file.fileno())
        except OSError as problem:
            raise FileProblem(
                f"the file {PROBE} could not be written ({problem.strerror}).",
                "Give a folder of its own that is writable and holds no other run.",
            ) from None

    def seed(self) -> SecretSeed:
        """The seed of the run that was begun."""
        return SecretSeed.read(self.path / SEED)

    def save(
        self, record: dict[str, Any], receipt: Receipt | None, step: int, state: dict[str, Tensor]
    ) -> None:
        """Keep the state after `step` steps: first the tensors, then the record that points at them."""
        from safetensors.torch import save_file

        whole = {name: value.detach().cpu().contiguous().clone() for name, value in state.items()}
        written_whole(self.path / _tensors(step), lambda path: save_file(whole, path))
        self._note(record, receipt, step, finished=False)
        self._tidy(step)

    def load(self, step: int) -> dict[str, Tensor]:
        """The state after `step` steps."""
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        try:
            return dict(load_file(self.path / _tensors(step)))
        except (OSError, SafetensorError):
            raise FileProblem(f"{_tensors(step)} cannot be read.", "Start again in another folder.") from None

    def finish(self, record: dict[str, Any], receipt: Receipt, step: int, state: dict[str, Tensor]) -> None:
        """Keep the last state, and destroy the secrets."""
        self.save(record, receipt, step, state)
        self._note(record, receipt, step, finished=True)
        self.forget()

    def _note(self, record: dict[str, Any], receipt: Receipt | None, step: int, *, finished: bool) -> None:
        text = json.dumps(
            {
                "schema": SCHEMA,
                "record": record,
                "receipt": None if receipt is None else receipt.to_json(),
                "step": step,
                "finished": finished,
            },
            indent=1,
        )
        written_whole(self.path / RUN, lambda path: path.write_text(text, "utf-8"))

    def _tidy(self, step: int) -> None:
        for old in self.path.glob("state-*.safetensors"):
            if old.name != _tensors(step):
                remove(old)


def run_digest(record: dict[str, Any]) -> str:
    """The digest that a booking commits to: of everything a run depends on besides its seed."""
    text = json.dumps(record, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def require_same(begun: dict[str, Any], now: dict[str, Any]) -> None:
    """Refuse to go on with another run than the one that was begun; names what differs."""
    differing = sorted(name for name in {*begun, *now} if begun.get(name) != now.get(name))
    if differing:
        raise BadTraining(
            f"this folder holds another run: {', '.join(differing)} differ.",
            "Go on with exactly what was begun, or start in an empty folder and pay again.",
            differing=differing,
        )


def _known(found: dict[str, Any]) -> dict[str, Any]:
    if found["schema"] != SCHEMA:
        raise ValueError
    return found


def _tensors(step: int) -> str:
    return f"state-{step:08d}.safetensors"
