"""A model in two parts: what turns an input into embeddings, which stays, and the rest, which somebody else runs.

Models of transformers are split at their input embeddings; any other torch model is given as a pair. The model is frozen
while a shield is fitted and is afterwards as it was.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from privet.artifact import is_there
from privet.errors import BadShield, MissingExtra

_ROWS = 8_192  # of the table of embeddings, looked up at a time
_PAIR = "Give (network, tokenizer), the folder of a transformers model, or (embed, rest) for any torch model."


@dataclass(frozen=True)
class SplitModel:
    """A model in two parts. `rest(embeddings, mask, layer)` gives logits, and the hidden states of a layer if one is named.

    `vocabulary` is how many tokens there are; 0 where inputs are no tokens.
    """

    embed: Callable[[Tensor], Tensor]
    rest: Callable[[Tensor, Tensor | None, int | None], tuple[Tensor, Tensor | None]]
    parts: tuple[nn.Module, ...]
    tokenizer: Any = None
    vocabulary: int = 0
    name: str = "model"

    @cached_property
    def table(self) -> Tensor:
        """The embedding of every token, in 32 bits."""
        if not self.vocabulary:
            raise BadShield("this model's inputs are no tokens.", "Give a model with its tokenizer.")
        ids = torch.arange(self.vocabulary)
        with torch.no_grad():
            rows = [self.embed(ids[at : at + _ROWS][None])[0] for at in range(0, len(ids), _ROWS)]
        return torch.cat(rows).float()

    @cached_property
    def fingerprint(self) -> str:
        """A digest of all weights of the model: which one it is."""
        content = hashlib.sha256()
        for part in self.parts:
            for name, value in sorted(part.state_dict().items()):
                content.update(f"{name} {tuple(value.shape)} ".encode())
                content.update(value.detach().float().cpu().contiguous().numpy().tobytes())
        return content.hexdigest()

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text, with those that the tokenizer puts around it."""
        if self.tokenizer is None:
            raise BadShield("this model came without a tokenizer.", _PAIR)
        found = [int(one) for one in self.tokenizer.encode(text)]
        if not found:
            raise BadShield("a text has no tokens.", "Leave out texts that are empty.")
        return found

    def token_text(self, token: int) -> str:
        """The text of one token."""
        return str(self.tokenizer.decode([int(token)]))

    @property
    def special(self) -> frozenset[int]:
        """Tokens that the tokenizer puts around a text: public, and nobody's secret."""
        return frozenset(int(one) for one in getattr(self.tokenizer, "all_special_ids", ()))


def split_model(thing: Any) -> SplitModel:
    """A folder of transformers, a network with its tokenizer, or `(embed, rest)`, in two parts."""
    if isinstance(thing, SplitModel):
        return thing
    if isinstance(thing, str | Path):
        return _of_transformers(*_loaded(Path(thing)), name=Path(thing).name)
    if not isinstance(thing, tuple) or len(thing) not in (2, 3):
        raise BadShield(f"a thing of type {type(thing).__name__} is no model that can be split.", _PAIR)
    first, second = thing[:2]
    if hasattr(second, "encode") and hasattr(second, "decode"):
        if not callable(getattr(first, "get_input_embeddings", None)):
            raise BadShield("this network does not say where its input embeddings are.", _PAIR)
        return _of_transformers(first, second)
    return _of_pair(first, second, thing[2] if len(thing) == 3 else None)


def _of_transformers(network: Any, tokenizer: Any, name: str = "language model") -> SplitModel:
    """A network that takes `inputs_embeds`."""

    def rest(given: Tensor, mask: Tensor | None, layer: int | None) -> tuple[Tensor, Tensor | None]:
        wanted = {} if layer is None else {"output_hidden_states": True}
        out = network(inputs_embeds=given, attention_mask=None if mask is None else mask.long(), **wanted)
        return out.logits, None if layer is None else out.hidden_states[layer]

    layers = network.get_input_embeddings()
    return SplitModel(layers, rest, (network,), tokenizer, int(layers.weight.shape[0]), name)


def _of_pair(embed: Any, rest: Any, tokenizer: Any) -> SplitModel:
    """Any torch model; `rest` is given a mask of what is no padding where there is a tokenizer."""
    if not callable(embed) or not callable(rest):
        raise BadShield("a pair of functions from inputs to embeddings to logits was expected.", _PAIR)

    def after(given: Tensor, mask: Tensor | None, layer: int | None) -> tuple[Tensor, Tensor | None]:
        if layer is not None:
            raise BadShield(
                "hidden states are known for transformers alone.", "Write utility='logits', or give labels."
            )
        return (rest(given) if tokenizer is None else rest(given, mask)), None

    size = int(embed.weight.shape[0]) if tokenizer is not None and hasattr(embed, "weight") else 0
    if tokenizer is not None and not size:
        raise BadShield(
            "the embeddings of tokens are not in a table.", "Give nn.Embedding as the first part."
        )
    parts = tuple(part for part in (embed, rest) if isinstance(part, nn.Module))
    return SplitModel(embed, after, parts, tokenizer, size)


def _loaded(folder: Path) -> tuple[Any, Any]:
    """What lies in a folder: weights without executable content, and no code of the folder's own."""
    if not is_there(folder / "config.json"):
        raise BadShield(f"{folder.name} is no folder with a transformers model.", _PAIR)
    try:
        from safetensors import SafetensorError
        from transformers import (
            AutoConfig,
            AutoModelForCausalLM,
            AutoModelForSequenceClassification,
            AutoTokenizer,
        )
    except ModuleNotFoundError:
        raise MissingExtra("language models need transformers.", "pip install 'privet[language]'") from None
    safe = {"local_files_only": True, "trust_remote_code": False}
    try:
        config = AutoConfig.from_pretrained(folder, **safe)
        named = " ".join(getattr(config, "architectures", None) or ())
        kind = AutoModelForSequenceClassification if "Classification" in named else AutoModelForCausalLM
        network = kind.from_pretrained(folder, use_safetensors=True, dtype=torch.float32, **safe)
        return network, AutoTokenizer.from_pretrained(folder, **safe)
    except (OSError, ValueError, KeyError, RuntimeError, TypeError, SafetensorError):
        raise BadShield(
            f"the model in {folder.name} cannot be read.",
            "It has weights as safetensors, and an architecture that this version of transformers knows.",
        ) from None


@contextmanager
def frozen(model: SplitModel) -> Iterator[None]:
    """The model as it answers, none of its weights asking for gradients; afterwards as it was."""
    states = [(part, part.training) for part in model.parts]
    asking = [one for part in model.parts for one in part.parameters() if one.requires_grad]
    for part, _ in states:
        part.eval()
    for one in asking:
        one.requires_grad = False
    try:
        yield
    finally:
        for one in asking:
            one.requires_grad = True
        for part, training in states:
            part.train(training)


# --- embeddings of any shape as sequences ------------------------------------------------------


def as_sequence(given: Tensor) -> Tensor:
    """(rows, width), (rows, places, width) or an image's (rows, channels, height, width), as (rows, places, width)."""
    if given.dim() == 2:
        return given[:, None]
    if given.dim() == 4:
        return given.flatten(2).transpose(1, 2)
    if given.dim() != 3:
        raise BadShield(
            f"embeddings have {given.dim()} dimensions.", "Give rows × width, × places × width, or images."
        )
    return given


def as_given(sequence: Tensor, like: Sequence[int]) -> Tensor:
    """A sequence in the shape that its embeddings had."""
    if len(like) == 2:
        return sequence[:, 0]
    if len(like) == 4:
        return sequence.transpose(1, 2).reshape(len(sequence), *like[1:])
    return sequence


def typical_size(table: Tensor) -> float:
    """The root mean square of embeddings' entries: the unit in which a shield reckons."""
    size = float(table.double().square().mean().sqrt())
    if not 0 < size < math.inf:
        raise BadShield("the embeddings are all nought, or not finite.", "Give a model that was trained.")
    return size
