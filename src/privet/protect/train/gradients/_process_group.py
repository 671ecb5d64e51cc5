"""The processes of one run, as torch's process group has them: the first leads, the others do their share of each batch.

Messages are tensors and JSON; nothing is pickled. They carry exact sums and which records are in a batch, so the network
between the processes is as confidential as the memory of one. What one process refuses, all stop for, with its reason; one
that is gone or silent ends the run for the others within `StepSpeed(patience=…)` seconds, instead of leaving them waiting.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from numpy.typing import NDArray
from torch import Tensor, nn

from privet.errors import BadTraining, PrivetError, ProcessLost
from privet.evidence import read_json
from privet.protect.train.gradients._optimizer import StepSpeed

_LONGEST = 2**28  # bytes of a message; progress, probes and reasons are far shorter
_WRAPPERS = ("torch.distributed.", "torch.nn.parallel.")


@dataclass
class Ranks:
    """This process among those of a run. Without a group it is the only one."""

    number: int = 0
    count: int = 1
    group: dist.ProcessGroup | None = None
    ended: bool = False  # every process knows that the run is over

    @property
    def leads(self) -> bool:
        """Whether this process samples, books, adds the noise and moves the weights."""
        return self.number == 0

    # --- from the first to all ------------------------------------------------------------------

    def tell(self, message: dict[str, Any]) -> None:
        """Say something to all others."""
        self.tell_bytes(json.dumps(message).encode())

    def told(self) -> dict[str, Any]:
        """What the first process says."""
        return dict(_message(self.told_bytes()))

    def tell_bytes(self, content: bytes) -> None:
        """Hand bytes to all others."""
        if self.count > 1:
            self._broadcast(torch.tensor([len(content)]))
            self._broadcast(_as_tensor(content))

    def told_bytes(self) -> bytes:
        """The bytes that the first process hands out."""
        size = int(self._broadcast(torch.zeros(1, dtype=torch.int64))[0])
        return self._broadcast(torch.zeros(size, dtype=torch.uint8)).numpy().tobytes()

    def tell_values(self, values: Tensor) -> None:
        """Hand numbers to all others, who know how many and of what type."""
        if self.count > 1:
            self._broadcast(values.detach().cpu().contiguous().view(-1))

    def told_values(self, count: int, kind: torch.dtype) -> Tensor:
        """So many numbers of this type from the first process."""
        return self._broadcast(torch.zeros(count, dtype=kind))

    def _broadcast(self, values: Tensor) -> Tensor:
        if not len(values):
            return values
        with _while_all_are_there():
            dist.broadcast(values, group=self.group, group_src=0)
        return values

    # --- from one to the first ------------------------------------------------------------------

    def send(self, values: NDArray[Any]) -> None:
        """Hand numbers to the first process, which knows their type."""
        with _while_all_are_there():
            dist.send(torch.tensor([values.size]), group=self.group, group_dst=0)
            if values.size:
                dist.send(torch.from_numpy(np.ascontiguousarray(values)), group=self.group, group_dst=0)

    def received(self, number: int, kind: torch.dtype) -> NDArray[Any]:
        """The numbers that another process hands over."""
        with _while_all_are_there():
            size = torch.zeros(1, dtype=torch.int64)
            dist.recv(size, group=self.group, group_src=number)
            values = torch.zeros(int(size[0]), dtype=kind)
            if len(values):
                dist.recv(values, group=self.group, group_src=number)
        return np.asarray(values.numpy())

    # --- all or none ----------------------------------------------------------------------------

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is done inside, every process has done afterwards, or none goes on."""
        fault: BaseException | None = None
        try:
            yield
        except ProcessLost:
            raise
        except BaseException as problem:
            fault = problem
            raise
        finally:
            if self.count > 1 and not isinstance(fault, ProcessLost):
                self._refuse_if_any_did(fault)

    def _refuse_if_any_did(self, fault: BaseException | None) -> None:
        try:
            found = self._verdict(_reason(fault))
        except ProcessLost:
            if fault is None:
                raise
            return
        self.ended = self.ended or bool(found)
        if found and fault is None:
            number, (code, fact, hint) = min(found.items(), key=lambda one: int(one[0]))
            raise BadTraining(
                f"process {number} stopped: {code} {fact}".replace(":  ", ": "), hint, process=int(number)
            )

    def _verdict(self, own: list[str] | None) -> dict[str, list[str]]:
        """Who refuses what, as every process knows then."""
        if not self.leads:
            self.send(np.frombuffer(json.dumps(own).encode(), dtype=np.uint8).copy())
            return dict(self.told())
        reasons = {"0": own}
        for other in range(1, self.count):
            reasons[str(other)] = _message(self.received(other, torch.uint8).tobytes())
        found = {number: reason for number, reason in reasons.items() if reason is not None}
        self.tell(found)
        return found

    @contextmanager
    def stopping_all(self) -> Iterator[None]:
        """Whatever stops the first process stops the others, who wait for its next word."""
        try:
            yield
        except BaseException as problem:
            if self.count > 1 and not self.ended and not isinstance(problem, ProcessLost):
                self.ended = True
                with suppress(ProcessLost):
                    self.tell({"kind": "stop", "reason": _reason(problem)})
            raise


@contextmanager
def ranks_of(speed: StepSpeed) -> Iterator[Ranks | None]:
    """The processes that share a run, in a group of their own with its own patience; None where one process trains alone."""
    started = int(os.environ.get("WORLD_SIZE", "1")) if "TORCHELASTIC_RUN_ID" in os.environ else 1
    initialised = dist.is_available() and dist.is_initialized()
    if initialised:
        started = dist.get_world_size()
    if not speed.ranks:
        if started > 1:
            raise BadTraining(
                f"{started} processes were started together, and each would train a model of its own and pay for it.",
                "Use StepSpeed(ranks=True) for one run of all of them, or start one process.",
            )
        yield None
        return
    if started == 1 and not initialised:
        yield Ranks()
        return
    wait = timedelta(seconds=speed.patience)
    with _while_all_are_there():
        if not initialised:
            dist.init_process_group("gloo", timeout=wait)
        group = dist.new_group(backend="gloo", timeout=wait)
    try:
        yield Ranks(dist.get_rank(), started, group)
    finally:
        dist.destroy_process_group(group if initialised else None)


def all_or_none(ranks: Ranks | None) -> AbstractContextManager[None]:
    """`Ranks.together`, where there are several processes."""
    return nullcontext() if ranks is None else ranks.together()


def refuse_wrapped(model: nn.Module) -> None:
    """Refuse a model whose gradients or weights another library spreads over processes: clipping must see each example's own."""
    found = next(
        (type(part).__name__ for part in model.modules() if type(part).__module__.startswith(_WRAPPERS)), None
    ) or next(
        (
            type(one).__name__
            for one in model.parameters()
            if type(one.data).__module__.startswith("torch.distributed.")
        ),
        None,
    )
    if found is not None:
        raise BadTraining(
            f"the model is spread over processes by {found}, which averages or cuts up what has to be clipped example by example.",
            "Give the model itself, and StepSpeed(ranks=True) for several processes; sharded=True shards the optimizer's state.",
        )


@contextmanager
def _while_all_are_there() -> Iterator[None]:
    try:
        yield
    except (RuntimeError, ValueError) as problem:  # what torch raises for a peer that is gone or silent
        raise ProcessLost(
            "another process of the run is gone, or did not answer in time.",
            "If the run was begun with a folder, start all processes again, as many as you like: it goes on from there "
            "under its entry. StepSpeed(patience=…) says how long to wait for slow ones.",
        ) from problem


def _reason(fault: BaseException | None) -> list[str] | None:
    """Why a process stops: of what is not ours no more than the name, since it may hold a record's value."""
    if fault is None:
        return None
    if isinstance(fault, PrivetError):
        return [fault.code, fault.fact, fault.hint]
    return ["", f"it failed with {type(fault).__name__}.", "Its own output says more."]


def stop_of(message: dict[str, Any]) -> BadTraining:
    """The refusal of a process that is told to stop."""
    code, fact, hint = message["reason"]
    return BadTraining(f"process 0 stopped: {code} {fact}".replace(":  ", ": "), hint, process=0)


def _as_tensor(content: bytes) -> Tensor:
    return torch.from_numpy(np.frombuffer(content, dtype=np.uint8).copy())


def _message(content: bytes) -> Any:
    return read_json(content, what="a message of another process", largest=_LONGEST)
