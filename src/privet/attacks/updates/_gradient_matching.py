"""Gradient inversion by search: records whose gradient is the recorded one.

DLG makes the squared distance of gradients least with L-BFGS (Zhu, Liu and Han 2019); inverting gradients makes their
cosine largest with signed Adam steps, which bears clipping, scaling and deeper networks (Geiping et al. 2020).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.updates._dense_inversion import label
from privet.attacks.updates._federated_update import Update
from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray


def searched(
    update: Update,
    *,
    labels: NDArray[np.int64] | None = None,
    by: str = "cosine",
    steps: int = 600,
    restarts: int = 2,
    smooth: float = 0.0,
    seed: int = 0,
) -> NDArray[np.float64]:
    """The records whose gradient fits the update best, flat, a row each; `smooth` weighs total variation of images.

    Labels not given are read off the update for one record, and searched beside the records otherwise.
    """
    if update.model is None or update.shape is None:
        raise BadAttack("a search needs the model and the shape of a record.", "Give both in the update.")
    if by not in {"cosine", "distance"}:
        raise BadAttack("there is no such search.", "Choose cosine or distance.")
    best, lowest = np.zeros((update.records, int(np.prod(update.shape)))), np.inf
    for turn in range(restarts):
        draw = repeatable_generator(seed, f"gradient inversion {turn}")
        begun = draw.normal(size=(update.records, *update.shape))
        found, loss = _once(update, begun, labels, by, (steps, smooth))
        if loss < lowest:
            best, lowest = found.reshape(update.records, -1), loss
    return best


def _once(
    update: Update,
    begun: NDArray[np.float64],
    labels: NDArray[np.int64] | None,
    by: str,
    effort: tuple[int, float],
) -> tuple[NDArray[np.float64], float]:
    import torch

    steps, smooth = effort
    module = update.model
    weights = [one for one in module.parameters() if one.requires_grad]
    like = weights[0]
    wanted = [
        torch.as_tensor(np.asarray(update.gradients[name]), dtype=like.dtype, device=like.device)
        for name, one in module.named_parameters()
        if one.requires_grad
    ]
    guess = torch.as_tensor(begun, dtype=like.dtype, device=like.device).requires_grad_()
    classes = int(module(guess.detach()).shape[1])
    soft = torch.zeros(update.records, classes, dtype=like.dtype, device=like.device)
    told = labels if labels is not None else _told(update)
    if told is not None:
        soft[torch.arange(update.records), torch.as_tensor(told)] = 50.0  # a label is a soft one that is sure
    else:
        soft.requires_grad_()
    free = [guess] + ([soft] if soft.requires_grad else [])
    optimiser: Any = (
        torch.optim.LBFGS(free, lr=1.0, max_iter=1) if by == "distance" else torch.optim.Adam(free, lr=0.05)
    )
    schedule = torch.optim.lr_scheduler.MultiStepLR(
        optimiser, [steps * 3 // 8, steps * 5 // 8, steps * 7 // 8], gamma=0.1 if by == "cosine" else 1.0
    )

    def closure() -> Any:
        optimiser.zero_grad()
        output = torch.log_softmax(module(guess), dim=1)
        loss = -(torch.softmax(soft, dim=1) * output).sum(dim=1).mean()
        made = torch.autograd.grad(loss, weights, create_graph=True)
        apart = _apart(made, wanted, by)
        total = apart + smooth * _variation(guess) if smooth else apart
        gradients = torch.autograd.grad(total, free)
        for one, slope in zip(free, gradients, strict=True):
            one.grad = slope.sign() if by == "cosine" else slope
        return total.detach()

    last = torch.tensor(np.inf)
    for _ in range(steps):
        last = optimiser.step(closure)
        schedule.step()
        if not torch.isfinite(last) or float(last) < 1e-14:
            break
    found = np.nan_to_num(np.asarray(guess.detach().cpu(), float))
    return found, float(last) if torch.isfinite(last) else np.inf


def _told(update: Update) -> NDArray[np.int64] | None:
    return np.array([label(update.gradients)]) if update.records == 1 else None


def _apart(made: Any, wanted: Any, by: str) -> Any:
    """How far two gradients are from one another."""
    import torch

    if by == "distance":
        return sum(((one - other) ** 2).sum() for one, other in zip(made, wanted, strict=True))
    along = sum((one * other).sum() for one, other in zip(made, wanted, strict=True))
    length = torch.sqrt(sum((one**2).sum() for one in made)) * torch.sqrt(
        sum((one**2).sum() for one in wanted)
    )
    return 1 - along / (length + 1e-30)


def _variation(guess: Any) -> Any:
    """Total variation over the last two axes of an image."""
    if guess.ndim < 3:
        return (guess[..., 1:] - guess[..., :-1]).abs().mean()
    across = (guess[..., 1:] - guess[..., :-1]).abs().mean()
    return across + (guess[..., 1:, :] - guess[..., :-1, :]).abs().mean()
