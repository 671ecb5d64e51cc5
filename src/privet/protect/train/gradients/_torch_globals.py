"""What all threads of a process share in torch: its random generator and its number of threads.

Dropout draws from the one generator, so a step has it for itself, from its own seed, and hands it back as it was:
trainings in several threads then give what they would give one after another, and the caller's own random numbers
are as if nothing had been trained.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_generator = threading.RLock()
_counting = threading.Lock()
_limited = 0  # trainings that asked for a number of threads
_before = 0  # and how many there were without them


@contextmanager
def own_generator(seed: int | None = None, device: torch.device | None = None) -> Iterator[None]:
    """Torch's generator for this thread alone, seeded if a seed is given; afterwards as it was before."""
    cuda = device is not None and device.type == "cuda"
    with _generator, torch.random.fork_rng(devices=[device] if cuda else []):
        if seed is not None:
            torch.default_generator.manual_seed(seed)
            if cuda:
                torch.cuda.manual_seed(seed)
        yield


@contextmanager
def limited_threads(most: int | None) -> Iterator[None]:
    """At most so many threads for each operation, and as many as before once nobody asks for fewer."""
    global _limited, _before  # noqa: PLW0603  torch's own setting is global too
    if most is None:
        yield
        return
    with _counting:
        if not _limited:
            _before = torch.get_num_threads()
        _limited += 1
        torch.set_num_threads(most)
    try:
        yield
    finally:
        with _counting:
            _limited -= 1
            # A part of the setting is the thread's own: each puts back what the first one found.
            torch.set_num_threads(_before)


def _in_child() -> None:
    """Another thread of the parent may have held them."""
    global _generator, _counting
    _generator, _counting = threading.RLock(), threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
