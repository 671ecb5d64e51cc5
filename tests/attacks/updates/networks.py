"""Small networks, records for them and the gradients that a server would receive."""

import numpy as np
import torch

torch.set_num_threads(1)


def dense(seed: int = 0, activation: type[torch.nn.Module] = torch.nn.ReLU) -> torch.nn.Module:
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(20, 32), activation(), torch.nn.Linear(32, 4)).double()


def gradients(model, records, labels) -> dict[str, np.ndarray]:
    model.zero_grad()
    torch.nn.functional.cross_entropy(model(records), labels).backward()
    return {name: value.grad.numpy().copy() for name, value in model.named_parameters()}


def people(number: int, seed: int = 1) -> tuple[torch.Tensor, torch.Tensor]:
    draw = torch.Generator().manual_seed(seed)
    return (
        torch.randn(number, 20, dtype=torch.float64, generator=draw),
        torch.randint(0, 4, (number,), generator=draw),
    )


def defended(found: dict[str, np.ndarray], multiplier: float, draw) -> dict[str, np.ndarray]:
    """Clipped to one, and noise of the multiplier's size on every coordinate."""
    length = np.sqrt(sum((one**2).sum() for one in found.values()))
    return {
        name: one / max(1, length) + multiplier * draw.normal(size=one.shape) for name, one in found.items()
    }
