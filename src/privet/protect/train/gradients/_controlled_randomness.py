"""Random numbers under control: every draw takes the same quantile of its law, so that one record gives one number.

A model with dropout gives another loss each time, so "alone" and "in a batch" cannot be compared as it is. Where all
numbers of a draw are equal, it does not matter how many are drawn or in which place of a batch a record stands: what
still differs differs because of other records. Every random operation of torch is met here, in whatever layer or kernel
it hides (the dropout inside attention, between the layers of an LSTM, noise of one's own).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import NormalDist
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from privet.errors import UnsafeModel
from privet.protect.train.gradients._torch_globals import own_generator

# At the first, dropout keeps everything: gradients flow everywhere. The others take the branches that chance may take.
QUANTILES = (0.02, 0.5, 0.98)


class Controlled(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """While it lasts, random operations give their quantile. `drawn` counts them."""

    def __init__(self, quantile: float = QUANTILES[0]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.quantile, self.drawn = quantile, 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing here is compiled, and preparing for it would load a compiler

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Random operations are replaced, all others just run."""
        if torch.Tag.nondeterministic_seeded not in func.tags:
            return func(*args, **(kwargs or {}))
        given = {key: value for key, value in (kwargs or {}).items() if key != "generator"}
        self.drawn += 1
        replaced = _LAWS.get(func.overloadpacket.__name__)
        if replaced is None:
            return func(*args, **(kwargs or {}))
        return replaced(self.quantile, func, args, given)


@contextmanager
def controlled(quantile: float = QUANTILES[0]) -> Iterator[Controlled]:
    """While it lasts, torch draws nothing at random, and what it would have drawn leaves no trace."""
    with own_generator(), Controlled(quantile) as mode:
        seeded = torch.initial_seed()
        yield mode
        refuse_seeding(seeded)


def refuse_seeding(seeded: int) -> None:
    """Refuse what has seeded torch's generator anew: seeds may be made of records, and draws for all others follow."""
    if torch.initial_seed() != seeded:
        raise UnsafeModel(
            "the model, its loss or a stage before them seeds torch's generator.",
            "Leave seeds alone: every step has one of its own, which no record has a part in.",
        )


# --- laws --------------------------------------------------------------------------------------

Law = Callable[[float, Any, tuple[Any, ...], dict[str, Any]], Any]


def _argument(func: Any, args: tuple[Any, ...], given: dict[str, Any], name: str, otherwise: Any) -> Any:
    """An argument by its name in the schema, wherever it was given."""
    for place, argument in enumerate(func._schema.arguments):  # noqa: SLF001
        if argument.name == name:
            if place < len(args) and not argument.kwarg_only:
                return args[place]
            return given.get(name, otherwise)
    return otherwise


def _uniform(u: float, func: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Tensor:
    low, high = _argument(func, args, given, "from", 0.0), _argument(func, args, given, "to", 1.0)
    found: Tensor = args[0].fill_(low + (high - low) * u)
    return found


def _normal(u: float, func: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Tensor:
    mean, std = _argument(func, args, given, "mean", 0.0), _argument(func, args, given, "std", 1.0)
    z = NormalDist().inv_cdf(u)
    if func.overloadpacket.__name__ == "normal_":
        found: Tensor = args[0].fill_(mean + std * z)
        return found
    return torch.as_tensor(mean + std * z)


def _exponential(u: float, func: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Tensor:
    found: Tensor = args[0].fill_((1 - u) / _argument(func, args, given, "lambd", 1.0))
    return found


def _integers(u: float, func: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
    low, high = _argument(func, args, given, "low", 0), _argument(func, args, given, "high", 1)
    return func(*args, **given).fill_(low + int((high - low) * u))


def _whole(u: float, func: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Tensor:
    low, high = _argument(func, args, given, "from", 0), _argument(func, args, given, "to", None)
    reach = 2**20 if high is None else high - low
    found: Tensor = args[0].fill_(low + int(reach * u))
    return found


def _coins(u: float, func: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Tensor:
    """Heads where the chance exceeds the quantile: in place of a tensor, or for a tensor of chances."""
    chance = _argument(func, args, given, "p", None)
    if func.overloadpacket.__name__ == "bernoulli_":
        found: Tensor = args[0].copy_(torch.as_tensor(0.5 if chance is None else chance) > u)
        return found
    return (args[0] > u).to(args[0].dtype) if chance is None else torch.full_like(args[0], float(chance > u))


def _filled(value: Callable[[float], float]) -> Law:
    return lambda u, func, args, given: func(*args, **given).fill_(value(u))


def _dropped(u: float, func: Any, args: tuple[Any, ...], given: dict[str, Any]) -> tuple[Tensor, Tensor]:
    x, chance = args[0], float(args[1])
    kept = torch.full_like(x, float(1 - chance > u), dtype=torch.bool)
    del func, given
    return x * kept / max(1 - chance, 1e-12), kept


def _sloped(u: float, func: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Tensor:
    """`rrelu_with_noise`: the slope of what is negative, which its backward pass reads from the noise."""
    x, noise = args[0], args[1]
    low, high = (
        _argument(func, args, given, "lower", 1 / 8),
        _argument(func, args, given, "upper", 1 / 3),
    )
    noise.copy_(torch.where(x <= 0, torch.full_like(x, low + (high - low) * u), torch.ones_like(x)))
    found: Tensor = x * noise
    return x.copy_(found) if func.overloadpacket.__name__.endswith("_") else found


def _reversed(u: float, func: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Any:
    """A permutation that leaves nothing in its place, so that one over records shows."""
    del u
    made = func(*args, **given)
    return made.copy_(torch.arange(len(made) - 1, -1, -1))


def _likeliest(weights: Tensor, count: int) -> Tensor:
    order = torch.sort(weights, dim=-1, descending=True, stable=True).indices
    return order[..., torch.arange(count) % weights.shape[-1]]


_LAWS: dict[str, Law] = {
    "uniform_": _uniform,
    "normal_": _normal,
    "normal": _normal,
    "exponential_": _exponential,
    "randint": _integers,
    "randint_like": _integers,
    "random_": _whole,
    "bernoulli": _coins,
    "bernoulli_": _coins,
    "rand": _filled(lambda u: u),
    "rand_like": _filled(lambda u: u),
    "randn": _filled(NormalDist().inv_cdf),
    "randn_like": _filled(NormalDist().inv_cdf),
    "native_dropout": _dropped,
    "rrelu_with_noise": _sloped,
    "rrelu_with_noise_": _sloped,
    "randperm": _reversed,
    "poisson": lambda u, _, args, __: torch.floor(args[0] + u),
    "binomial": lambda u, _, args, __: torch.floor(args[0] * args[1] + u),
    "_standard_gamma": lambda u, _, args, __: args[0] * (0.5 + u),
    "_sample_dirichlet": lambda _, __, args, ___: args[0] / args[0].sum(-1, keepdim=True),
    "multinomial": lambda _, __, args, ___: _likeliest(*args[:2]),
}
