"""A run on disk: weights and optimizer as safetensors, the rest as JSON, the seed in a file of its owner's alone.

A run is a function of its data and its secret seed, so a run that was killed goes on to the weights it would have had,
under the entry that was booked for it. Nothing is pickled. Weights on disk are noisy iterates, which the plan covers;
the seed would undo the noise, so it is destroyed when the run ends. Other records, weights, models or losses under the
same noise would give the records away, so all of these are known again before a run goes on: rows and weights by digests
that are keyed with the seed, before a byte of them is parsed.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.artifact import OwnerOnly, Receipt, new_file, own_folder, remove, written_whole
from privet.errors import BadTraining, FileProblem
from privet.evidence import read_json, record_bytes
from privet.mechanism import SecretSeed

if TYPE_CHECKING:
    from torch import Tensor

SCHEMA = 1
RUN, SEED, PROBE, ROWS = "run.json", "seed", "probe", "rows.arrow"


@dataclass(frozen=True, slots=True)
class Saved:
    """Where a run on disk stands."""

    record: dict[str, Any]
    receipt: Receipt | None
    step: int
    finished: bool
    state: str  # the digest of the file of tensors, keyed with the seed


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder of one run."""

    path: Path

    def begun(self) -> Saved | None:
        """What is there of a run that was begun, or None in an empty folder."""
        if not (self.path / RUN).exists():
            return None
        try:
            found = _known(read_json(record_bytes(self.path / RUN), what=RUN))
            receipt = found["receipt"]
            return Saved(
                dict(found["record"]),
                None if receipt is None else Receipt.from_json(receipt),
                int(found["step"]),
                bool(found["finished"]),
                str(found["state"]),
            )
        except (OSError, ValueError, KeyError, TypeError):
            raise FileProblem(
                f"{RUN} is not the record of a run.", "Use an empty folder, or the folder of a run."
            ) from None

    def unfinished(self) -> Saved | None:
        """What is there of a run that goes on, or None in an empty folder; refuses a run that is over."""
        begun = self.begun()
        if begun is not None and begun.finished:
            self.forget()  # should it have been killed just before it did
            raise BadTraining("the run in this folder is finished.", "Use another folder for another run.")
        return begun

    def known_rows(self) -> Callable[[bytes], bool] | None:
        """Whether a digest is that of the rows that were set aside for the run that goes on; None where none was begun."""
        begun = self.unfinished()
        if begun is None:
            return None
        seed, said = self.seed(), str(begun.record.get("rows"))
        return lambda digest: hmac.compare_digest(seed.keyed(digest), said)

    def begin(self, seed: SecretSeed, probed: list[float]) -> None:
        """Keep the seed of a new run, and how to know its model and loss again."""
        own_folder(self.path, parents=True)
        self._destroy()  # what a run left that was killed before it was booked
        seed.write(self.path / SEED)
        self._keep_probe(probed)

    def forget(self) -> None:
        """Destroy the secrets of a run that is over, and the rows that were set aside for it."""
        self._destroy()
        remove(self.path / ROWS)

    def _destroy(self) -> None:
        for name in (SEED, PROBE):
            SecretSeed.destroy(self.path / name)

    def probed(self) -> list[float]:
        """What the run's computation gave when it was begun."""
        try:
            return [float(value) for value in read_json(record_bytes(self.path / PROBE), what=PROBE)]
        except (OSError, ValueError, TypeError):
            raise FileProblem(
                f"the file {PROBE} of this run cannot be read.",
                "Without it a run cannot go on: start again and pay again.",
            ) from None

    def _keep_probe(self, probed: list[float]) -> None:
        """In a file of its owner's alone: these are exact figures of private records."""
        try:
            new_file(self.path / PROBE, json.dumps(probed).encode())
        except FileProblem as problem:
            raise FileProblem(
                problem.fact, "Give a folder of its own that is writable and holds no other run."
            ) from None

    def seed(self) -> SecretSeed:
        """The seed of the run that was begun."""
        return SecretSeed.read(self.path / SEED)

    def save(
        self, record: dict[str, Any], receipt: Receipt | None, step: int, state: dict[str, Tensor]
    ) -> None:
        """Keep the state after `step` steps: first the tensors, then the record that points at them."""
        keyed = self._write(step, state)
        self._note(record, receipt, step, keyed, finished=False)
        self._tidy(step)

    def _write(self, step: int, state: dict[str, Tensor]) -> str:
        from safetensors.torch import save

        content = save({name: value.detach().cpu().contiguous().clone() for name, value in state.items()})
        written_whole(self.path / _tensors(step), OwnerOnly(content))
        return self.seed().keyed(hashlib.sha256(content).digest())

    def load(self, begun: Saved) -> dict[str, Tensor]:
        """The state that a run goes on from."""
        from safetensors import SafetensorError
        from safetensors.torch import load

        name = _tensors(begun.step)
        try:
            content = record_bytes(self.path / name, largest=sys.maxsize - 1)
            if not hmac.compare_digest(self.seed().keyed(hashlib.sha256(content).digest()), begun.state):
                raise BadTraining(
                    f"{name} is not what this run had come to.",
                    "Put it back as it was; or start again in an empty folder and pay again.",
                )
            return dict(load(content))
        except (OSError, SafetensorError):
            raise FileProblem(f"{name} cannot be read.", "Start again in another folder.") from None

    def finish(self, record: dict[str, Any], receipt: Receipt, step: int, state: dict[str, Tensor]) -> None:
        """Keep the last state, and destroy the secrets."""
        keyed = self._write(step, state)
        self._note(record, receipt, step, keyed, finished=False)
        self._tidy(step)
        self._note(record, receipt, step, keyed, finished=True)
        self.forget()

    def _note(
        self, record: dict[str, Any], receipt: Receipt | None, step: int, keyed: str, *, finished: bool
    ) -> None:
        text = json.dumps(
            {
                "schema": SCHEMA,
                "record": record,
                "receipt": None if receipt is None else receipt.to_json(),
                "step": step,
                "finished": finished,
                "state": keyed,
            },
            indent=1,
        )
        written_whole(self.path / RUN, OwnerOnly(text))

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
