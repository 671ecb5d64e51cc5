"""Networks that learn to read what a shield sends, from pairs of a text and what is sent for it.

The adversary has the shield, so pairs cost it nothing, and the noise of a text is another one every time it is shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.attacks._seeded_generator import repeatable_generator

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.attacks._seeded_generator import Draw

_BATCH = 32
_RATE = 3e-3
_OWN_WEIGHTS = 8_192  # largest vocabulary with weights of its own beside those tied to the embeddings
_HELD = 0.1  # of the texts, on which the best state is chosen
_LOOKS = 8  # times that it looks

Send = Callable[[Sequence[Sequence[int]]], list["NDArray[np.float32]"]]
Pairs = Callable[["Draw", int], tuple[list[list[int]], list["NDArray[np.float32]"]]]


@dataclass(frozen=True)
class Inverter:
    """A network that was trained, and how it standardizes what it reads."""

    network: Any
    mean: NDArray[np.float32]
    spread: NDArray[np.float32]

    def guesses(self, sent: Sequence[NDArray[np.float32]]) -> list[NDArray[np.int64]]:
        """The likeliest token of every place."""
        import torch

        found: list[NDArray[np.int64]] = [np.empty(0, np.int64)] * len(sent)
        order = sorted(range(len(sent)), key=lambda at: len(sent[at]))
        with torch.no_grad():
            for start in range(0, len(order), 2 * _BATCH):
                chosen = order[start : start + 2 * _BATCH]
                given, mask = self.batch([sent[at] for at in chosen])
                likely = self.network(given, mask).argmax(-1).numpy()
                for row, at in enumerate(chosen):
                    found[at] = likely[row, : len(sent[at])]
        return found

    def batch(self, sent: Sequence[NDArray[np.float32]]) -> tuple[Any, Any]:
        """Padded and standardized, with a mask of what is no padding."""
        import torch

        longest = max(map(len, sent))
        given = np.zeros((len(sent), longest, sent[0].shape[1]), np.float32)
        mask = np.zeros((len(sent), longest), bool)
        for row, one in enumerate(sent):
            given[row, : len(one)] = (one - self.mean) / self.spread
            mask[row, : len(one)] = True
        return torch.from_numpy(given), torch.from_numpy(mask)


def fresh_pairs(send: Send, sequences: Sequence[list[int]]) -> Pairs:
    """Pairs whose noise is drawn anew each time: what somebody has who holds the shield."""

    def drawn(draw: Draw, size: int) -> tuple[list[list[int]], list[NDArray[np.float32]]]:
        chosen = [sequences[at] for at in draw.integers(0, len(sequences), size).tolist()]
        return chosen, send(chosen)

    return drawn


def caught_pairs(send: Send, sequences: Sequence[list[int]]) -> Pairs:
    """Pairs that were caught once: what somebody has who holds no shield."""
    sent = send(sequences)

    def drawn(draw: Draw, size: int) -> tuple[list[list[int]], list[NDArray[np.float32]]]:
        chosen = draw.integers(0, len(sequences), size).tolist()
        return [sequences[at] for at in chosen], [sent[at] for at in chosen]

    return drawn


def trained_inverter(
    sources: Sequence[tuple[Pairs, int]],
    held: tuple[Sequence[list[int]], Sequence[NDArray[np.float32]]],
    table: NDArray[np.float32],
    *,
    reads_around: bool,
    seed: int,
) -> Inverter:
    """Train on each source for its number of steps, and keep the state that reads most of what was held out."""
    import torch
    from torch.nn import functional as nnf

    draw = repeatable_generator(seed, f"inverter {reads_around}")
    rows = np.concatenate(sources[0][0](draw, 4 * _BATCH)[1])
    with torch.random.fork_rng():
        torch.manual_seed(int(draw.integers(2**31)))
        network = inverter_network(table, reads_around=reads_around)
    made = Inverter(network, rows.mean(0), rows.std(0) + 1e-6)
    total, done = sum(steps for _, steps in sources), 0
    optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=0.01)
    best: tuple[float, dict[str, Any]] = (-1.0, {})
    for pairs, steps in sources:
        for _ in range(steps):
            tokens, sent = pairs(draw, _BATCH)
            given, mask = made.batch(sent)
            wanted = torch.from_numpy(np.concatenate([np.asarray(one, np.int64) for one in tokens]))
            for group in optimizer.param_groups:
                group["lr"] = _RATE * min((done + 1) / 30, 0.5 + 0.5 * math.cos(math.pi * done / total))
            optimizer.zero_grad()
            loss: Any = nnf.cross_entropy(network(given, mask)[mask], wanted)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            done += 1
            if done % max(1, total // _LOOKS) == 0 or done == total:
                score = share_read(made.guesses(held[1]), held[0])
                if score > best[0]:
                    state = network.state_dict()
                    best = score, {name: one.detach().clone() for name, one in state.items()}
    network.load_state_dict(best[1])
    return made


def share_read(found: Sequence[NDArray[np.int64]], wanted: Sequence[Sequence[int]]) -> float:
    """Of all places, how many were named rightly."""
    right = sum(int(np.equal(one, true).sum()) for one, true in zip(found, wanted, strict=True))
    return right / max(1, sum(map(len, wanted)))


def split_known(known: Sequence[list[int]], seed: int) -> tuple[list[list[int]], list[list[int]]]:
    """What is learned from, and what is held out to choose by."""
    order = repeatable_generator(seed, "held out of an inverter").permutation(len(known))
    held = max(2, int(_HELD * len(known)))
    return [known[at] for at in order[held:]], [known[at] for at in order[:held]]


def inverter_network(table: NDArray[np.float32], *, reads_around: bool, classes: int | None = None) -> Any:
    """From places × width to places × tokens: each place alone, or with all those around it.

    It compares what it makes of a place with the embeddings of all tokens, so that tokens it never saw can be named; with
    `classes` it says instead to which a whole text belongs.
    """
    import torch
    from torch import nn

    width = table.shape[1]
    inner = max(128, width)
    inner += -inner % 4

    class Reader(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Sequential(nn.Linear(width, inner), nn.GELU(), nn.Linear(inner, inner), nn.GELU())
            layer = nn.TransformerEncoderLayer(
                inner, 4, 2 * inner, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
            )
            self.around = (
                nn.TransformerEncoder(layer, 2, enable_nested_tensor=False) if reads_around else None
            )
            self.norm = nn.LayerNorm(inner)
            self.last = nn.Linear(inner, width if classes is None else classes)
            self.own = (
                nn.Linear(inner, len(table)) if classes is None and len(table) <= _OWN_WEIGHTS else None
            )
            directions = torch.from_numpy(table.astype(np.float32))
            directions = directions / directions.norm(dim=1).median().clamp_min(1e-6)
            self.register_buffer("directions", directions, persistent=False)

        def forward(self, given: Any, mask: Any) -> Any:
            seen = self.first(given)
            if self.around is not None:
                seen = self.around(seen + _places(seen), src_key_padding_mask=~mask)
            seen = self.norm(seen)
            if classes is not None:
                weights = mask[..., None].float()
                return self.last((seen * weights).sum(1) / weights.sum(1))
            logits = self.last(seen) @ self.directions.T
            return logits if self.own is None else logits + self.own(seen)

    return Reader()


def _places(seen: Any) -> Any:
    """Sines and cosines of a place (Vaswani et al. 2017)."""
    import torch

    count, width = seen.shape[1:]
    at = torch.arange(count)[:, None] * torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    return torch.stack([torch.sin(at), torch.cos(at)], -1).reshape(count, -1)[None, :, :width]
