"""The loss on public texts: a learning curve that costs nothing private, and steps on public texts before private ones.

Weights on the way are covered by the run's promise, so measuring them on texts that are public tells nothing more.
"""

from __future__ import annotations

from typing import Any

from privet.errors import BadTraining
from privet.protect.train.language._text_sequences import TextSequences

_AT_ONCE = 64


def public_loss(network: Any, sequences: TextSequences) -> float:
    """The mean loss of a token, in nats."""
    import torch

    from privet.protect.train.gradients import Batch, Objective

    total, count = 0.0, 0
    objective = Objective.of("language")
    with torch.no_grad():
        for start in range(0, len(sequences.inputs), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            targets = torch.from_numpy(sequences.targets[part])
            inputs = {"input_ids": torch.from_numpy(sequences.inputs[part])}
            many = (targets[:, 1:] >= 0).sum(1)
            losses = objective.losses(network, Batch(inputs, targets, len(targets)))
            total += float((losses.double() * many).sum())
            count += int(many.sum())
    if not count:
        raise BadTraining("the public texts hold no token to predict.", "Give longer ones.")
    return total / count


def warm_start(
    network: Any, sequences: TextSequences, steps: int, rate: float, *, seed: int, batch: int = 32
) -> None:
    """Ordinary steps of Adam on public texts. Nothing is clipped, noised or booked: no promise covers these texts."""
    import torch

    from privet.protect.train.gradients import Batch, Objective

    weights = [one for one in network.parameters() if one.requires_grad]
    optimizer = torch.optim.Adam(weights, rate)
    inputs, targets = torch.from_numpy(sequences.inputs), torch.from_numpy(sequences.targets)
    chance, objective = torch.Generator().manual_seed(seed), Objective.of("language")
    for _ in range(steps):
        rows = torch.randint(0, len(inputs), (min(batch, len(inputs)),), generator=chance)
        optimizer.zero_grad()
        some = Batch({"input_ids": inputs[rows]}, targets[rows], len(rows))
        loss: Any = objective.losses(network, some).mean()
        loss.backward()
        optimizer.step()
    optimizer.zero_grad(set_to_none=True)
