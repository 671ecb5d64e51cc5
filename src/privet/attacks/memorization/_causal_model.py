"""A language model as an adversary meets it: tokens of a text, their log-probabilities, and what it would go on with.

Any causal network of `transformers` with its tokenizer, or another module from token numbers to logits. Nothing is drawn
here but by a generator that is handed in, and nothing of a folder is executed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import LANGUAGE, is_there, kind_of_model, verified_record
from privet.errors import BadAttack, MissingExtra
from privet.guarantee import Promise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from privet.attacks._seeded_generator import Draw

_TOKENS = 16_384  # of a batch: longer texts go in fewer at a time
_LONGEST = 1_024  # tokens of a text that are looked at where the network does not say how many it takes


@dataclass(frozen=True)
class CausalModel:
    """A causal network with its tokenizer, and what is said of them.

    `sequence` is how many tokens the promise's unit has, where the unit is a sequence; None where a text is within one unit.
    """

    network: Any
    tokenizer: Any
    promise: Promise | None = None
    sequence: int | None = None
    name: str = "language model"
    standing: Any = None

    @property
    def window(self) -> int:
        """How many tokens it takes at once."""
        stated = getattr(getattr(self.network, "config", None), "max_position_embeddings", None)
        return min(int(stated), _LONGEST) if isinstance(stated, int) and stated > 1 else _LONGEST

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text, without any that only mark its beginning or end."""
        special = {"add_special_tokens": False} if hasattr(self.tokenizer, "all_special_ids") else {}
        return [int(one) for one in self.tokenizer.encode(text, **special)]

    def text(self, tokens: Sequence[int]) -> str:
        """The text of tokens."""
        return str(self.tokenizer.decode([int(one) for one in tokens]))

    def log_probabilities(self, sequences: Sequence[Sequence[int]]) -> list[NDArray[np.float64]]:
        """The log-probability of each token but the first, given those before it."""
        import torch

        found: list[NDArray[np.float64]] = [np.empty(0)] * len(sequences)
        order = sorted(range(len(sequences)), key=lambda at: len(sequences[at]))
        with _at_rest(self.network) as device:
            for batch in _batches(order, sequences):
                longest = max(len(sequences[at]) for at in batch)
                if longest < 2:
                    continue
                padded = np.zeros((len(batch), longest), np.int64)
                for row, at in enumerate(batch):
                    padded[row, : len(sequences[at])] = sequences[at]
                given = torch.from_numpy(padded).to(device)
                logits = _logits(self.network(given[:, :-1]))[0].float()
                chosen = torch.log_softmax(logits, -1).gather(-1, given[:, 1:, None])[..., 0]
                values = chosen.double().cpu().numpy()
                for row, at in enumerate(batch):
                    found[at] = values[row, : max(0, len(sequences[at]) - 1)]
        return found

    def continuations(
        self, prefixes: NDArray[np.int64], length: int, draw: Draw | None = None
    ) -> NDArray[np.int64]:
        """What follows prefixes of one length: the likeliest token each time, or one drawn with its probability."""
        import torch

        found = np.zeros((len(prefixes), length), np.int64)
        rows = max(1, _TOKENS // max(1, prefixes.shape[1] + length))
        with _at_rest(self.network) as device:
            for start in range(0, len(prefixes), rows):
                here = slice(start, start + rows)
                given = torch.from_numpy(np.ascontiguousarray(prefixes[here])).to(device)
                past: Any = None
                for step in range(length):
                    logits, past = _next(self.network, given, past)
                    likely = logits.float().cpu()
                    if draw is not None:  # the largest of log-probabilities plus Gumbel noise is a draw
                        likely = likely + torch.from_numpy(draw.gumbel(size=tuple(likely.shape)))
                    chosen = likely.argmax(-1)
                    found[here, step] = chosen.numpy()
                    given = torch.cat([given, chosen[:, None].to(device)], 1)
        return found


def is_language_model(thing: Any) -> bool:
    """Whether it is one, or a network with its tokenizer."""
    if isinstance(thing, CausalModel):
        return True
    pair = thing if isinstance(thing, tuple) and len(thing) == 2 else _parts(thing)
    return _is_network(pair[0]) and hasattr(pair[1], "encode") and hasattr(pair[1], "decode")


def is_language_folder(path: Path) -> bool:
    """Whether a folder holds a network of transformers with its tokenizer."""
    return any(is_there(path / name) for name in ("tokenizer.json", "tokenizer_config.json")) and is_there(
        path / "config.json"
    )


def causal_model(thing: Any) -> CausalModel:
    """A language model, a pair of network and tokenizer, or a folder of transformers, as attacks take it."""
    if isinstance(thing, CausalModel):
        return thing
    if isinstance(thing, str | Path):
        return _loaded(Path(thing))
    if not is_language_model(thing):
        raise BadAttack(
            f"a thing of type {type(thing).__name__} is no language model.",
            "Give the folder of a causal model, or its network and tokenizer as a pair.",
        )
    network, tokenizer = thing if isinstance(thing, tuple) else _parts(thing)
    promise = getattr(thing, "promise", None)
    sequence = getattr(thing, "sequence", None)
    return CausalModel(
        network,
        tokenizer,
        promise if isinstance(promise, Promise) else None,
        sequence if isinstance(sequence, int) else None,
        standing=getattr(thing, "standing", None),
    )


def _loaded(folder: Path) -> CausalModel:
    """What lies in a folder: weights without executable content, and no code of the folder's own."""
    if not is_language_folder(folder):
        raise BadAttack(
            f"{folder.name} is no folder with a causal model and its tokenizer.",
            "Name a folder with config.json, model.safetensors and the files of the tokenizer.",
        )
    said = verified_record(folder) if kind_of_model(folder) == LANGUAGE else None
    try:
        import torch
        from safetensors import SafetensorError
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ModuleNotFoundError:
        raise MissingExtra("language models need transformers.", "pip install 'privet[language]'") from None
    try:
        with _without_bars():
            network = AutoModelForCausalLM.from_pretrained(
                folder,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                dtype=torch.float32,
            )
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError, KeyError, RuntimeError, TypeError, SafetensorError):
        raise BadAttack(
            f"the model in {folder.name} cannot be read.",
            "It has weights as safetensors, and an architecture that this version of transformers knows.",
        ) from None
    if said is None:
        return CausalModel(network, tokenizer, name=folder.name)
    sequence = said.terms.tokens if said.terms.kind == "sequence" else None
    return CausalModel(network, tokenizer, said.promise, sequence, folder.name, said.standing)


def _parts(thing: Any) -> tuple[Any, Any]:
    return getattr(thing, "network", None), getattr(thing, "tokenizer", None)


def _is_network(thing: Any) -> bool:
    torch = sys.modules.get("torch")  # a module cannot exist without it
    return torch is not None and isinstance(thing, torch.nn.Module)


def _batches(order: list[int], sequences: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Neighbours in length together, so that little is padded."""
    batch: list[int] = []
    for at in order:
        if batch and (len(batch) + 1) * max(1, len(sequences[at])) > _TOKENS:
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


def _logits(out: Any) -> tuple[Any, Any]:
    """The logits of an answer, and what the network wants to see again in the next step."""
    if hasattr(out, "logits"):
        return out.logits, getattr(out, "past_key_values", None)
    return (out[0] if isinstance(out, tuple) else out), None


def _next(network: Any, given: Any, past: Any) -> tuple[Any, Any]:
    """Logits of the next token; with `past`, the network remembers all but the last token."""
    caches = getattr(getattr(network, "config", None), "use_cache", None) is not None
    if not caches:
        return _logits(network(given))[0][:, -1], None
    out = network(given if past is None else given[:, -1:], past_key_values=past, use_cache=True)
    logits, past = _logits(out)
    return logits[:, -1], past


@contextmanager
def _at_rest(network: Any) -> Iterator[Any]:
    """The network as it answers, on its own device, without gradients; afterwards as it was."""
    import torch

    was = network.training
    network.eval()
    try:
        with torch.no_grad():
            yield next((one.device for one in network.parameters()), torch.device("cpu"))
    finally:
        network.train(was)


@contextmanager
def _without_bars() -> Iterator[None]:
    """Loading draws no bars of its own: what a command says goes through one place."""
    from transformers.utils import logging

    bars: Any = logging
    shown = logging.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            bars.enable_progress_bar()
